"""What students receive: a kit's folder goes in, the files of a release come out, and can be written into a folder.

The files are an allow-list. Exercises are cut from the solutions anew, whatever stands in exercises/; of every other folder only the
kinds of files named here are taken. Before anything is written, every file is searched for what is secret.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from string import Template

from graders.engine.kit import read_kit
from graders.model import Kit, KitError
from graders.publish.book import BOOK, book
from graders.publish.leaks import Secret, leaks, secrets
from graders.publish.stubs import cut

STUDENT = Path(__file__).parent / "student"
GIVEN = {"tiny_lm": {".py"}, "lessons": {".py", ".md", ".png", ".svg"}}
ALONE = ("conftest.py", "__init__.py", "__main__.py", "_run.py", "_say.py", "_told.py", "_hints.py")  # of exercises/, beside parts and tests
RECORD = ".release.json"  # names the files of a release: how an earlier one is known
WORKFLOW = ".github/workflows/classroom.yml"
NOTEBOOKS = """Whoever would rather work in a notebook (Jupyter, VS Code, Colab) opens {named}: the same exercises, each below its lesson's text.
Keep it in this folder, and hand it in with the rest; a part that is written in its file too counts as it stands there.

"""
SECRET_PATHS = ("solutions/", "graders/", "grading.toml")
Files = Mapping[str, bytes]


def release(root: Path) -> Files:
    """The files of a release of the kit in `root`, by their paths. Raises KitError where content does not hold together, or holds a secret."""
    kit = read_kit(root)
    parts = ordered(kit)
    files = {f"exercises/{name}.py": cut(kit.reference.parts[name].text, name).encode() for name in parts}
    files |= dict(_visible(root)) | dict(_given(root)) | dict(_notebooks(root, kit)) | book(kit)
    files |= {file.name: file.read_bytes() for file in sorted(root.glob("requirements*.txt"))}
    files |= {"README.md": _readme(kit, files, parts), "pyproject.toml": _filled("project.toml", version=kit.version.split("+")[0])}
    files |= {".gitignore": _filled("gitignore"), ".gitattributes": b"* text=auto\n"}  # the same bytes, and digests, on every system
    files[WORKFLOW] = _workflow(files, parts)
    found = next(leaks(files, secrets(root)), "")
    if found:
        raise KitError(f"{found}, which no student may receive; take it out of the kit's file and release again")
    return files


def ordered(kit: Kit) -> Sequence[str]:
    """The parts that students write, in the order of their exercises."""
    return tuple(dict.fromkeys((*kit.parts, *kit.reference.parts)))


def write_release(files: Files, folder: Path, root: Path, force: bool = False) -> None:
    """Write a release into a new folder, an empty one, or that of an earlier release, whose files that are no longer part of it go.

    Raises KitError for any other folder unless `force`, and even then where other files in it, or its git history, hold an answer.
    """
    earlier = _earlier(folder)
    others = {path: folder / path for path in _inside(folder) if path not in files and path not in earlier}
    if others and not earlier and not force:
        raise KitError(f"{folder} is neither empty nor an earlier release ({next(iter(others))} is in it); name another folder, or add --force")
    hidden = secrets(root)
    found = next(leaks({path: _read(file) for path, file in others.items()}, hidden), "") or _history(folder, hidden)
    if found:
        raise KitError(f"{folder}: {found}, so students would receive it; release into a new folder")
    record = json.dumps(sorted(files), indent=1) + "\n"
    try:
        for path in earlier - set(files):
            (folder / path).unlink(missing_ok=True)
        for path, content in {**files, RECORD: record.encode()}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).unlink(missing_ok=True)  # a link is replaced, not written through
            (folder / path).write_bytes(content)
    except OSError as error:
        raise KitError(f"{folder}: the release cannot be written ({error.strerror or error}); name another folder") from None


def _visible(root: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted((root / "exercises").glob("*.py")):
        if file.name in ALONE or file.name.startswith("test_"):
            yield f"exercises/{file.name}", file.read_bytes()


def _given(root: Path) -> Iterator[tuple[str, bytes]]:
    for folder, kinds in GIVEN.items():
        for file in sorted((root / folder).glob("*")):
            if file.suffix in kinds and file.is_file():
                yield f"{folder}/{file.name}", file.read_bytes()


def _notebooks(root: Path, kit: Kit) -> Iterator[tuple[str, bytes]]:
    """The students' own notebook of each lesson."""
    try:
        lessons, weaving = import_module("graders.engine.lesson"), import_module("graders.publish.weave")
    except ImportError:
        return
    for name, lesson in lessons.read_lessons(root).items():
        yield f"{name}.ipynb", weaving.weave(weaving.Loom(kit, name, lesson, own=True)).encode()


