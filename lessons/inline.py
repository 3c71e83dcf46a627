"""The residual lesson in a notebook: its numbers, its experiment and its picture, from the classes in the cells above.

In: the notebook's own names, `globals()`. Out: printed lines, and a picture that any front end shows.
What is not there yet, a class or a library, is told in one sentence, and the notebook runs on.
"""

import importlib.util
import io
import traceback
from contextlib import contextmanager
from types import SimpleNamespace

import torch

from lessons import digits
from lessons.residual import SECTIONS
from lessons.wishes import recipe

NAMES = ("PlainBlock", "ResidualBlock", "rescale_branches", "residual_stream")
LACKING = "This needs {name}, which is not installed here. Run  %pip install {name}  in a cell of its own, and then this cell again."


class Missing(Exception):  # noqa: N818 - not an error of anybody: something is not there yet
    """Carries the sentence that the cell shows."""


class Picture:
    """A picture as the value of a cell: shown by any front end, and told in words where there is none."""

    def __init__(self, png, words):
        self.png, self.words = png, words

    def _repr_png_(self):
        return self.png

    def __repr__(self):
        return self.words


def numbers(namespace):
    """Print the numbers of the sections before the experiment."""
    with told():
        parts = SimpleNamespace(residual=written(namespace))
        for number, section in enumerate(SECTIONS, 1):
            print(f"{number}. {section.title}")
            for label, value in section.rows(parts):
                print(f"   {label:<36}{value}")


def train(namespace, **wishes):
    """Train the three stacks: `layers`, `epochs`, `seed`, and `init`, which is "torch" or "gpt2". Prints a line for each; a list of what happened."""
    arms = []
    with told(), one_thread():
        part, how, data = written(namespace), checked(wishes), loaded()
        for name in digits.ARMS:
            arm = digits.train(part, name, data, how)
            print(f"{name:<20}{digits.verdict(arm)}", flush=True)
            arms.append(arm)
    return arms


def picture(arms):
    """The losses of the stacks, and by depth the gradient and the size of the stream before the first step."""
    with told():
        if not arms:
            raise Missing("There is nothing to draw yet: run the cell that trains first.")
        demand("matplotlib")
        from lessons import pictures

        file, layers = io.BytesIO(), len(arms[0].sizes) - 1
        pictures.draw(arms, f"{digits.count(layers)} layers, three ways").savefig(file, format="png", dpi=100)
        return Picture(file.getvalue(), "\n".join(f"{arm.name}: {digits.verdict(arm)}" for arm in arms))


def written(namespace):
    """The student's classes and functions. Raises Missing where one is not there."""
    for name in NAMES:
        if name not in namespace:
            raise Missing(f"{name} is not there yet: run the cells of the exercise first.")
    return SimpleNamespace(**{name: namespace[name] for name in NAMES})


def checked(wishes):
    """How to train. Raises Missing for a value that cannot be used."""
    try:
        return recipe(**wishes)
    except ValueError as error:
        raise Missing(str(error)) from None


def loaded():
    """The images. Raises Missing where scikit-learn is missing."""
    demand("scikit-learn", "sklearn")
    return digits.load()


def demand(name, module=""):
    """Raise Missing where a library is not installed."""
    if importlib.util.find_spec(module or name) is None:
        raise Missing(LACKING.format(name=name))


@contextmanager
def told():
    """Print what is not there yet as a sentence, in place of an error."""
    try:
        yield
    except NotImplementedError as error:
        last = list(traceback.walk_tb(error.__traceback__))[-1][0]
        print(f"Write {last.f_code.co_qualname} in its cell first, run that cell, and then this one again.")
    except Missing as error:
        print(error)


@contextmanager
def one_thread():
    """As the lesson's own run: layers this small are slower on several threads, and one thread always adds in the same order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
