"""The feed-forward branch, from lesson 14."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F


class SwiGLU(nn.Module):
    """A gated feed-forward branch that comes back to the width it started from: [..., D] -> [..., D].

    Three projections without bias: `gate_proj` and `up_proj` to d_ff numbers, `down_proj` back to d_model.
    Source: Shazeer 2020, GLU variants improve Transformer.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Weigh each hidden number by its gate, then project back: down(silu(gate(x)) * up(x))."""
        hidden = F.silu(self.gate_proj(x)) * self.up_proj(x)  # [..., d_ff]
        down: torch.Tensor = self.down_proj(hidden)  # [..., D]
        return down
