import torch
import torch.nn as nn

from tiny_lm.attention import attention_2d, merge_heads, split_heads
from tiny_lm.rope import apply_rope


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, theta=10000.0):
        super().__init__()
        self.heads = heads
        self.theta = theta
        self.wq = nn.Linear(width, width, bias=False)
        self.wk = nn.Linear(width, width, bias=False)
        self.wv = nn.Linear(width, width, bias=False)
        self.wo = nn.Linear(width, width, bias=False)

    def forward(self, x):
        xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)
        xq = split_heads(xq, self.heads)
        xk = split_heads(xk, self.heads)
        xv = split_heads(xv, self.heads)
        xq, xk = apply_rope(xq, xk, torch.arange(x.shape[1]), self.theta)
        out, _ = attention_2d(xq, xk, xv, causal=True)
        return self.wo(merge_heads(out))
