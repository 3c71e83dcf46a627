import torch
import torch.nn as nn


class RmsNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        rms = (x.square().mean(-1, keepdim=True) + self.eps).sqrt()
        return self.gamma * x / rms
