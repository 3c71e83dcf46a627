"""Gradescope's autograder: a kit's folder goes in, a zip file comes out, with the kit inside. The same kit gives the same bytes."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from graders.engine.kit import read_kit
from graders.engine.narrow import LESSONS, for_lessons, lesson_files

CONTAINER = Path(__file__).parent / "container"
SCRIPTS = ("setup.sh", "run_autograder")
NEEDED = ("torch", "numpy", "msgspec", "pyseccomp")  # of all that the kit can use, what this way of grading needs
MACHINE = ("graders/**/*.py",)
KIT = ("grading.toml", "graders/probes/*.py", "graders/misconceptions/*.toml", "solutions/*.py", "tiny_lm/*.py")
NOT_NEEDED = {"publish", "nbgrader", "trials", "commands_notebook.py", "commands_publish.py"}  # of graders/


def autograder(root: Path, lessons: Sequence[str] = ()) -> bytes:
    """The zip file, for some lessons or for all. Raises KitError where the kit's content does not hold together, or for a lesson that it lacks."""
    for_lessons(read_kit(root), lessons)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in SCRIPTS:
            _add(archive, name, (CONTAINER / name).read_bytes(), 0o755)
        _add(archive, "requirements.txt", "".join(f"{line}\n" for line in _requirements(root)).encode())
        if lessons:
            _add(archive, f"kit/{LESSONS}", "".join(f"{name}\n" for name in lessons).encode())
        for file in lesson_files(root, lessons):
            _add(archive, f"kit/{file.relative_to(root).as_posix()}", file.read_bytes())
        for place, folder, kinds in (("machine", Path(__file__).resolve().parents[2], MACHINE), ("kit", root, KIT)):
            for path in sorted(_files(folder, kinds)):
                _add(archive, f"{place}/{path}", (folder / path).read_bytes())
    return out.getvalue()


def _files(folder: Path, kinds: Iterable[str]) -> Iterator[str]:
    """The paths in a folder that grading needs."""
    for kind in kinds:
        for file in folder.glob(kind):
            path = file.relative_to(folder)
            if not NOT_NEEDED & set(path.parts):
                yield path.as_posix()


def _requirements(root: Path) -> Iterator[str]:
    """What is installed in the container, at the exact versions that the kit was tried with where it names them."""
    file = root / "constraints.txt"
    exact = file.read_text(encoding="utf-8") if file.exists() else ""
    for name in NEEDED:
        found = re.search(rf"^{name}==\S+$", exact, re.MULTILINE)
        yield found[0] if found else name


def _add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int = 0o644) -> None:
    about = zipfile.ZipInfo(name)  # dated 1980, so that nothing but content makes a difference
    about.external_attr, about.compress_type, about.create_system = mode << 16, zipfile.ZIP_DEFLATED, 3
    archive.writestr(about, content)
