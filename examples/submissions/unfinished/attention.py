"""Exercise 2: let each position gather from its past, with several heads and positions that turn."""

import torch
from torch import nn

from tiny_lm.attention import attention_2d, merge_heads, split_heads
from tiny_lm.rope import apply_rope


class CausalSelfAttention(nn.Module):
    """Causal self-attention with rotary positions: [B, T, D] in, [B, T, D] out.

    Four projections are all that is trained: `q_proj`, `k_proj`, `v_proj`, `out_proj`, each D -> D without bias.
    Given parts that help: `split_heads`, `apply_rope`, `attention_2d`, `merge_heads`.
    Source: lesson 15, section 6.
    """

    def __init__(self, width, heads, theta=10000.0):
        """Keep `heads` and `theta`, and make the four projections."""
        super().__init__()
        self.heads = heads
        self.theta = theta
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.out_proj = nn.Linear(width, width, bias=False)

    def forward(self, x):
        """Project, split into heads, rotate queries and keys by their positions 0..T-1, attend to the past, merge, project."""
        q = split_heads(self.q_proj(x), self.heads)
        k = split_heads(self.k_proj(x), self.heads)
        v = split_heads(self.v_proj(x), self.heads)
        # TODO positions??
        raise NotImplementedError("Open exercises/attention.py and write CausalSelfAttention.forward.")
