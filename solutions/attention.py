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
        ### BEGIN SOLUTION
        self.heads = heads
        self.theta = theta
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.out_proj = nn.Linear(width, width, bias=False)
        ### END SOLUTION

    def forward(self, x):
        """Project, split into heads, rotate queries and keys by their positions 0..T-1, attend to the past, merge, project."""
        ### BEGIN SOLUTION
        q = split_heads(self.q_proj(x), self.heads)  # [B, H, T, d]
        k = split_heads(self.k_proj(x), self.heads)  # [B, H, T, d]
        v = split_heads(self.v_proj(x), self.heads)  # [B, H, T, d]
        positions = torch.arange(x.shape[1], device=x.device)  # [T]
        q, k = apply_rope(q, k, positions, self.theta)
        context, _ = attention_2d(q, k, v, causal=True)  # [B, H, T, d]
        return self.out_proj(merge_heads(context))  # [B, T, D]
        ### END SOLUTION
