"""Graders of the exercise kit. The public names are loaded on first use, so that the worker never loads the engine."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "read_kit": "graders.engine.kit",
    "read_submission": "graders.engine.submission",
    "grade": "graders.engine.grade",
    "AnswerKey": "graders.engine.key",
    "Observer": "graders.engine.observer",
    "Report": "graders.model",
    "KitError": "graders.model",
    "SubmissionError": "graders.model",
}
__all__ = ["AnswerKey", "KitError", "Observer", "Report", "SubmissionError", "__version__", "grade", "read_kit", "read_submission"]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'graders' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)
