"""What the checks of a part miss: each survivor with its lines and its verdict, then the score beside that of other styles of test."""

from __future__ import annotations

from rich.text import Text

from graders.engine.audit import Audit
from graders.faces.text import clean

COLOURS = {"equivalent": "dim", "seldom": "yellow", "hole": "red"}


def render(found: Audit) -> Text:
    """Survivors, the worst first, then one line for each style of test."""
    text = Text(f"{found.part}\n", "bold")
    for survivor in sorted(found.survivors, key=lambda one: list(COLOURS).index(one.verdict), reverse=True):
        text.append(f"  {survivor.verdict}", f"not bold {COLOURS[survivor.verdict]}")
        text.append(f" ({' and '.join(survivor.operators)}): {clean(survivor.reason)}\n", "not bold default")
        for line in survivor.diff.splitlines():
            text.append(f"    {clean(line[0] + ' ' + line[1:])}\n", "not bold dim")
    equivalent = found.tried - found.different
    text.append(f"  {found.tried} mutants, {equivalent} of them shown equivalent; of the others these are caught:\n", "not bold default")
    for name, number in {"all checks": found.caught, **found.others}.items():
        text.append(f"    {100 * number / max(found.different, 1):6.1f} %  {name} ({number} of {found.different})\n", "not bold default")
    return text
