"""Find the four projections of a student's attention, whatever they are called, and fill them with known numbers.

A projection is found by the contract's name, else by a word in its name that leaves no doubt; otherwise NoSuchRole says what was found.
Nothing here looks at the order in which a module made its layers.
"""

from __future__ import annotations

import torch
from torch import nn

from graders.probes.shared import match, put, tokens


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


def projections(module: nn.Module) -> dict[str, nn.Parameter]:
    """The weights of the four projections by role, in the order of ROLES. Raises NoSuchRole."""
    weights = {name.removesuffix(".weight"): p for name, p in module.named_parameters() if name.endswith(".weight")}
    square = {name: weight for name, weight in weights.items() if weight.ndim == 2 and weight.shape[0] == weight.shape[1]}
    found = match({name if tokens(name) - PLAIN else f"{name} (out)": weight for name, weight in square.items()}, ROLES)
    return {role: found[role] for role in ROLES}


def fill(module: nn.Module, weights: torch.Tensor) -> None:
    """Write weights [4, D, D] into the four projections, and zeros into biases. Raises NoSuchRole."""
    for target, weight in zip(projections(module).values(), weights, strict=True):
        put(target, weight)
    for name, parameter in module.named_parameters():
        if name.endswith("bias"):
            put(parameter, torch.zeros(parameter.shape))
