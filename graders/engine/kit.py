"""Read all content from a kit's folder: grading.toml, probes' titles, solutions and misconceptions, as text and tables.

Nothing is imported or run here. Every mistake an author can make stops with a KitError that names file, thing, next step.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from graders import __version__
from graders.engine.plan import dependencies
from graders.engine.tables import toml, typed
from graders.model import Check, Compare, Edit, Kit, KitError, Limits, Misconception, Part, Submission

Visibility = Literal["visible", "after_due_date", "after_published", "hidden"]
MACHINE = Path(__file__).parents[1]
PROBES = Path("graders/probes")
MISCONCEPTIONS = Path("graders/misconceptions")


class Line(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One line of points, when it says more than a number."""

    points: float
    probe: str = ""
    title: str = ""
    arrays: tuple[str, ...] = ()
    compare: Compare = "values"
    rtol: float | None = None
    atol: float | None = None
    reveal: bool = False
    visibility: Visibility | None = None
    axes: tuple[str, ...] | None = None
    runs: str = ""


class Group(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One table of grading.toml: the checks of one part, or of several parts together."""

    points: dict[str, float | Line]
    takes: tuple[str, ...] = ()
    rtol: float = 0.0
    atol: float = 0.0
    visibility: Visibility | None = None
    axes: tuple[str, ...] = ()


class About(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The [kit] table. `visibility` is that of every check that says nothing else: when students see it, where the platform can wait."""

    title: str
    visibility: Visibility = "visible"


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One misconception: a single edit, or a list of them under `edits`."""

    hint: str
    swap: str = ""
    with_: str = msgspec.field(default="", name="with")
    edits: tuple[dict[str, str], ...] = ()


def read_kit(root: Path | str) -> Kit:
    """The kit in the folder `root`. Raises KitError for content that does not hold together."""
    root = Path(root)
    file = root / "grading.toml"
    document = toml(file)
    about = typed(document.pop("kit", {}), About, file, "kit")
    limits = typed(document.pop("limits", {}), Limits, file, "limits")
    for table in ("lesson", "release"):  # no matter for grades; engine/lesson.py and engine/hints.py read them
        document.pop(table, None)
    groups = {name: typed(table, Group, file, name, Line) for name, table in document.items()}
    checks = tuple(check for name, group in groups.items() for check in _checks(root, name, group, about))
    reference = read_reference(root)
    for check in checks:
        for part in check.takes:
            if part not in reference.parts:
                raise KitError(f"{file}: {check.id} takes '{part}', but solutions/{part}.py is not there; write it or name another part")
    mistakes = tuple(mistake for part in reference.parts for mistake in _misconceptions(root, reference.parts[part]))
    version = f"{__version__}+{_digest(root)[:8]}"
    return Kit(root, about.title, checks, reference, mistakes, limits, version, dependencies(reference))


def read_reference(root: Path) -> Submission:
    """The solutions as text. Raises KitError where the folder is empty."""
    files = [file for file in sorted((root / "solutions").glob("*.py")) if file.stem != "__init__"]
    if not files:
        raise KitError(f"{root / 'solutions'}: no solution is there; write solutions/<part>.py for each part")
    return Submission("reference", {file.stem: Part(file.stem, file.read_text(encoding="utf-8"), "reference") for file in files})


def _checks(root: Path, name: str, group: Group, about: About) -> Iterator[Check]:
    titles = probe_titles(root / PROBES / f"{name}.py")
    for key, value in group.points.items():
        line = value if isinstance(value, Line) else Line(points=float(value))
        probe = line.probe or key
        if probe not in titles:
            raise KitError(f"grading.toml: {name}.{key} has points, but {PROBES / name}.py has no probe '{probe}'; write it or remove the line")
        if not (line.title or titles[probe]):
            raise KitError(f"{PROBES / name}.py: the probe '{probe}' has no docstring; its first line is the check's title")
        yield Check(
            id=f"{name}.{key}",
            title=line.title or titles[probe],
            points=line.points,
            takes=group.takes or (name,),
            probe=f"{name}.{probe}",
            arrays=line.arrays,
            compare=line.compare,
            rtol=group.rtol if line.rtol is None else line.rtol,
            atol=group.atol if line.atol is None else line.atol,
            reveal=line.reveal,
            visibility=line.visibility or group.visibility or about.visibility,
            axes=group.axes if line.axes is None else line.axes,
            runs=line.runs,
        )


def probe_titles(file: Path) -> dict[str, str]:
    """First docstring line of each public function in a file of probes, read without running it."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise KitError(f"{file}: not there, but grading.toml has points for it; write it or remove the table") from None
    except SyntaxError as error:
        raise KitError(f"{file}:{error.lineno}: {error.msg}") from None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return {node.name: (ast.get_docstring(node) or "").split("\n")[0] for node in functions}


def _misconceptions(root: Path, part: Part) -> Iterator[Misconception]:
    file = root / MISCONCEPTIONS / f"{part.name}.toml"
    if not file.exists():
        return
    for name, table in toml(file).items():
        entry = typed(table, Entry, file, name)
        pairs = entry.edits or ({"swap": entry.swap, "with": entry.with_},)
        edits = tuple(Edit(pair.get("swap", ""), pair.get("with", "")) for pair in pairs)
        for edit in edits:
            if not edit.swap or part.text.count(edit.swap) != 1:
                raise KitError(
                    f"{file}: [{name}] swaps {edit.swap!r}, which occurs {part.text.count(edit.swap) if edit.swap else 0} times in "
                    f"solutions/{part.name}.py; it must occur exactly once"
                )
        if not entry.hint.strip():
            raise KitError(f"{file}: [{name}] has no hint; say in one or two sentences what the numbers show and where to look")
        yield Misconception(name, part.name, edits, entry.hint.strip())


def content_files(root: Path) -> list[Path]:
    """All files of a kit's content, in a fixed order."""
    files = [root / "grading.toml"]
    for folder in ("solutions", "tiny_lm", PROBES, MISCONCEPTIONS):
        files += sorted((root / folder).glob("*.py")) + sorted((root / folder).glob("*.toml"))
    return files


def _digest(root: Path) -> str:
    """sha256 over all that can change a grade: the content, and the machine that runs and judges it."""
    machine = sorted(file for folder in ("worker", "engine") for file in (MACHINE / folder).rglob("*.py"))
    digest = hashlib.sha256()
    for file in (*content_files(root), *machine):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def mistaken(kit: Kit, mistakes: tuple[Misconception, ...]) -> Mapping[str, Part] | None:
    """The reference's parts with these mistakes' edits applied, or None where the edits get in each other's way."""
    texts = {mistake.part: kit.reference.parts[mistake.part].text for mistake in mistakes}
    for mistake in mistakes:
        for edit in mistake.edits:
            if texts[mistake.part].count(edit.swap) != 1:
                return None
            texts[mistake.part] = texts[mistake.part].replace(edit.swap, edit.with_)
    return {name: Part(name, text, "mistaken") for name, text in texts.items()}
