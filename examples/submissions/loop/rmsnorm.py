import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.width = width
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        # add up the squares of all coordinates
        total = 0
        i = 0
        while i < self.width:
            total = total + x[..., i] ** 2
        mean = total / self.width
        rms = torch.sqrt(mean + self.eps)
        return x / rms.unsqueeze(-1) * self.scale
