"""Keep observations between runs, in the gate's own plain form. Nothing here can make a grade wrong: what cannot be read is made anew."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from graders import wire
from graders.model import Fault, Observation, Outcome

Kept = Mapping[str, Mapping[str, Observation]]  # by name, then by probe
KEEP = 12  # seeds kept; older ones are removed


def default_folder() -> Path:
    """The user's cache folder for this kit."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "residual-kit"


class Store:
    """One folder for one kit version, seed and torch version; one file for each set of observations."""

    def __init__(self, folder: Path, about: str) -> None:
        """Open, or make, the folder. Where that is not possible nothing is kept."""
        name = hashlib.sha256(f"{about} torch {_torch()}".encode()).hexdigest()[:24]
        self.folder = folder / name
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.folder.touch()
            _prune(folder)
        except OSError:
            self.folder = Path(os.devnull)

    def read(self, label: str) -> Kept | None:
        """What was kept under this label, or None."""
        try:
            body = self._file(label).read_bytes()
            if hashlib.sha256(body[32:]).digest() != body[:32]:
                return None
            kept: dict[str, dict[str, Observation]] = {}
            for frame in wire.split(bytearray(body[32:]), 1 << 30):
                name, probe, observation = _load(frame)
                kept.setdefault(name, {})[probe] = observation
            return kept
        except (OSError, wire.GateError, ValueError, KeyError):
            return None

    def write(self, label: str, kept: Kept) -> None:
        """Keep observations by name and probe, at once or not at all, except what may have another end next time."""
        every = [(name, probe, one) for name, seen in kept.items() for probe, one in seen.items()]
        lasting = [found for found in every if not (found[2].fault and found[2].fault.outcome in (Outcome.VOID, Outcome.TIMED_OUT))]
        body = b"".join(_dump(name, probe, one) for name, probe, one in lasting)
        try:
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
                file.write(hashlib.sha256(body).digest() + body)
            Path(file.name).replace(self._file(label))
        except OSError:
            return

    def _file(self, label: str) -> Path:
        return self.folder / hashlib.sha256(label.encode()).hexdigest()[:24]


def _dump(name: str, probe: str, one: Observation) -> bytes:
    fault = one.fault and [one.fault.outcome.value, one.fault.text, one.fault.part, one.fault.line]
    return wire.pack({"name": name, "probe": probe, "fault": fault, "seconds": one.seconds}, one.arrays)


def _load(body: bytes) -> tuple[str, str, Observation]:
    head, arrays = wire.unpack(body)
    fault = head["fault"] and Fault(Outcome(head["fault"][0]), *head["fault"][1:])
    return head["name"], head["probe"], Observation(arrays, fault, head["seconds"])


def _torch() -> str:
    try:
        return version("torch")
    except PackageNotFoundError:
        return "none"


def _prune(folder: Path) -> None:
    """Remove the folders that were used longest ago."""
    old = sorted((entry for entry in folder.iterdir() if entry.is_dir()), key=lambda entry: entry.stat().st_mtime)[:-KEEP]
    for entry in old:
        for file in entry.iterdir():
            file.unlink(missing_ok=True)
        entry.rmdir()
