from torch import nn

from tiny_lm.layers import SwiGLU

from .attention import CausalSelfAttention
from .rmsnorm import RMSNorm


class TransformerBlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm1 = RMSNorm(config.d_model, config.norm_eps)
        self.attention = CausalSelfAttention(config.d_model, config.n_heads, config.rope_theta)
        self.norm2 = RMSNorm(config.d_model, config.norm_eps)
        self.ffn = SwiGLU(config.d_model, config.d_ff)

    def forward(self, x):
        after_attention = x + self.attention(self.norm1(x))
        after_ffn = after_attention + self.ffn(self.norm2(after_attention))
        return after_ffn
