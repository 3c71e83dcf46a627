"""Exercise 1: divide a vector by its own size before a branch reads it."""

import torch
from torch import nn


class RMSNorm(nn.Module):
    """Divide each vector by its root mean square, then multiply each coordinate by a scale that can be trained.

    For one vector x with D entries: y_i = scale_i * x_i / sqrt(mean of x² + eps).
    Every position of every sample has a denominator of its own. No mean is subtracted.
    Source: lesson 15, section 5; Zhang and Sennrich 2019.
    """

    def __init__(self, width, eps=1e-5):
        """Keep `eps`, and make the trainable `scale`: one number for each of the `width` coordinates, all 1 at first."""
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        """Normalize over the last axis: [..., D] in, [..., D] out."""
        m = torch.mean(x**2, dim=-1, keepdim=True)
        x = x / torch.sqrt(m + self.eps)
        x = x * self.scale
        return x
