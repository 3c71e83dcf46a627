"""A student's module as good as new: building one costs more than calling it, so one is built again only where use left something behind.

In: a name and how to build it. Out: the module that was built before, with the numbers it began with, if all that it holds is what it held
then; else a new one. A probe is done with one before it asks for another of the same name. What cannot be told counts as left behind.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from operator import is_
from typing import Any

import torch
from torch import nn

DEEP = 6  # modules in modules, lists in lists
LONG = 64  # entries of a list or a dict
FIXED = frozenset((int, float, str, bool, bytes, type(None), type, torch.dtype, torch.device, torch.Size))  # nothing can be left in one of these
ROWS = frozenset((list, tuple, set))
HOLDERS = ROWS | {dict, OrderedDict}


@dataclass(frozen=True)
class Holding:
    """All that a module holds, one after the other, and the state of what can change while it stays the same thing."""

    things: list[Any] = field(default_factory=list)
    states: list[Hashable] = field(default_factory=list)

    def is_still(self, other: Holding) -> bool:
        """True where both are the same things in the same state: the things themselves, not their likes."""
        return len(self.things) == len(other.things) and all(map(is_, self.things, other.things)) and self.states == other.states


@dataclass(frozen=True)
class Spare:
    """A module, what it held when it was new, and its parameters with the numbers they began with."""

    module: nn.Module
    holding: Holding
    parameters: list[torch.Tensor]
    numbers: list[torch.Tensor]


def as_new(parts: Any, name: Hashable, build: Callable[[], Any]) -> Any:
    """What `build()` gives, or the last module that it gave under this name, where that is still as it was. Raises what `build` raises."""
    spares: dict[Hashable, Spare] = parts.once(_spares)
    spare = spares.pop(name, None)
    if spare is None or not ((now := holding(spare.module)) and spare.holding.is_still(now)):
        module = build()
        first = holding(module)
        if first is None:
            return module
        parameters: list[torch.Tensor] = list(module.parameters())
        spare = Spare(module, first, parameters, [parameter.detach().clone() for parameter in parameters])
    elif spare.parameters:
        with torch.no_grad():
            torch._foreach_copy_(spare.parameters, spare.numbers)  # one call where put() would take one for each
    spares[name] = spare
    return spare.module


def _spares(parts: Any, draw: Any) -> dict[Hashable, Spare]:
    """Where modules wait between probes: the one thing of this kind that is written into."""
    return {}


def holding(module: Any) -> Holding | None:
    """What a module holds, the numbers in its parameters aside. None where it holds something that cannot be looked into."""
    found = Holding()
    return found if isinstance(module, nn.Module) and _look((module,), found, DEEP) else None


def _look(values: Iterable[Any], found: Holding, deep: int) -> bool:
    """Add the values and all that they hold. False where one of them cannot be looked into."""
    values = list(values)
    found.things.extend(values)
    for value in values:
        kind = type(value)
        if kind in FIXED or (kind in HOLDERS and not value):
            continue
        if kind is nn.Parameter and value.is_contiguous():
            found.states.append((value.dtype, value.requires_grad, value.shape))
        elif kind is torch.Tensor:
            found.states.append(value._version)
        elif not deep or not (held := _held(value, kind)) or not all(_look(some, found, deep - 1) for some in held):
            return False
    return True


def _held(value: Any, kind: type) -> tuple[Iterable[Any], ...]:
    """What a module or a container holds; nothing for anything else."""
    if isinstance(value, nn.Module):
        is_torchs = kind.__module__.startswith("torch.nn.modules.")  # which leave their traces in tensors alone
        kept = (value._parameters, value._buffers, value._modules) if is_torchs else (vars(value),)
        return ((value.training,), *(some.values() for some in kept))
    if kind.__module__ == "tiny_lm.model":
        return (vars(value).values(),)
    if kind in HOLDERS and len(value) <= LONG:
        return (value,) if kind in ROWS else (value, value.values())
    return ()
