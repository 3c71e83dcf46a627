"""Make a student's block and fill it with known numbers: whole, one branch of it, or all matrices of one shape alike."""

from __future__ import annotations

import random
from typing import Any

import torch
from torch import nn

from graders.probes.roles import branch, projections, write
from graders.probes.shared import Draw, put
from graders.probes.spare import as_new
from tiny_lm.model import ModelConfig

D, UNITS = 16, 8  # width of a block; how many hidden units of its feed-forward branch get numbers, while the others stay silent
POOL = 2048  # more numbers than the largest matrix of a block has


def build(parts: Any, d_model: int = D, d_ff: int = 24, **fields: Any) -> Any:
    """A block as good as new, with the numbers it starts with."""
    config = ModelConfig(d_model=d_model, d_ff=d_ff, **fields)
    block = as_new(parts, ("block", *vars(config).values()), lambda: built(parts, config))
    sow(0)
    return block


def built(parts: Any, config: ModelConfig) -> Any:
    """A new block."""
    sow(0)
    return parts.block.TransformerBlock(config)


def alike(block: nn.Module, pool: torch.Tensor) -> nn.Module:
    """The block with the pool's numbers in its matrices, the same in all of one shape, so that neither names nor their order matter."""
    for value in block.parameters():
        if value.ndim == 2 and value.numel() <= POOL:
            put(value, pool[: value.numel()].view(value.shape) / value.shape[1] ** 0.5)
    return block


def filled(parts: Any, draw: Draw, branches: tuple[str, ...] = ("attention", "ffn"), d_model: int = D, **fields: Any) -> Any:
    """A block with drawn numbers in some of its branches, such that a branch gives about as much as it reads."""
    block = build(parts, d_model, **fields)
    for name in branches:
        for role, weight in projections(block, name).items():
            rows = UNITS if role in ("gate_proj", "up_proj") else d_model
            columns = UNITS if role == "down_proj" else d_model
            some = loud(role, weight)
            if some is not weight:
                put(weight, torch.zeros(()))
            write(some, draw(rows, columns) * (1.5 / columns**0.5))
    return block


def one_branch(parts: Any, draw: Draw, name: str, **fields: Any) -> Any:
    """A block with drawn numbers in one branch; the other branch is silent."""
    return silence(filled(parts, draw, (name,), **fields), "ffn" if name == "attention" else "attention")


def silence(block: nn.Module, *names: str) -> nn.Module:
    """Put zeros into all parameters of these branches."""
    for name in names:
        for parameter in branch(block, name).parameters():
            put(parameter, torch.zeros(()))
    return block


def loud(role: str, weight: torch.Tensor) -> torch.Tensor:
    """The part of a matrix that gets numbers: in the feed-forward branch that of the first hidden units, so that their count matters little."""
    if role == "down_proj":
        return weight[:, :UNITS]
    return weight[:UNITS] if role in ("gate_proj", "up_proj") else weight


def sums(block: nn.Module) -> torch.Tensor:
    """The sum of each parameter, the smallest first: neither names nor their order matter."""
    return torch.stack([value.detach().sum() for value in block.parameters()] or [torch.zeros(())]).sort().values


def sow(seed: int) -> None:
    """Seed whatever a block may do at random."""
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
