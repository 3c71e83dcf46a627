"""What probe writers share: find a student's parameters by role, fill them with known numbers, run without side effects.

A wrong name costs the naming check only: where the names leave no doubt which parameter is meant, the other probes find it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import nn

Draw = Callable[..., torch.Tensor]


class NoSuchRoleError(LookupError):
    """No parameter or module can be matched to a role without doubt."""

    outcome = "missing"  # the worker reports it as something that is not there, not as a crash


def match(found: Mapping[str, Any], words: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """Assign one of `found` to each role: by its exact name, else by a word in its name that no other candidate shares.

    Raises NoSuchRoleError where a role has no candidate, or more than one.
    """
    roles = {role: found[role] for role in words if role in found}
    left = {name: value for name, value in found.items() if name not in roles}
    for role, hints in words.items():
        if role in roles:
            continue
        near = [name for name in left if tokens(name) & set(hints)]
        if len(near) != 1:
            raise NoSuchRoleError(f"{role} not found; found {', '.join(sorted(found)) or 'nothing like it'}"[:200])
        roles[role] = left.pop(near[0])
    return roles


def tokens(name: str) -> set[str]:
    """Words of a name: `W_q`, `query_proj`, `toKey` and `ln1` give q, query, key, ln, 1."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()
    return set(re.findall(r"[a-z]+|\d+", spaced))


def put(target: torch.Tensor, numbers: torch.Tensor) -> None:
    """Write numbers into a parameter or buffer in place, in its own type."""
    with torch.no_grad():
        target.copy_(numbers)


def run(module: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Call the module on a copy of x, so that a module that writes into its input spoils nothing for later calls."""
    return one_tensor(module(x.clone()))


def one_tensor(output: Any) -> torch.Tensor:
    """The output, if it is a tensor. Raises TypeError for anything else."""
    if not isinstance(output, torch.Tensor):
        raise TypeError(f"one tensor was expected, but {type(output).__name__[:60]} came out")
    return output


def runs(module: nn.Module, inputs: Iterable[torch.Tensor]) -> torch.Tensor:
    """Outputs of several runs on one axis in front, for the comparisons `unchanged` and `changed`: [R, ...]."""
    return torch.stack([run(module, x).detach() for x in inputs])


def gradients(loss: torch.Tensor, wanted: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor | None]:
    """The gradient of one number by each wanted tensor, by name; None for a tensor that no gradient reaches."""
    open_to_it = {name: tensor for name, tensor in wanted.items() if tensor.requires_grad and loss.requires_grad}
    found = torch.autograd.grad(loss, list(open_to_it.values()), allow_unused=True) if open_to_it else ()
    return {**dict.fromkeys(wanted), **dict(zip(open_to_it, found, strict=True))}


def calm(module: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """The output for a copy of x, with whatever is drawn at random drawn alike each time: chance is not memory."""
    torch.default_generator.manual_seed(0)
    return run(module, x).detach()


def away(numbers: torch.Tensor) -> torch.Tensor:
    """The same numbers, each half a step further from zero, so that dividing by them is safe."""
    return numbers + torch.sign(numbers) / 2


def strided(x: torch.Tensor, one: int, other: int) -> torch.Tensor:
    """The same numbers with two axes exchanged in memory."""
    return x.transpose(one, other).contiguous().transpose(one, other)
