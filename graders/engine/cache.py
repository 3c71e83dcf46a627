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

    def read(self, label: str) -> Mapping[str, Observation] | None:
        """What was kept under this label, or None."""
        try:
            buffer = bytearray(self._file(label).read_bytes())
            return dict(_load(body) for body in wire.split(buffer, 1 << 30))
        except (OSError, wire.GateError, ValueError, KeyError):
            return None

    def write(self, label: str, seen: Mapping[str, Observation]) -> None:
        """Keep observations, at once or not at all. Observations with the kit's own faults are not kept."""
        if any(one.fault and one.fault.outcome in (Outcome.VOID, Outcome.TIMED_OUT) for one in seen.values()):
            return
        try:
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
                file.write(b"".join(_dump(probe, one) for probe, one in seen.items()))
            Path(file.name).replace(self._file(label))
        except OSError:
            return

    def _file(self, label: str) -> Path:
        return self.folder / hashlib.sha256(label.encode()).hexdigest()[:24]


def _dump(probe: str, one: Observation) -> bytes:
    fault = one.fault and [one.fault.outcome.value, one.fault.text, one.fault.part, one.fault.line]
    return wire.pack({"probe": probe, "fault": fault, "seconds": one.seconds}, one.arrays)


def _load(body: bytes) -> tuple[str, Observation]:
    head, arrays = wire.unpack(body)
    fault = head["fault"] and Fault(Outcome(head["fault"][0]), *head["fault"][1:])
    return head["probe"], Observation(arrays, fault, head["seconds"])


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
