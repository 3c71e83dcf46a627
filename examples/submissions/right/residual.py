# second lesson: residual connections
import torch
import torch.nn as nn


class PlainBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width)

    def forward(self, x):
        return self.lin(x).relu()


class ResidualBlock(nn.Module):
    def __init__(self, width, prenorm=False):
        super().__init__()
        self.lin = nn.Linear(width, width)
        if prenorm:
            self.norm = nn.LayerNorm(width)
        else:
            self.norm = nn.Identity()

    def forward(self, x):
        return x + self.lin(self.norm(x)).relu()


def rescale_branches(branches):
    N = len(branches)
    for b in branches:
        last = None
        for m in b.modules():
            if isinstance(m, nn.Linear):
                last = m
        last.weight.data /= N**0.5


def residual_stream(blocks, x):
    states = [x]
    for block in blocks:
        states.append(block(states[-1]))
    states = torch.stack(states)
    return states[1:], states[1:] - states[:-1]
