"""From a notebook to the text of each part: the definitions of the part's names, and what they need, in the notebook's order.

The last definition of a name counts. A name that belongs to another part becomes an import of that part, so that each part
can be graded beside right neighbours. What nobody needs (prints, plots, trials) stays out.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graders.engine.reading.cells import CODE, parse, read_cells
from graders.engine.reading.labels import printable
from graders.engine.reading.place import UnreadError
from graders.engine.reading.statements import Sort, Statement, statements
from graders.model import Submission

MOST_STATEMENTS = 2000
Owned = Mapping[str, frozenset[str]]


@dataclass
class Notebook:
    """The text of each part that the notebook defines, the cells it is from, and what there is to say."""

    texts: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def owned_names(reference: Submission) -> Owned:
    """For each part, the public names that the reference defines at top level."""
    trees = {name: ast.parse(part.text) for name, part in reference.parts.items()}
    return {part: frozenset(name for node in tree.body for name in _defined(node) if name[:1] != "_") for part, tree in trees.items()}


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def misnamed(texts: Mapping[str, str], owned: Owned) -> Iterator[str]:
    """A sentence for each file that defines what a part asks for, where that part was not handed in."""
    missing = {part: names for part, names in owned.items() if part not in texts}
    for stem, text in texts.items():
        if stem in owned or len(text) > CODE or not missing:
            continue
        try:
            made = {name for node in parse(text).body for name in _defined(node)}
        except SyntaxError:
            continue
        for part, names in missing.items():
            if names & made:
                yield f"{printable(stem)}.py defines {', '.join(sorted(names & made)[:3])} and was not taken for {part}.py; rename it."


def read_notebook(data: bytes, file: str, owned: Owned) -> Notebook:
    """The parts in a notebook. `file` is how notes call it. Raises UnreadError where it is none."""
    into = Notebook()
    found = [_without_parts(statement, owned) for statement in _all_statements(data, file, into.notes)]
    made = {name for statement in found for name in statement.makes}
    for part, names in owned.items():
        wanted = names & made or _alike(names, made)
        if not wanted:
            continue
        elsewhere = {name: other for other, theirs in owned.items() if other != part for name in theirs - names - wanted}
        chosen, borrowed = needed(found, wanted, elsewhere)
        into.texts[part] = _text(found, chosen, {name: elsewhere[name] for name in borrowed})
        numbers = sorted({found[index].cell for index in chosen if wanted & found[index].makes})
        into.places[part] = f"code cell{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
    return into


def _all_statements(data: bytes, file: str, notes: list[str]) -> list[Statement]:
    found: list[Statement] = []
    for cell in read_cells(data, file, notes):
        if len(found) + len(cell.tree.body) > MOST_STATEMENTS:
            raise UnreadError(f"holds more than {MOST_STATEMENTS:,} statements and was not read")
        try:
            found += list(statements(cell))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            notes.append(f"{file}: code cell {cell.number} was left out, for Python refuses it.")
    return found


def _without_parts(statement: Statement, owned: Owned) -> Statement:
    """An import of a part's name from that part defines nothing: who needs the name borrows it anyway."""
    names = owned.get(statement.module.rpartition(".")[2], frozenset())
    return replace(statement, makes=statement.makes - names) if names else statement


def _alike(names: Iterable[str], made: Iterable[str]) -> frozenset[str]:
    """Names that differ from the asked ones only by case or underscores, so that a message can say what was found."""
    asked = {name.replace("_", "").casefold() for name in names}
    return frozenset(name for name in made if name.replace("_", "").casefold() in asked)


def needed(found: Sequence[Statement], wanted: Iterable[str], elsewhere: Mapping[str, str]) -> tuple[set[int], set[str]]:
    """Indices of the statements that the wanted names need, and the names to borrow from other parts.

    What a statement needs while it runs is what its name meant there; what a function needs when called is what the name meant at the end.
    """
    by_name: dict[str, list[int]] = {}
    for index, statement in enumerate(found):
        for name in statement.makes | statement.changes:
            by_name.setdefault(name, []).append(index)
    chosen, borrowed, unknown = set[int](), set[str](), False
    waiting, seen = [(name, len(found)) for name in sorted(wanted)], set[tuple[str, int]]()
    while waiting:
        name, before = waiting.pop()
        if name in elsewhere:
            borrowed.add(name)
        elif (name, before) not in seen:
            seen.add((name, before))
            indices = by_name.get(name, [])
            unknown |= not indices and not hasattr(builtins, name)
            for index in _meaning(found, name, indices[: bisect_left(indices, before)] or indices):
                if index not in chosen:
                    chosen.add(index)
                    waiting += [(needs, index) for needs in found[index].now] + [(needs, len(found)) for needs in found[index].later]
    chosen |= {index for index, statement in enumerate(found) if statement.sort is Sort.FUTURE or (unknown and statement.sort is Sort.STAR)}
    return chosen, borrowed


def _meaning(found: Sequence[Statement], name: str, touching: Sequence[int]) -> list[int]:
    """Of the statements that touch a name, those that give it its meaning at the end: the last definition or all imports since, and later changes."""
    chosen: list[int] = []
    made, other = False, None
    for index in reversed(touching):
        statement = found[index]
        if name in statement.changes:
            chosen.append(index)
        elif statement.sort is Sort.IMPORT:
            chosen.append(index)
            made = True
        elif statement.sort is Sort.DEFINITION:
            return chosen if made else [*chosen, index]
        elif other is None:
            other = index  # a loop or a block that sets it: better than nothing
    return chosen if made or other is None else [*chosen, other]


def _text(found: Sequence[Statement], chosen: Iterable[int], borrowed: Mapping[str, str]) -> str:
    picked: dict[str | int, Statement] = {}
    for index in sorted(chosen):
        picked.setdefault(found[index].text if found[index].sort is Sort.IMPORT else index, found[index])
    lines = [statement.text for statement in picked.values() if statement.sort is Sort.FUTURE]
    lines += [f"from exercises.{part} import {name}" for name, part in sorted(borrowed.items())]
    cell = 0
    for statement in picked.values():
        if statement.sort is not Sort.FUTURE:
            lines += ["", f"# code cell {statement.cell}"] if statement.cell != cell else []
            lines.append(statement.text)
            cell = statement.cell
    return "\n".join(lines).lstrip("\n") + "\n"
