# lesson 15, exercise 2
import torch
import torch.nn as nn

from tiny_lm.attention import attention_2d, merge_heads, split_heads
from tiny_lm.rope import apply_rope


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.n_heads = heads
        self.rope_theta = theta
        # four linear layers, all without bias
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(width, width, bias=False))

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = (split_heads(proj(x), self.n_heads) for proj in (self.q_proj, self.k_proj, self.v_proj))

        pos = torch.arange(T)
        q, k = apply_rope(q, k, pos, self.rope_theta)  # values are not rotated

        out, weights = attention_2d(q, k, v, causal=True)
        out = merge_heads(out)  # back to (B, T, D)
        return self.out_proj(out)
