"""Three ways to stack twenty layers, tried on handwritten digits.

In: a student's blocks, and how many layers, epochs and which seed. Out: what happened, as plain numbers.
The images come with scikit-learn: `pip install scikit-learn`. Section 6 of residual.md says what to look for.
"""

import math
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.nn import functional as F

from lessons.progress import bar

WIDTH, CLASSES, BATCH, RATE = 32, 10, 64, 0.05
GUESSING = math.log(CLASSES)  # the loss of giving every digit the same chance
ARMS = {"plain": "relu(lin(x))", "residual": "x + relu(lin(x))", "residual, pre-norm": "x + relu(lin(norm(x)))"}


@dataclass(frozen=True)
class Digits:
    """Images as rows of 64 numbers from 0 to 1, and the digits they show: 4 of 5 to learn from, the rest to be tried on."""

    images: torch.Tensor
    labels: torch.Tensor
    unseen_images: torch.Tensor
    unseen_labels: torch.Tensor


@dataclass(frozen=True)
class Recipe:
    """How to train. `init` is torch (as torch starts) or gpt2 (branches start small)."""

    layers: int = 20
    epochs: int = 3
    seed: int = 0
    init: str = "torch"


@dataclass
class Arm:
    """What happened to one stack. Sizes and gradients are from before the first step; entry k belongs to the stream after k blocks."""

    name: str
    sizes: list[float]
    gradients: list[float]
    losses: list[float] = field(default_factory=list)
    loss: float = math.nan
    right: float = math.nan

    @property
    def broken_at(self):
        """The first step, counted from 1, whose loss is not a finite number; 0 where there is none."""
        return next((step for step, loss in enumerate(self.losses, 1) if not math.isfinite(loss)), 0)


class Stack(nn.Module):
    """64 -> 32, some blocks of width 32, 32 -> 10: [B, 64] in, [B, 10] out."""

    def __init__(self, make_block, layers):
        """`make_block()` gives one block."""
        super().__init__()
        self.into = nn.Linear(64, WIDTH)
        self.blocks = nn.ModuleList(make_block() for _ in range(layers))
        self.out = nn.Linear(WIDTH, CLASSES)

    def forward(self, images):
        """One score for each digit."""
        x = self.into(images)  # [B, 32]
        for block in self.blocks:
            x = block(x)
        return self.out(x)  # [B, 10]


def count(layers):
    """`Twenty`, or the digits of another number."""
    return "Twenty" if layers == 20 else str(layers)


def load():
    """The digits of scikit-learn, split 80 : 20."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    images, labels = load_digits(return_X_y=True)
    images, unseen_images, labels, unseen_labels = train_test_split(images / 16, labels, test_size=0.2, random_state=0)
    floats = [torch.tensor(array, dtype=torch.float32) for array in (images, unseen_images)]
    return Digits(floats[0], torch.tensor(labels), floats[1], torch.tensor(unseen_labels))


def build(part, name, recipe):
    """One of the three stacks from the classes in a student's residual.py. The same seed gives all three the same numbers to start with."""
    makers = {
        "plain": lambda: part.PlainBlock(WIDTH),
        "residual": lambda: part.ResidualBlock(WIDTH),
        "residual, pre-norm": lambda: part.ResidualBlock(WIDTH, prenorm=True),
    }
    torch.manual_seed(recipe.seed)
    stack = Stack(makers[name], recipe.layers)
    if recipe.init == "gpt2" and name != "plain":  # without a direct path there is no branch to start small
        part.rescale_branches(list(stack.blocks))
    return stack


def train(part, name, digits, recipe):
    """Build one stack, look at it before the first step, train it, and try it on the images it has not seen."""
    stack = build(part, name, recipe)
    arm = Arm(name, *by_depth(part, stack, digits.images[:BATCH], digits.labels[:BATCH]))
    optimizer = torch.optim.SGD(stack.parameters(), lr=RATE)
    batches = [batch for _ in range(recipe.epochs) for batch in torch.randperm(len(digits.images)).split(BATCH)]
    with bar(name, len(batches)) as step:
        for batch in batches:
            optimizer.zero_grad()
            loss = F.cross_entropy(stack(digits.images[batch]), digits.labels[batch])
            loss.backward()
            optimizer.step()
            arm.losses.append(loss.item())
            step(f"loss {loss.item():.3f}")
    with torch.no_grad():
        scores = stack(digits.unseen_images)
        arm.loss = F.cross_entropy(scores, digits.unseen_labels).item()
        arm.right = (scores.argmax(dim=-1) == digits.unseen_labels).float().mean().item()
    return arm


def by_depth(part, stack, images, labels):
    """Root mean square of the stream, and the length of the loss's gradient by it, before the first block and after each: two lists."""
    x = stack.into(images).detach()
    after, _ = part.residual_stream(list(stack.blocks), x)
    stream = torch.cat([x[None], after.detach()]).double()  # [N + 1, B, 32], in numbers whose squares have room
    states = [x.requires_grad_()]
    for block in stack.blocks:
        states.append(block(states[-1]))
    loss = F.cross_entropy(stack.out(states[-1]), labels)
    return stream.square().mean(dim=(1, 2)).sqrt().tolist(), [gradient.double().norm().item() for gradient in torch.autograd.grad(loss, states)]


def verdict(arm):
    """What became of a stack, in a line."""
    if arm.broken_at:
        return f"loss {arm.losses[-1]:.3f} from step {arm.broken_at} of {len(arm.losses)} on: it blew up, and no number is left"
    said = f"loss {arm.loss:.3f}, {arm.right:.1%} of unseen digits right"
    if arm.loss > GUESSING + 0.1:
        return f"{said}: worse than a guess"
    return f"{said}: {'it learns' if arm.right > 2 / CLASSES else 'it stays near ln 10, a guess'}"