def _readme(kit: Kit, files: Files, parts: Sequence[str]) -> bytes:
    texts = [path for path in files if path.startswith("lessons/") and path.endswith(".md")]
    runs = [f"python -m lessons.{Path(path).stem}" for path in texts if path.replace(".md", ".py") in files]
    lines = [f"{number}. `exercises/{name}.py`" for number, name in enumerate(parts, 1)]
    run = "\n".join(f"{run:<32} the lesson's numbers, from your own classes" for run in runs)
    named = " and ".join(f"`{path}`" for path in files if path.endswith(".ipynb"))
    words = {"title": kit.title, "lessons": ", ".join(f"`{path}`" for path in texts), "parts": "\n".join(lines), "first": parts[0]}
    return _filled("README.md", **words, run=run, notebooks=NOTEBOOKS.format(named=named) if named else "")


def _workflow(files: Files, parts: Sequence[str]) -> bytes:
    """The workflow, with the digest of every file that its run needs and that is not the student's to write."""
    own = [f"exercises/{name}.py" for name in parts]
    needed = [path for path in files if path.split("/")[0] in ("exercises", "tiny_lm", "lessons") and path not in own]
    digests = "\n".join(f"            {hashlib.sha256(files[path]).hexdigest()}  {path}" for path in needed)
    return _filled("classroom.yml", digests=digests, parts=" ".join(own))


def _filled(name: str, **words: str) -> bytes:
    return Template((STUDENT / name).read_text(encoding="utf-8")).substitute(words).encode()


def _earlier(folder: Path) -> set[str]:
    """The files that an earlier release wrote here; none where this is no release."""
    try:
        names = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return {*map(str, names), RECORD} if isinstance(names, list) and not any(".." in Path(str(name)).parts for name in names) else set()


def _inside(folder: Path) -> Iterator[str]:
    """Every file in the folder but those of git."""
    for file in sorted(folder.rglob("*")) if folder.is_dir() else ():
        path = file.relative_to(folder)
        if path.parts[0] != ".git" and not file.is_dir():
            yield path.as_posix()


def _read(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


def _history(folder: Path, hidden: Sequence[Secret]) -> str:
    """A sentence where the folder is a git repository whose history holds the graders' side of a kit, else nothing."""
    if not (folder / ".git").exists():
        return ""
    command = ["git", "-C", str(folder), "log", "--all", "--patch", "-m", "--text", "--no-renames", "--no-ext-diff", "--format="]
    try:
        log = subprocess.run(command, capture_output=True, timeout=300, check=True).stdout.decode("utf-8", "replace").splitlines()  # noqa: S603 - our own words
    except (OSError, subprocess.SubprocessError):
        return "its git history cannot be read"
    paths = [line.partition(" b/")[2] for line in log if line.startswith("diff --git a/")]
    found = next((path for path in paths if path.startswith(SECRET_PATHS)), "")
    if found:
        return f"its git history holds {found}"
    changed: dict[str, list[str]] = {BOOK: [], "its git history": []}
    place = ""
    for line in log:
        if line.startswith("diff --git a/"):
            place = BOOK if line == f"diff --git a/{BOOK} b/{BOOK}" else "its git history"
        elif line.startswith(("+", "-")):
            changed[place].append(line[1:])
    return next(leaks({path: "\n".join(lines).encode() for path, lines in changed.items()}, hidden), "")
