"""Exercise 3: one transformer block, two branches beside a direct path."""

from torch import nn

from tiny_lm.layers import SwiGLU

from .attention import CausalSelfAttention
from .rmsnorm import RMSNorm


class TransformerBlock(nn.Module):
    """A pre-norm transformer block: [B, T, D] in, [B, T, D] out.

    h = x + attention(norm1(x)), then y = h + ffn(norm2(h)). The branches read normalized copies; the direct path carries the original.
    Source: lesson 15, section 7.
    """

    def __init__(self, config):
        """Make `norm1`, `attention`, `norm2` and `ffn` (a SwiGLU) from d_model, n_heads, d_ff, norm_eps and rope_theta of `config`."""
        super().__init__()
        raise NotImplementedError("Open exercises/block.py and write TransformerBlock.__init__.")

    def forward(self, x):
        """Add the attention branch to x, then the feed-forward branch to that sum."""
        raise NotImplementedError("Open exercises/block.py and write TransformerBlock.forward.")
