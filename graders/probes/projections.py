"""Make a student's attention, find its four projections, whatever they are called, fill them with known numbers, and read texts.

A projection is found by the contract's name, else by a word in its name that leaves no doubt; otherwise NoSuchRoleError says what was found.
Its weight is a parameter, or computed from parameters by torch.nn.utils.parametrize.
Nothing here looks at the order in which a module made its layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import nn

from graders.probes.shared import NoSuchRoleError, match, one_tensor, put, run, tokens
from graders.probes.spare import as_new


def spellings(*words: str) -> set[str]:
    """How people write a word into a layer's name when nothing separates it: wq, qproj, tokeys, fcout."""
    before = {word: ("", "w", "fc", "to") if len(word) > 2 else ("", "w", "fc") for word in words}  # "tok" says something else
    return {start + word + end for word in words for start in before[word] for end in ("", "s", "w", "proj", "linear", "lin")}


ROLES = {
    "q_proj": spellings("q", "query", "queries"),
    "k_proj": spellings("k", "key"),
    "v_proj": spellings("v", "val", "value"),
    "out_proj": spellings("o", "out", "output") | {"unify", "unifyheads"},
}
PLAIN = {"proj", "projection", "linear", "lin", "fc", "dense", "layer", "final", "c"}  # words that name no projection; beside q, k and v: the last
COMPUTED = ".parametrizations.weight."  # in the names of parameters from which a layer's weight is computed
FAINT = 1e-12  # stands for 0 where a direction is taken: too small to count, large enough to be squared


def projections(module: nn.Module) -> dict[str, torch.Tensor]:
    """The weights of the four projections by role, in the order of ROLES. Raises NoSuchRoleError."""
    return {role: weight for role, (_, weight) in _layers(module).items()}


def _layers(module: nn.Module) -> dict[str, tuple[str, torch.Tensor]]:
    """The name of each projection's layer and its weight, by role."""
    weights = {name: weight for name, weight in _weights(module) if weight.ndim == 2 and weight.shape[0] == weight.shape[1]}
    square = {name: (name, weight) for name, weight in weights.items()}
    if not square.keys() >= ROLES.keys():
        square = match({name if tokens(name) - PLAIN else f"{name} (out)": found for name, found in square.items()}, ROLES)
    return {role: square[role] for role in ROLES}


def _weights(module: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Each layer's name and its weight."""
    for name, parameter in module.named_parameters():
        layer, computed, _ = name.partition(COMPUTED)
        if computed:
            yield layer, _weight(module.get_submodule(layer))
        elif name.endswith(".weight"):
            yield name.removesuffix(".weight"), parameter


def _weight(layer: nn.Module) -> torch.Tensor:
    """The weight that a layer computes."""
    weight: Any = layer.weight
    return one_tensor(weight)


def fill(module: nn.Module, weights: torch.Tensor) -> None:
    """Write weights [4, D, D] into the four projections, and zeros into biases. Raises NoSuchRoleError."""
    for (name, target), weight in zip(_layers(module).values(), weights, strict=True):
        if type(target) is torch.Tensor:  # no parameter, but computed
            _steer(module.get_submodule(name), torch.empty_like(target).copy_(weight))
        else:
            put(target, weight)
    for name, parameter in module.named_parameters():
        if name.endswith("bias"):
            put(parameter, torch.zeros(parameter.shape))


def _steer(layer: nn.Module, numbers: torch.Tensor) -> None:
    """Give a layer that computes its weight the parameters from which these numbers come out. Raises NoSuchRoleError."""
    numbers = torch.where(numbers == 0, FAINT, numbers.detach())
    try:
        layer.weight = numbers.clone()  # which goes back through the parametrizations
    except RuntimeError:  # one of them tells no way back; it may leave the numbers as they are
        put(layer.get_parameter("parametrizations.weight.original"), numbers)
    if not torch.allclose(_weight(layer), numbers, rtol=1e-5):
        raise NoSuchRoleError("a weight that can be set was not found; found one that is computed, and comes out as other numbers")


def filled(parts: Any, weights: torch.Tensor, heads: int = 2, *theta: float) -> nn.Module:
    """A module as good as new, in eval mode, with these weights in its projections and with its biases, if any, at zero. Raises NoSuchRoleError."""
    module = unused(parts, weights, heads, *theta)
    fill(module, weights)
    return module


def ready(parts: Any, weights: torch.Tensor) -> nn.Module:
    """The same with two heads, except that one whose names leave doubt, yet which has queries, keys and values to train, keeps its own numbers."""
    return filled_where_clear(unused(parts, weights, 2), weights)


def new(parts: Any, weights: torch.Tensor) -> nn.Module:
    """What `ready` gives, but one that nobody has used or will use."""
    return filled_where_clear(built(parts, weights, 2), weights)


def filled_where_clear(module: nn.Module, weights: torch.Tensor) -> nn.Module:
    """The module with these weights in its projections, where its names leave no doubt."""
    try:
        fill(module, weights)
    except NoSuchRoleError:
        if everything(module).numel() < weights[:3].numel():
            raise
    return module


def unused(parts: Any, weights: torch.Tensor, heads: int, *theta: float) -> nn.Module:
    """A module as good as new. Whatever happens at random in it is alike each time."""
    module: nn.Module = as_new(parts, ("attention", weights.shape[-1], heads, *theta), lambda: built(parts, weights, heads, *theta))
    torch.default_generator.manual_seed(0)
    return module


def built(parts: Any, weights: torch.Tensor, heads: int, *theta: float) -> nn.Module:
    """A new module in eval mode. It starts from the same random state each time, so that what is not filled is alike in two modules."""
    torch.default_generator.manual_seed(0)
    module: nn.Module = parts.attention.CausalSelfAttention(weights.shape[-1], heads, *theta).eval()
    torch.default_generator.manual_seed(0)
    return module


def everything(module: nn.Module) -> torch.Tensor:
    """All parameters of a module in one row."""
    return torch.cat([torch.zeros(0), *(parameter.detach().flatten() for parameter in module.parameters())])


def read(module: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """The output for x, with the axes of x where it has as many numbers: a lost axis costs the check of shapes only."""
    with torch.no_grad():
        return like(run(module, x), x)


def like(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The tensor y with the axes of x, where it has as many numbers."""
    return y.reshape(x.shape) if y.numel() == x.numel() else y


def each(parts: Any, weights: torch.Tensor, texts: Sequence[torch.Tensor]) -> torch.Tensor:
    """The outputs for batches of texts [B, T, D], none of which knows of another: [R, B, T, D].

    They are read as one batch where the last of them, read alone, comes out alike; else one by one.
    """
    together, alone = read(ready(parts, weights), torch.cat(list(texts))), read(ready(parts, weights), texts[-1])
    last = together[-len(alone) :]
    if len(together) == len(texts) * len(alone) and last.shape == alone.shape and torch.allclose(last, alone, rtol=1e-4):
        return together.view(len(texts), *last.shape)
    return torch.stack([read(ready(parts, weights), text) for text in texts])
