"""What no student may receive, and where some text holds it: a kit's folder goes in, sentences about places come out.

Secret are the lines between the markers of the solutions, the known mistakes with their hints, the probes, and grading.toml.
A text is searched as it is, and with all white space gone: another indentation or other line ends hide nothing.
The book of hints may hold hints, and nothing else of this.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graders.engine.kit import read_reference
from graders.publish.book import BOOK, tries
from graders.publish.stubs import cut, regions

LONG_ENOUGH = 24  # characters; shorter lines, such as `x = x + 1`, are in any program


@dataclass(frozen=True)
class Secret:
    """A text without white space, and the file that it is from. `hint`: what the book of hints may say."""

    text: str
    source: str
    hint: bool = False


def secrets(root: Path) -> tuple[Secret, ...]:
    """All that is secret about the kit in `root`. What a given part, a stub or a try says too, no probe or known mistake makes secret."""
    given = [file.read_text(encoding="utf-8") for file in (*sorted((root / "tiny_lm").glob("*.py")), *tries(root))]
    known = squeezed("".join((*given, *_stubs(root))))
    return (*dict.fromkeys(_answers(root)), *dict.fromkeys(secret for secret in _machinery(root) if secret.text not in known))


def squeezed(text: str) -> str:
    """The text without any white space, and with quotation marks as they are where JSON writes them otherwise."""
    return "".join(text.replace('\\"', '"').split())


def leaks(files: Mapping[str, bytes], hidden: Iterable[Secret]) -> Iterator[str]:
    """A sentence for each of the files (path -> content) that holds a secret."""
    hidden = tuple(hidden)
    for path, content in files.items():
        text = squeezed(content.decode("utf-8", "replace"))
        found = next((secret for secret in hidden if secret.text in text and not (secret.hint and path == BOOK)), None)
        if found:
            yield f"{path} holds a line of {found.source}"


def _stubs(root: Path) -> Iterator[str]:
    for name, part in read_reference(root).parts.items():
        yield cut(part.text, name)


def _answers(root: Path) -> Iterator[Secret]:
    """The lines of each region: an assignment at any length, other lines where they are long enough, and the region as a whole."""
    for name, part in read_reference(root).parts.items():
        lines = part.text.split("\n")
        for region in regions(part.text, name):
            inside = [squeezed(line.split("  #")[0]) for line in lines[region.begin : region.end - 1]]  # a comment is easily left out
            at_module_level = not lines[region.begin - 1].startswith(" ")
            kept = [line for line in inside if len(line) >= LONG_ENOUGH or (at_module_level and line)]
            for text in (*kept, "".join(inside), squeezed("".join(lines[region.begin : region.end - 1]))):
                if len(text) >= LONG_ENOUGH or at_module_level:
                    yield Secret(text, f"solutions/{name}.py")


def _machinery(root: Path) -> Iterator[Secret]:
    for file in sorted((root / "graders/probes").glob("*.py")):
        yield from _lines(file.read_text(encoding="utf-8"), file, root)
    yield from _lines((root / "grading.toml").read_text(encoding="utf-8"), root / "grading.toml", root)
    for file in sorted((root / "graders/misconceptions").glob("*.toml")):
        for text, hint in _texts(tomllib.loads(file.read_text(encoding="utf-8"))):
            yield from (replace(secret, hint=hint) for secret in _lines(text, file, root))


def _lines(text: str, file: Path, root: Path) -> Iterator[Secret]:
    for line in map(squeezed, text.split("\n")):
        if len(line) >= LONG_ENOUGH and not line.startswith(("import", "from")):
            yield Secret(line, file.relative_to(root).as_posix())


def _texts(table: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Every hint (True), and what every edit puts in; what it takes out is a line of the solution."""
    for entry in table.values():
        yield entry["hint"], True
        yield entry.get("with", ""), False
        yield from ((edit["with"], False) for edit in entry.get("edits", ()))
