"""What the command line of the residual lesson may ask for. In: its words. Out: wishes that can be fulfilled, or one sentence that says why not."""

import argparse
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from lessons.digits import Recipe
from lessons.runner import refuse

PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Wishes:
    """What the command line asked for."""

    folder: str
    recipe: Recipe
    plot: Path | None


def read(title, words):
    """The wishes. Raises ValueError with one sentence for a value that cannot be used."""
    said = f"{title} The lesson's numbers and its experiment, from your own classes."
    parser = argparse.ArgumentParser(prog="python -m lessons.residual", description=said)
    parser.add_argument("--from", dest="folder", default="exercises", metavar="FOLDER", help="exercises (as it is without this) or solutions")
    parser.add_argument("--layers", default="20", metavar="N", help="blocks in a stack (20)")
    parser.add_argument("--epochs", default="3", metavar="N", help="times to go through the images (3)")
    parser.add_argument("--seed", default="0", metavar="N", help="where the random numbers start (0)")
    parser.add_argument("--init", default="torch", metavar="HOW", help="torch, or gpt2 for branches that start small")
    parser.add_argument("--plot", metavar="FILE", help="draw the three stacks into a .png, .svg or .pdf")
    given = parser.parse_args(words)
    refusal = refuse(given.folder)
    if refusal:
        raise ValueError(refusal)
    return Wishes(given.folder, recipe(given.layers, given.epochs, given.seed, given.init, "--"), picture_file(given.plot))


def recipe(layers, epochs, seed, init, dashes=""):
    """How to train, from what somebody wrote. Raises ValueError with one sentence; `dashes` stand before a name where it is an option."""
    if init not in ("torch", "gpt2"):
        raise ValueError(f"{dashes}init takes torch or gpt2, not {init!r}.")
    wanted = (("layers", layers, 1, 200), ("epochs", epochs, 1, 100), ("seed", seed, 0, 2**32 - 1))
    return Recipe(*(whole(f"{dashes}{name}", str(text), low, high) for name, text, low, high in wanted), init)


def whole(option, text, low, high):
    """A whole number between two limits. Raises ValueError."""
    try:
        number = int(text)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise ValueError(f"{option} takes a whole number from {low} to {high}, not {text!r}.")
    return number


def picture_file(text):
    """The file to draw into, or None. Raises ValueError where that cannot work, before any time is spent."""
    if text is None:
        return None
    file = Path(text)
    if file.suffix.lower() not in PICTURES:
        raise ValueError(f"--plot takes a file that ends with {', '.join(PICTURES[:-1])} or {PICTURES[-1]}, not {text!r}.")
    if not file.parent.is_dir():
        raise ValueError(f"--plot cannot write {text!r}: there is no folder {str(file.parent)!r}.")
    if file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
        raise ValueError(f"--plot may not write {text!r}; name another file.")
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError("--plot needs matplotlib, which is not installed here: pip install matplotlib")
    return file
