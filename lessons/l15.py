"""Lesson 15 in numbers: `python -m lessons.l15`. The text that goes with it is l15.md; the sections are the same."""

import sys

import torch

from lessons.runner import Section, main
from tiny_lm.model import ModelConfig

THREE_FOUR = torch.tensor([3.0, 4.0])


def zero_branch(parts):
    """Section 1: what is left of x when a branch has nothing to say."""
    x, branch = THREE_FOUR, torch.zeros(2)
    yield "x", show(x)
    yield "F(x) = 0", show(branch)
    yield "next layer, without a direct path", show(branch)
    yield "next layer, with y = x + F(x)", show(x + branch)
    yield "[1, 3, 64] + [1, 3, 128]", "can be added" if can_add((1, 3, 64), (1, 3, 128)) else "cannot be added"


def doubling_branch(parts):
    """Section 2: the branch adds to what came in."""
    x = THREE_FOUR
    yield "x", show(x)
    yield "F(x) = 2x", show(2 * x)
    yield "y = x + F(x)", show(x + 2 * x)


def gradient(parts):
    """Section 3: dy/dx = 1 + F'(x), by autograd."""
    yield "dy/dx for F(x) = 2x", f"{slope(lambda x: 2 * x):g}"
    yield "dy/dx for F(x) = -x", f"{slope(lambda x: -x):g}"


def scale(parts):
    """Section 4: a projection grows with its input, a softmax does not grow along."""
    x, projection = THREE_FOUR, torch.tensor([[1.0, 1.0], [1.0, -1.0]])
    yield "[9, 12] / [3, 4]", show((x + 2 * x) / x)
    for vector in (x, 10 * x):
        yield f"projection of {show(vector)}", show(projection @ vector)
    for vector in (x, 10 * x):
        yield f"softmax of {show(vector)}", show(torch.softmax(vector, dim=-1))


def rms(parts):
    """Section 5: the root mean square, by hand and then by the student's class."""
    x = THREE_FOUR
    size = x.square().mean().sqrt()
    yield "mean of [3, -3]", f"{torch.tensor([3.0, -3.0]).mean():g}"
    yield "squares of [3, 4]", show(x.square())
    yield "their mean", f"{x.square().mean():g}"
    yield "RMS", f"{size:.6f}"
    yield "[3, 4] / RMS", show(x / size)
    yield "RMS of that", f"{(x / size).square().mean().sqrt():.6f}"
    norm = parts.rmsnorm.RMSNorm(2)
    for vector in (x, 10 * x, 0 * x):
        yield f"RMSNorm of {show(vector)}", show(norm(vector).detach())
    for width in (2, 64):
        yield f"trainable numbers at width {width}", str(count(parts.rmsnorm.RMSNorm(width)))


def attention(parts):
    """Section 6: change the third of four positions and see which outputs move."""
    torch.manual_seed(42)
    module = parts.attention.CausalSelfAttention(64, 2)
    x = torch.randn(1, 4, 64)
    changed = x.clone()
    changed[:, 2] += 5
    before, after = module(x).detach(), module(changed).detach()
    yield "input and output", f"{shape(x)} -> {shape(before)}"
    yield "trainable numbers", str(count(module))
    for position, moved in enumerate((after - before).abs().amax(dim=(0, 2)).tolist(), 1):
        yield f"output {position} moves by at most", f"{moved:.6f}  {'changes' if moved > 1e-5 else 'stays'}"


def block(parts):
    """Section 7: the whole block keeps the shape and lets a gradient through."""
    torch.manual_seed(42)
    module = parts.block.TransformerBlock(ModelConfig())
    x = torch.randn(1, 3, 64, requires_grad=True)
    y = module(x)
    y.square().mean().backward()
    yield "input and output", f"{shape(x)} -> {shape(y)}"
    yield "gradient of the input", shape(x.grad)
    yield "every entry of it is finite", "yes" if x.grad.isfinite().all() else "no"


def slope(branch):
    """dy/dx of y = x + F(x) at x = 3."""
    x = torch.tensor(3.0, requires_grad=True)
    (x + branch(x)).backward()
    return x.grad.item()


def can_add(one, other):
    """Whether two shapes can be added."""
    try:
        torch.broadcast_shapes(one, other)
    except RuntimeError:
        return False
    return True


def count(module):
    """How many numbers a module trains."""
    return sum(parameter.numel() for parameter in module.parameters())


def shape(x):
    """`[1, 3, 64]`."""
    return str(list(x.shape))


def show(x):
    """`[3, 4]`, or with six places where the entries are not whole."""
    whole = x.eq(x.round()).all()
    return f"[{', '.join(f'{value:g}' if whole else f'{value:.6f}' for value in x.tolist())}]"


SECTIONS = (
    Section("A branch that returns zero", zero_branch),
    Section("A branch that doubles", doubling_branch),
    Section("The gradient", gradient),
    Section("Scale", scale),
    Section("Root mean square", rms, "rmsnorm"),
    Section("Causal self-attention", attention, "attention"),
    Section("The pre-norm block", block, "block"),
)
ENDING = "The lesson is whole. The check questions wait in exercises/answers.py."

if __name__ == "__main__":
    sys.exit(main("Lesson 15: why keep a direct path?", SECTIONS, ENDING))
