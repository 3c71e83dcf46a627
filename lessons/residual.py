"""Residual connections in numbers: `python -m lessons.residual`. The text that goes with it is residual.md; the sections are the same."""

import importlib.util
import io
import math
import sys
from functools import partial

import torch
from torch import nn

from lessons import digits
from lessons.runner import Section, run
from lessons.wishes import read

TITLE = "Residual connections: a clear path for the gradient."
LACKING = "Section 6, the experiment, needs scikit-learn, which is not installed here: pip install scikit-learn"
ONE_THREE = torch.tensor([1.0, 3.0])


def factors(parts):
    """Section 1: what many factors in a row make of a gradient."""
    yield "a layer's factor", "0.05"
    yield "20 plain layers", f"{0.05**20:.1e}"
    yield "20 residual blocks", f"{1.05**20:.2f}"
    yield "3 plain layers with 0.1", f"{0.1**3:.3f}"
    yield "3 residual blocks with 0.1", f"{1.1**3:.3f}"


def blocks(parts):
    """Section 2: both blocks with a layer that halves, then twenty of each with a factor of 0.05."""
    plain, residual = parts.residual.PlainBlock, parts.residual.ResidualBlock
    for x in (ONE_THREE, torch.tensor([-1.0, 3.0])):
        yield f"PlainBlock of {show(x)}", show(scaled(plain(2), 0.5)(x))
        yield f"ResidualBlock of {show(x)}", show(scaled(residual(2), 0.5)(x))
    yield "ResidualBlock with a silent branch", show(scaled(residual(2), 0.0)(ONE_THREE))
    yield "gradient through 20 PlainBlocks", f"{slope(scaled(plain(2), 0.05)):.1e}"
    yield "gradient through 20 ResidualBlocks", f"{slope(scaled(residual(2), 0.05)):.2f}"


def keeping_check(parts):
    """Section 3: a branch that halves, twenty times, without a norm and with pre-norm."""
    norm = parts.residual.ResidualBlock(2, prenorm=True).norm
    yield "without a norm, after 1 block", show(repeated(lambda x: x / 2, ONE_THREE, 1))
    yield "without a norm, after 20 blocks", show(repeated(lambda x: x / 2, ONE_THREE, 20), 1)
    yield "1.5 to the power of 20", f"{1.5**20:,.0f}"
    yield "what your norm makes of [1, 3]", show(norm(ONE_THREE), 1)
    yield "with pre-norm, after 1 block", show(repeated(lambda x: norm(x) / 2, ONE_THREE, 1), 1)
    yield "with pre-norm, after 20 blocks", show(repeated(lambda x: norm(x) / 2, ONE_THREE, 20), 1)


def starting_small(parts):
    """Section 4: GPT-2's rule, by hand and then by the student's function."""
    for count in (16, 48):
        yield f"1/√N for N = {count}", f"{1 / math.sqrt(count):.3f}"
    branches = [nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 1)) for _ in range(16)]
    for value in (value for branch in branches for value in branch.parameters()):
        nn.init.ones_(value)
    parts.residual.rescale_branches(branches)
    first, _, last = branches[3]
    yield "last weight of 1, rescaled for 16", f"{last.weight.item():.3f}"
    yield "bias of 1 beside it", f"{last.bias.item():.3f}"
    yield "earlier weight of 1", f"{first.weight.item():.3f}"


def stream(parts):
    """Section 5: two updates on the residual stream, followed by the student's function."""
    x, update = torch.ones(2), torch.tensor([0.5, -0.5])
    after, writes = parts.residual.residual_stream([lambda x: x + update] * 2, x)
    yield "the stream starts as", show(x, 1)
    for number, (state, write) in enumerate(zip(after, writes, strict=True), 1):
        yield f"block {number} writes", show(write, 1)
        yield f"the stream after block {number}", show(state, 1)
    yield "start plus all writes", show(x + writes.sum(dim=0), 1)


def three_ways(parts, recipe, plot):
    """Section 6: train the three stacks, draw them if asked to, and end with a line for each."""
    data = digits.load()
    yield "images", f"{len(data.images)} to learn from, {len(data.unseen_images)} unseen"
    yield "layers, epochs, seed, start", f"{recipe.layers}, {recipe.epochs}, {recipe.seed}, {recipe.init}"
    yield "loss of a guess, ln 10", f"{digits.GUESSING:.3f}"
    arms = [digits.train(parts.residual, name, data, recipe) for name in digits.ARMS]
    if plot:
        from lessons import pictures

        pictures.draw(arms, f"{digits.count(recipe.layers)} layers, three ways").savefig(plot, dpi=100)
        yield "picture", str(plot)
    yield from ((arm.name, digits.verdict(arm)) for arm in arms)


def scaled(block, factor):
    """The block with `factor` times the identity in its layer, and no bias."""
    with torch.no_grad():
        block.lin.weight.copy_(factor * torch.eye(len(block.lin.weight)))
        block.lin.bias.zero_()
    return block


def slope(block):
    """The gradient of the output by the input, twenty times through a block, at 1."""
    x = y = torch.ones(2, requires_grad=True)
    for _ in range(20):
        y = block(y)
    return torch.autograd.grad(y.sum(), x)[0][0].item()


def repeated(branch, x, times):
    """What is left of x after x + branch(x), so many times in a row."""
    for _ in range(times):
        x = x + branch(x)
    return x


def show(x, places=None):
    """`[1, 3]`, or with so many places."""
    return f"[{', '.join(f'{value:g}' if places is None else f'{value:.{places}f}' for value in (x.detach() + 0.0).tolist())}]"


def main(words=None):
    """Run the lesson with the words of the command line. Returns the exit code, as lessons.runner does."""
    try:
        wishes = read(TITLE, words)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    torch.set_num_threads(1)  # layers this small are slower on several threads, and one thread always adds in the same order
    print(f"{TITLE}\nwith the classes in {wishes.folder}/")
    if importlib.util.find_spec("sklearn") is None:
        return run(SECTIONS, wishes.folder, LACKING) or 2
    rows = partial(three_ways, recipe=wishes.recipe, plot=wishes.plot)
    return run((*SECTIONS, Section(f"{digits.count(wishes.recipe.layers)} layers, three ways", rows, "residual")), wishes.folder, "")


SECTIONS = (
    Section("The factor of a block", factors),
    Section("Two blocks", blocks, "residual"),
    Section("Keeping the sum in check", keeping_check, "residual"),
    Section("Starting the branches small", starting_small, "residual"),
    Section("The residual stream", stream, "residual"),
)

if __name__ == "__main__":
    sys.exit(main())
