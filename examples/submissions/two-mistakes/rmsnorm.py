import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        squares = x.pow(2)
        total = torch.sum(squares, dim=-1, keepdim=True)
        # add eps so we never divide by zero
        denominator = total.sqrt() + self.eps
        return x / denominator * self.scale
