"""Run what exercises are likely to use once, before the first fork, so that no child pays for a first call.

Neutral code only: nothing of a student's or of a solution's. Children could find in their memory what this process has once read.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - what every torch user calls it

WIDTH = 16


class Warmed(nn.Module):
    """Some layers with a parameter of each usual kind."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.free = nn.Parameter(torch.ones(WIDTH))
        self.kept: torch.Tensor
        self.register_buffer("kept", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[2, 4, WIDTH] in and out."""
        parts = self.linear(self.norm(x)).view(2, 4, 2, WIDTH // 2).transpose(1, 2)  # [2, 2, 4, WIDTH / 2]
        hidden = torch.ones(4, 4, dtype=torch.bool).triu(1)
        mixed = (parts @ parts.transpose(-1, -2)).masked_fill(hidden, -torch.inf).softmax(-1) @ parts
        mixed = mixed + F.scaled_dot_product_attention(parts, parts, parts, is_causal=True)
        turned = torch.polar(torch.ones(4), torch.arange(4).float()).real.unsqueeze(-1) * mixed.sin() * mixed.cos()
        flat = (mixed + turned).transpose(1, 2).reshape(2, 4, WIDTH)
        return self.free * F.silu(flat) * torch.rsqrt(flat.square().mean(-1, keepdim=True) + 1) + self.kept


def warm() -> None:
    """One forward and backward pass, one gradient taken alone, one state dict.

    No optimizer: a first step imports torch's compiler, which takes a second of every start and, in pages, some of every fork.
    """
    torch.manual_seed(0)
    model = Warmed()
    x = torch.randn(2, 4, WIDTH, requires_grad=True)
    torch.autograd.grad(torch.stack([model(x), torch.cat([model(x)])]).sum(), [x], allow_unused=True)
    F.mse_loss(model(x), torch.zeros_like(x)).backward()  # type: ignore[no-untyped-call] # torch's own
    model.eval().load_state_dict(model.train().state_dict())
    repr(model)
    F.cross_entropy(x.flatten(0, 1), torch.zeros(8, dtype=torch.int64)).item()
