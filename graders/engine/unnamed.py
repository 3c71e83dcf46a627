"""Mistakes that nobody foresaw: start the catalogue's entry for one, from the code of somebody who made it."""

from __future__ import annotations

import ast
import difflib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from graders.engine.kit import MISCONCEPTIONS
from graders.model import Kit, KitError, Part

LONGEST_EDIT = 4  # lines; more is another way of writing it all, not an edit
SLUG = re.compile(r"[a-z][a-z0-9_]*")


def shortest(part: str, members: Sequence[Mapping[str, Part]]) -> Part | None:
    """The shortest text of this part among some students' parts."""
    texts = [parts[part] for parts in members if part in parts]
    return min(texts, key=lambda one: len(one.text), default=None)


def edit(solution: str, text: str) -> tuple[str, str] | None:
    """What to swap in the solution for what, if one short run of lines makes the difference between the two texts."""
    try:
        one, other = _lines(solution), _lines(text)
    except SyntaxError:
        return None
    matcher = difflib.SequenceMatcher(None, [line.strip() for line in one], [line.strip() for line in other], autojunk=False)
    found = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if len(found) != 1:
        return None
    [(_, start, end, begin, stop)] = found
    swap, new = "\n".join(one[start:end]).strip(), "\n".join(other[begin:stop]).strip()
    return (swap, new) if swap and max(end - start, stop - begin) <= LONGEST_EDIT and solution.count(swap) == 1 else None


def _lines(text: str) -> list[str]:
    """The lines that say something: no comments, no docstrings, no markers, no empty ones."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or 0) - node.lineno + 1)
    plain = (re.sub(r"\s*# .*$", "", line).rstrip() for line in lines)
    return [line for line in plain if line and not line.strip().startswith("#")]


def entry(slug: str, found: tuple[str, str] | None) -> str:
    """The catalogue's entry, its hint left empty, so that `check` asks for it."""
    swap, new = found or ("", "")
    todo = "" if found else "# Write the edit: what to swap in the solution, and for what. No short one was found.\n"
    return f'\n[{slug}]\n{todo}swap = {_quoted(swap)}\nwith = {_quoted(new)}\nhint = ""\n'


def _quoted(text: str) -> str:
    """A text as TOML writes it: as JSON does, but for one character that TOML wants escaped."""
    return json.dumps(text).replace("\x7f", "\\u007f")


def start_entry(kit: Kit, part: str, slug: str, student: Part | None) -> Path:
    """Add an entry to the catalogue of one part; the file. Raises KitError for a name that is taken or that is none."""
    file = kit.root / MISCONCEPTIONS / f"{part}.toml"
    if not SLUG.fullmatch(slug):
        raise KitError(f"{slug!r} is no name for a mistake; use small letters, digits and underscores, such as wrong_axis")
    if any((mistake.part, mistake.id) == (part, slug) for mistake in kit.misconceptions):
        raise KitError(f"{file}: [{slug}] is there already; choose another name")
    found = edit(kit.reference.parts[part].text, student.text) if student else None
    with file.open("a", encoding="utf-8") as catalogue:
        catalogue.write(entry(slug, found))
    return file
