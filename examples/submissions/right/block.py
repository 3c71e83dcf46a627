# lesson 15, exercise 3
import torch.nn as nn

from exercises.attention import CausalSelfAttention
from exercises.rmsnorm import RMSNorm
from tiny_lm.layers import SwiGLU


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        D = config.d_model
        self.attention = CausalSelfAttention(D, config.n_heads, theta=config.rope_theta)
        self.ffn = SwiGLU(D, config.d_ff)
        self.norm1 = RMSNorm(D, eps=config.norm_eps)
        self.norm2 = RMSNorm(D, eps=config.norm_eps)

    def forward(self, x):
        # 1. attention branch
        normed = self.norm1(x)
        x = x + self.attention(normed)
        # 2. feed-forward branch (reads the new x!)
        normed = self.norm2(x)
        x = x + self.ffn(normed)
        return x
