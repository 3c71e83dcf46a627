"""A changed grade in one sentence: who, which checks, and why."""

from __future__ import annotations

from graders.engine.resume import Change
from graders.faces.text import clean

LONGEST = 2000


def sentence(label: str, change: Change) -> str:
    """For example `ann gained norm.value and lost norm.zero: the submission changed (norm.py)`."""
    gained = f"gained {', '.join(change.gained)}" if change.gained else ""
    lost = f"lost {', '.join(change.lost)}" if change.lost else ""
    why = ", ".join(change.reasons) or "neither content nor submission changed"
    return clean(f"{label} {' and '.join(filter(None, (gained, lost)))}: {why}", LONGEST)
