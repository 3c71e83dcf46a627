"""Exercise 5: a layer with and without a direct path, and two tools for a stack of such layers."""

import math

import torch
from torch import nn


class PlainBlock(nn.Module):
    """A layer without a direct path: relu(lin(x)), [..., D] in, [..., D] out.

    Source: the lesson on residual connections, section 2.
    """

    def __init__(self, width):
        """Make `lin`, a linear layer with a bias, from `width` to `width`."""
        super().__init__()
        ### BEGIN SOLUTION
        self.lin = nn.Linear(width, width)
        ### END SOLUTION

    def forward(self, x):
        """Apply `lin`, then the ReLU."""
        ### BEGIN SOLUTION
        return torch.relu(self.lin(x))  # [..., D]
        ### END SOLUTION


class ResidualBlock(nn.Module):
    """The same layer as a branch beside a direct path: x + relu(lin(norm(x))), [..., D] in, [..., D] out.

    The branch reads norm(x); the direct path carries x as it is.
    Source: the lesson on residual connections, sections 2 and 3.
    """

    def __init__(self, width, prenorm=False):
        """Make `lin` as in PlainBlock, and `norm`: an nn.LayerNorm of this width if `prenorm`, else an nn.Identity."""
        super().__init__()
        ### BEGIN SOLUTION
        self.lin = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width) if prenorm else nn.Identity()
        ### END SOLUTION

    def forward(self, x):
        """Add what the branch makes of norm(x) to x. The tensor x itself stays as it was."""
        ### BEGIN SOLUTION
        update = torch.relu(self.lin(self.norm(x)))  # [..., D]
        return x + update  # [..., D]
        ### END SOLUTION


def rescale_branches(branches):
    """Let N branches start small, as GPT-2 does: multiply the weight of each branch's last linear layer by 1/√N, in place.

    `branches` is a list of N modules. A branch may be a ResidualBlock, one nn.Linear, or many modules inside each other;
    its linear layers are the nn.Linear among its `modules()`, and the last one is the last in that order.
    Nothing else changes: no bias, no earlier layer, no norm. The weights stay the Parameters they are, for an optimizer may hold them already.
    Nothing is returned. Source: the lesson on residual connections, section 4; Radford et al. 2019.
    """
    ### BEGIN SOLUTION
    factor = 1 / math.sqrt(len(branches))
    with torch.no_grad():
        for branch in branches:
            linears = [module for module in branch.modules() if isinstance(module, nn.Linear)]
            linears[-1].weight.mul_(factor)
    ### END SOLUTION


def residual_stream(blocks, x):
    """Send x through a list of N blocks, one after another, and keep what happens to it on the way.

    A block gives its input plus an update. Two tensors are returned, both with an axis of length N in front of the axes of x:
    the stream after each block, and what each block wrote, which is the stream after it minus the stream before it.
    So x plus all writes is the last entry of the stream. The tensor x itself stays as it was.
    Source: the lesson on residual connections, section 5.
    """
    ### BEGIN SOLUTION
    stream, writes = [], []
    for block in blocks:
        after = block(x)
        stream.append(after)
        writes.append(after - x)
        x = after
    return torch.stack(stream), torch.stack(writes)  # [N, ...], [N, ...]
    ### END SOLUTION
