import torch
from torch import nn

from tiny_lm.attention import attention_2d, merge_heads, split_heads
from tiny_lm.rope import apply_rope


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.heads = heads
        self.theta = theta
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.out_proj = nn.Linear(width, width, bias=False)

    def forward(self, x):
        q = split_heads(self.q_proj(x), self.heads)
        k = split_heads(self.k_proj(x), self.heads)
        v = split_heads(self.v_proj(x), self.heads)

        # put the positions into all three
        positions = torch.arange(x.size(1))
        q, k = apply_rope(q, k, positions, self.theta)
        v, _ = apply_rope(v, v, positions, self.theta)

        context, _ = attention_2d(q, k, v)
        return self.out_proj(merge_heads(context))
