"""Find the pieces of a student's transformer block, whatever they are called.

In: a block. Out: its two branches, its two norms with their scales, and the projections inside a branch.
A piece is found by its contract's name, else by what it holds, else by words of its name, and only where that leaves no doubt;
otherwise NoSuchRoleError says what was found instead. Nothing here looks at the order in which a block made its pieces.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import nn

from graders.probes.shared import NoSuchRoleError, match, put, tokens

Words = dict[str, tuple[str, ...]]
HOLDS = {"attention": "q_proj", "ffn": "gate_proj"}
BRANCHES: Words = {"attention": ("attn", "att", "attention", "mha", "sa"), "ffn": ("mlp", "ff", "ffn", "feed", "feedforward", "swiglu")}
PROJECTIONS: dict[str, Words] = {
    "attention": {"q_proj": ("q", "query"), "k_proj": ("k", "key"), "v_proj": ("v", "value"), "out_proj": ("o", "out")},
    "ffn": {"gate_proj": ("gate",), "up_proj": ("up",), "down_proj": ("down",)},
}
NAMES = {"norm1.scale", "norm2.scale"} | {f"{branch}.{name}.weight" for branch, names in PROJECTIONS.items() for name in names}
FIRST = {"1", "first", "attention", "attn", "att", "sa", "input", "pre", "a"}
SECOND = {"2", "second", "ffn", "ff", "mlp", "feed", "feedforward", "post", "b"}


def named(block: nn.Module) -> dict[str, nn.Parameter]:
    """The trained parameters of a block that its contract's names lead to, by these names."""
    own = {id(value) for value in block.parameters()}
    found = {name: reach(block, name) for name in sorted(NAMES)}
    return {name: value for name, value in found.items() if id(value) in own}


def reach(block: nn.Module, name: str) -> Any:
    """What a dotted name leads to, property or field; None where it leads nowhere."""
    try:
        return operator.attrgetter(name)(block)
    except AttributeError:
        return None


def branch(block: nn.Module, name: str) -> nn.Module:
    """The branch `attention` or `ffn`. Raises NoSuchRoleError."""
    exact = reach(block, name)
    if isinstance(exact, nn.Module):
        return exact
    holders = [module for module in block.modules() if HOLDS[name] in dict(module.named_children())]
    if len(holders) == 1:
        return holders[0]
    children: dict[str, nn.Module] = match(dict(block.named_children()), {name: BRANCHES[name]})
    return children[name]


def projections(block: nn.Module, name: str) -> dict[str, nn.Parameter]:
    """The matrices of a branch by their contract's names. Raises NoSuchRoleError."""
    matrices = {key.removesuffix(".weight"): value for key, value in branch(block, name).named_parameters() if value.ndim == 2}
    return match(matrices, PROJECTIONS[name])


def norms(block: nn.Module) -> tuple[nn.Module, nn.Module]:
    """The norm before attention and the one before the feed-forward branch. Raises NoSuchRoleError."""
    one, other = reach(block, "norm1"), reach(block, "norm2")
    if isinstance(one, nn.Module) and isinstance(other, nn.Module):
        return one, other
    taken = {block, *(module for name in HOLDS for module in branch(block, name).modules())}
    found = {name: module for name, module in block.named_modules() if module not in taken and vectors(module, recurse=False)}
    if len(found) != 2:
        raise NoSuchRoleError(f"norm1 and norm2 not found; found {', '.join(found) or 'no norm'}"[:200])
    first, second = in_order(*found)
    return found[first], found[second]


def scale_of(norm: nn.Module) -> nn.Parameter:
    """The scale of a norm: the only vector that it trains, biases aside. Raises NoSuchRoleError."""
    found = vectors(norm)
    if len(found) != 1:
        raise NoSuchRoleError(f"the scale of a norm was not found; found {', '.join(found) or 'no vector'}"[:200])
    return next(iter(found.values()))


def vectors(module: nn.Module, recurse: bool = True) -> dict[str, nn.Parameter]:
    """The parameters with one axis, biases aside, by name."""
    return {name: value for name, value in module.named_parameters(recurse=recurse) if value.ndim == 1 and not name.endswith("bias")}


def write(target: torch.Tensor, numbers: torch.Tensor) -> None:
    """Write numbers into a parameter of the same shape. Raises NoSuchRoleError where its shape is another one."""
    if target.shape != numbers.shape:
        raise NoSuchRoleError(f"a parameter of the shape {list(numbers.shape)} was looked for, but one of {list(target.shape)} was found")
    put(target, numbers)


def in_order(one: str, other: str) -> tuple[str, str]:
    """The two names, the first norm's in front, by the words in which they differ. Raises NoSuchRoleError where a doubt is left."""
    ours, theirs = tokens(one) - tokens(other), tokens(other) - tokens(one)
    sides = (_side(ours, theirs), _side(theirs, ours))
    if sides in (("first", "second"), ("first", ""), ("", "second")):
        return one, other
    if sides in (("second", "first"), ("second", ""), ("", "first")):
        return other, one
    raise NoSuchRoleError(f"norm1 and norm2 not found; found {one}, {other}"[:200])


def _side(words: set[str], others: set[str]) -> str:
    """Which norm these words speak of, or nothing where they speak of none or of both. People count from 0 or from 1."""
    from_zero = "0" in words | others
    first = words & ((FIRST - {"1"}) | {"0"} if from_zero else FIRST)
    second = words & (SECOND | {"1"} if from_zero else SECOND)
    if first == {"1"} and not others:
        return "doubt"  # norm1 beside a plain norm: either may come first
    return "first" if first and not second else "second" if second and not first else ""
