"""Small changes to a solution's text, for asking whether the checks notice them. Text in, texts out; nothing is run or imported.

The operators, each at every place where it applies:
    operator   + - * / ** @ and comparisons exchanged, a sign dropped
    constant   a number to 0, 1, its negative, its double, its half, one more; True to False; a text to another
    argument   dropped, or swapped with the next; a keyword dropped; a default value changed
    call       removed: f(x) to x, x.f() to x; exchanged for one of the same kind (mean, sum, amax; sqrt, rsqrt; ones, zeros; ...)
    gradient   .detach() after an expression; an expression computed under no_grad
    name       a local name, or an attribute, exchanged for another one of the file
    insert     a sign, a factor, an offset put before or behind an expression
    statement  dropped, a return of something else, or the names that it assigns swapped
Second-order mutants, two changes at once, fill up where a solution is too short to give enough.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from graders.engine.operators import Change, changes


@dataclass(frozen=True)
class Mutant:
    """A solution with one change, or two, and what they are called."""

    text: str
    operators: tuple[str, ...]


def mutants(text: str, wanted: int, seed: int = 0) -> tuple[Mutant, ...]:
    """Up to `wanted` different mutants that are Python: single changes first, drawn at random if there are more; then pairs."""
    first = list(_single(text, changes(text)))
    draw = random.Random(seed)  # noqa: S311 - which mutants are tried is no secret
    if len(first) >= wanted:
        return tuple(mutant for mutant, _ in draw.sample(first, wanted))
    found = {mutant.text: mutant for mutant, _ in first}
    every = [change for _, change in first]
    for _ in range(20 * wanted if len(every) > 1 else 0):
        one, other = sorted(draw.sample(every, 2), key=lambda change: change.start)
        made = apply(text, (one, other))
        if made is not None and made != text and _is_python(made):
            found.setdefault(made, Mutant(made, (one.operator, other.operator)))
        if len(found) >= wanted:
            break
    return tuple(found.values())


def _single(text: str, every: Iterable[Change]) -> Iterator[tuple[Mutant, Change]]:
    known = {ast.dump(ast.parse(text))}
    for change in every:
        made = apply(text, (change,))
        if made is None or not _is_python(made):
            continue
        meaning = ast.dump(ast.parse(made))
        if meaning not in known:
            known.add(meaning)
            yield Mutant(made, (change.operator,)), change


def apply(text: str, some: tuple[Change, ...]) -> str | None:
    """The text with these changes, which come in order, or None where they overlap."""
    if any(one.end > other.start for one, other in pairwise(some)):
        return None
    for change in reversed(some):
        text = text[: change.start] + change.text + text[change.end :]
    return text


def _is_python(text: str) -> bool:
    try:
        compile(text, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
