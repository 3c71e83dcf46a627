"""Rotary position embedding, from lesson 13: turn pairs of coordinates by an angle that grows with the position.

Coordinate i is paired with coordinate i + d/2 (the "half" pairing of GPT-NeoX and Llama checkpoints), not with its
neighbour (the "interleaved" pairing of the paper). The two differ only by an order of coordinates, which the
projections before them can learn either way; halves need no interleaving, so the code below is two slices.
"""

from __future__ import annotations

import torch


def apply_rope(q: torch.Tensor, k: torch.Tensor, positions: torch.Tensor, theta: float = 10000.0) -> tuple[torch.Tensor, torch.Tensor]:
    """Rotate queries and keys [..., T, d] by their positions [T]. Raises ValueError for an odd d.

    Pair i turns by position * theta^(-2i/d) radians, so that a score depends on the distance of two positions.
    Source: Su et al. 2021, RoFormer.
    """
    width = q.shape[-1]
    if width % 2:
        raise ValueError(f"rotation needs pairs of coordinates, so a head width of {width} does not work")
    step = torch.arange(0, width, 2, device=q.device, dtype=torch.float32) / width  # [d/2]
    angles = positions.to(torch.float32)[:, None] * theta**-step  # [T, d/2]
    cos, sin = angles.cos().to(q.dtype), angles.sin().to(q.dtype)
    return _rotate(q, cos, sin), _rotate(k, cos, sin)


def _rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, dim=-1)  # [..., T, d/2] each
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
