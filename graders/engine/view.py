"""What the worker's side gets to see: the paths it needs, and the bubblewrap command that shows it these and nothing else."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import graders

SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/lib32", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
DATA = ("/usr/share/zoneinfo", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
LIBRARIES = ("torch", "numpy", "pyseccomp")
KIT = Path("/kit")  # where the kit's own files appear inside
MACHINE = ("__init__.py", "model.py", "wire.py", "worker", "probes")  # all of graders/ that the worker needs
NOT_FOR_STUDENTS = ("graders", "solutions", "exercises", "lessons")  # as they lie in site-packages where the kit was installed into it


def machine() -> Path:
    """The folder that holds the package graders."""
    return Path(graders.__file__).parents[1]


def interpreter() -> tuple[str, ...]:
    """The folders of the interpreter, of its environment and of the libraries that the worker imports, outermost ones only."""
    found = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix), *_site_packages()}
    return tuple(str(path) for path in sorted(found) if not any(other != path and path.is_relative_to(other) for other in found))


def _site_packages() -> Iterator[Path]:
    for name in LIBRARIES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin:
            file = Path(spec.origin)
            yield file.parents[1] if spec.submodule_search_locations else file.parent


@dataclass(frozen=True)
class Content:
    """The folders of a kit that its worker needs: the probes, and the given parts where there are any."""

    probes: Path
    given: Path | None

    @property
    def inside(self) -> Content:
        """The same folders, as bubblewrap's view shows them."""
        return Content(KIT / "probes", KIT / "tiny_lm" if self.given else None)


def content(root: Path) -> Content:
    """The folders of the kit in `root`."""
    given = root.absolute() / "tiny_lm"
    return Content(root.absolute() / "graders/probes", given if given.is_dir() else None)


def bubblewrap(kit: Content) -> tuple[tuple[str, ...], ...]:
    """Commands to put in front of the server's own, the better one first. None where bubblewrap is not installed.

    Root needs no user namespace for it; then the server inside can become nobody, for whom the way to what is shown must be open.
    """
    program = shutil.which("bwrap")
    if program is None:
        return ()
    shown = tuple(_shown(kit))
    common = ("--unshare-pid", "--as-pid-1", "--new-session", "--proc", "/proc", "--dev", "/dev", "--chdir", "/", *shown, "--remount-ro", "/", "--")
    plain = (program, "--unshare-user", *common)
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return (plain,)
    return (program, *_open_ways(shown), *common), plain


def _shown(kit: Content) -> Iterator[str]:
    """The options that show the system, the interpreter, the machine's part for the worker, and the kit's content."""
    for path in (*SYSTEM, *DATA[:1]):
        yield from _as_it_is(path)
    for path in interpreter():
        yield from ("--ro-bind", path, path)
    for folder in _site_packages():
        for name in NOT_FOR_STUDENTS:
            if (folder / name).is_dir():
                yield from ("--tmpfs", str(folder / name))
    for name in MACHINE:
        yield from ("--ro-bind", str(machine() / "graders" / name), str(KIT / "graders" / name))
    yield from ("--ro-bind", str(kit.probes), str(kit.inside.probes))
    if kit.given:
        yield from ("--ro-bind", str(kit.given), str(kit.inside.given))


def _open_ways(shown: tuple[str, ...]) -> Iterator[str]:
    """Make the folders above all that is bound, open for every user; else they would be for their owner only."""
    targets = [Path(shown[place + 2]) for place, word in enumerate(shown) if word.startswith("--ro-bind")]
    above = {folder for target in targets for folder in target.parents if folder != Path("/")}
    for folder in sorted(above):
        yield from ("--perms", "0755", "--dir", str(folder))


def _as_it_is(path: str) -> tuple[str, str, str]:
    """Bind a path; a symbolic link (such as /lib in most systems) stays one."""
    link = Path(path)
    if path.count("/") == 1 and link.is_symlink():
        return ("--symlink", str(link.readlink()), path)
    return ("--ro-bind-try", path, path)
