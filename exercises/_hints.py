"""Which known mistake does a part behave like? Nothing to fill in here. Standard library and torch only.

A release holds hints.json, a book of numbers: what each known mistake gives in the tries of _visible.py, as far as it is wrong there, and
a hint. A part whose visible tests fail is put through the same tries, and where all the wrong numbers of one mistake come out, its hint is
told. No right number is in the book, so it cannot say that a part is right. Where there is no book, nothing is said.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import math
import types
import warnings
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
BOOK, COUNT = "hints.json", ".tries.json"
RTOL, ATOL = 1e-3, 1e-4  # the solution is ten times as far from every number in the book
SEEDS = (0, 5066, 1480)  # the first random number of the second is near 0, of the third near 1
CHANCE = ("", [])
MOST = 2  # hints that fit equally well; more would only confuse


def hint(part, namespace=None):
    """What a part whose visible tests fail behaves like, in one line; empty where no book is here or nothing in it fits.

    `namespace` holds what the part defines; if none is given it is imported.
    """
    book = read(BOOK)
    known = book.get("parts", {}).get(part, [])
    if not known:
        return ""
    seen = tried(part, namespace or vars(importlib.import_module(f"{HERE.name}.{part}")))
    left = book["after"] - count(part, seen) if book["after"] else 0
    hints = fitting(known, seen)
    if hints and left > 0:
        return f"A hint about your work on {part} comes after {left} more {'tries' if left > 1 else 'try'}."
    first = f"Your work on {part} behaves like {'a known mistake' if len(hints) == 1 else 'one of two known mistakes'}"
    return f"{first}: {' Or: '.join(hints)}" if hints else ""


def tried(part, namespace):
    """What comes out of each try, by name: for each tensor its shape and its numbers, for a try that fails the error's name and none.

    Everything is tried several times, each after another seed: what is not the same then is up to chance, and like nothing in the book.
    """
    parts = types.SimpleNamespace(**{part: types.SimpleNamespace(**namespace)})
    with torch.random.fork_rng(devices=[]), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, *others = [run(part, parts, seed) for seed in SEEDS]
    return {name: one if all(alike(one, other.get(name)) for other in others) else CHANCE for name, one in first.items()}


def alike(one, other):
    """Whether two runs gave the same word and numbers."""
    return other is not None and one[0] == other[0] and fit(one[1], *other)


def run(part, parts, seed):
    """All tries of a part, once."""
    torch.manual_seed(seed)
    tries = importlib.import_module(f"{HERE.name}._visible")
    seen = {}
    for name in [name for name in vars(tries) if name.startswith(f"{part}_")]:
        try:
            seen |= {f"{name}.{key}": plain(value) for key, value in getattr(tries, name)(parts, None).items()}
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the part raises is what it does
            seen[name] = (type(error).__name__, [])
    return seen


def plain(tensor):
    """The shape as a word, and the numbers in one row."""
    if tensor is None:
        return "None", []
    if not isinstance(tensor, torch.Tensor):
        raise TypeError
    return " ".join(map(str, tensor.shape)), tensor.detach().double().flatten().tolist()


def fitting(known, seen):
    """The hints of the entry that fits with the most numbers; none where entries with too many different hints fit."""
    fits = [(size(entry), entry["hints"]) for entry in known if all(fit(one, *seen.get(name, CHANCE)) for name, one in entry["seen"].items())]
    most = max((one for one, _ in fits), default=0)
    hints = list(dict.fromkeys(text for one, texts in fits if one == most for text in texts))
    return hints if len(hints) <= MOST else []


def size(entry):
    """How many numbers speak for an entry."""
    return sum(sum(one is not None for one in wanted) if isinstance(wanted, list) else 1 for wanted in entry["seen"].values())


def fit(wanted, word, numbers):
    """True where what came out has the word, or every number, that an entry of the book names. A gap in it stands for a right number."""
    if isinstance(wanted, str):
        return wanted == word
    return len(wanted) == len(numbers) and all(one is None or near(float(one), other) for one, other in zip(wanted, numbers, strict=True))


def near(wanted, seen):
    """True for the same number but for rounding; nan and infinity are like their own kind."""
    return wanted == seen or abs(wanted - seen) <= ATOL + RTOL * abs(wanted) or (math.isnan(wanted) and math.isnan(seen))


def count(part, seen):
    """How many tries of a part have failed so far. One that gives the same as the one before is no new try."""
    tries = read(COUNT)
    number, before = tries.get(part, (0, ""))
    digest = hashlib.sha256(repr(seen).encode()).hexdigest()
    if digest != before:
        number += 1
        with contextlib.suppress(OSError):
            (HERE / COUNT).write_text(json.dumps({**tries, part: (number, digest)}), encoding="utf-8")
    return number


def read(name):
    """A file of JSON beside this one; empty where it is not there or broken."""
    try:
        found = json.loads((HERE / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
