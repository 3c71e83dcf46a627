"""What probe writers share about stacks of residual blocks: a block of the probes' own, and a look at a stack before and after rescaling.

In: modules, and a student's function that changes them. Out: plain tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from graders.probes.shared import Draw, gradients, put


class Bent(nn.Module):
    """A residual block of the probes' own: x + sin(x W)."""

    def __init__(self, weight: torch.Tensor) -> None:
        """Keep a matrix that is not trained: [D, D]."""
        super().__init__()
        self.weight = weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[..., D] in, [..., D] out; a new tensor."""
        return x + torch.sin(x @ self.weight)


def together(steps: Any) -> Any:
    """One tensor of a list of tensors, which is as good an answer."""
    return torch.stack(tuple(steps)) if type(steps) in (list, tuple) else steps


def rescaled(rescale: Callable[..., object], draw: Draw, stack: Sequence[nn.Module], last: Sequence[torch.Tensor]) -> dict[str, torch.Tensor]:
    """Fill a stack with numbers and rescale it. `last` are the weights that should change.

    Results are [2, K, 1]: `last` and `others` before and after; `held`, the parameters beside those that somebody held and has changed since.
    """
    held = parameters(stack)
    filling = 1 + draw(sum(value.numel() for value in held)).abs()
    is_last = torch.cat([torch.full((value.numel(),), any(value is weight for weight in last)) for value in held])
    with torch.no_grad():
        for value, numbers in zip(held, torch.split(filling, [value.numel() for value in held]), strict=True):
            value.copy_(numbers.view_as(value))
    before = flat(held)
    rescale(stack)
    both = torch.stack([before, flat(parameters(stack))])
    with torch.no_grad():
        for value in held:
            value.add_(1)  # what an optimizer does to the parameters that it was given
    return {"last": both[:, is_last], "others": both[:, ~is_last], "held": torch.stack([flat(parameters(stack)), flat(held)])}


@contextmanager
def lent(values: Sequence[torch.Tensor]) -> Iterator[None]:
    """Put the numbers back at the end, for two blocks may share what they should not."""
    kept = [value.detach().clone() for value in values]
    yield
    for value, numbers in zip(values, kept, strict=True):
        put(value, numbers)


def reached(loss: torch.Tensor, groups: Mapping[str, Sequence[torch.Tensor]]) -> dict[str, torch.Tensor]:
    """For each group zeros, and beside them the gradients of one number by its tensors: [2, 1 + K]. Where no gradient comes, it is zero too."""
    found = gradients(loss, {f"{name} {number}": value for name, values in groups.items() for number, value in enumerate(values)})
    seen = {name: [grad for key, grad in found.items() if grad is not None and key.split()[0] == name] for name in groups}
    grads = {name: flat([torch.zeros(1), *group]).T for name, group in seen.items()}
    return {name: torch.cat([torch.zeros_like(row), row]) for name, row in grads.items()}


def parameters(stack: Iterable[nn.Module]) -> list[torch.Tensor]:
    """The parameters of all modules of a stack, in order."""
    return [value for module in stack for value in module.parameters()]


def flat(values: Iterable[torch.Tensor]) -> torch.Tensor:
    """All numbers of some tensors, each on an axis of its own: [K, 1]."""
    return torch.cat([torch.zeros(0), *(value.detach().flatten() for value in values)])[:, None]
