import torch
from torch import nn

from tiny_lm.attention import attention_2d, merge_heads, split_heads
from tiny_lm.rope import apply_rope


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.heads, self.theta = heads, theta
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, width, bias=False)
        self.v_proj = nn.Linear(width, width, bias=False)
        self.out_proj = nn.Linear(width, width, bias=False)

    def forward(self, x):
        time = x.shape[1]
        queries = split_heads(self.q_proj(x), self.heads)
        keys = split_heads(self.k_proj(x), self.heads)
        values = split_heads(self.v_proj(x), self.heads)
        queries, keys = apply_rope(queries, keys, torch.arange(0, time), self.theta)
        result = attention_2d(queries, keys, values)[0]
        return self.out_proj(merge_heads(result))
