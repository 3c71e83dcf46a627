"""Visible tests for exercise 5: the two blocks, their gradients, and the two tools."""

import torch
from torch import nn

from exercises.residual import PlainBlock, ResidualBlock, rescale_branches, residual_stream


def test_a_plain_block_gives_what_its_layer_makes():
    block, x = PlainBlock(4), torch.randn(2, 3, 4)
    torch.testing.assert_close(block(x), block.lin(x).clamp(min=0))


def test_a_residual_block_adds_it_to_what_came_in():
    block, x = ResidualBlock(4), torch.randn(2, 3, 4)
    torch.testing.assert_close(block(x), x + block.lin(x).clamp(min=0))


def test_with_prenorm_the_branch_reads_a_normalized_copy():
    block, x = ResidualBlock(4, prenorm=True), 10 * torch.randn(2, 3, 4)
    copy = (x - x.mean(-1, keepdim=True)) / x.std(-1, correction=0, keepdim=True)
    torch.testing.assert_close(block(x) - x, block.lin(copy).clamp(min=0), rtol=1e-3, atol=1e-3)


def test_a_silent_branch_leaves_x():
    for block in (ResidualBlock(4), ResidualBlock(4, prenorm=True)):
        x = 10 * torch.randn(2, 3, 4)
        for parameter in block.lin.parameters():
            nn.init.zeros_(parameter)
        torch.testing.assert_close(block(x), x)


def test_the_gradient_passes_twenty_residual_blocks_and_not_twenty_plain_ones():
    gradients = []
    for block in (PlainBlock(1), ResidualBlock(1)):
        nn.init.constant_(block.lin.weight, 0.05)
        nn.init.ones_(block.lin.bias)
        y = x = torch.ones(1, requires_grad=True)
        for _ in range(20):
            y = block(y)
        y.backward()
        gradients.append(x.grad.item())
    assert gradients[0] < 1e-20 and 2 < gradients[1] < 3


def test_sixteen_branches_start_at_a_quarter():
    branches = [nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 3)) for _ in range(16)]
    last = branches[7][2].weight
    before = last.detach().clone()
    rescale_branches(branches)
    torch.testing.assert_close(last.detach(), before * 0.25)


def test_rescaling_leaves_earlier_layers_and_biases():
    branches = [nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 3)) for _ in range(16)]
    kept = [value for branch in branches for value in (branch[0].weight, branch[0].bias, branch[2].bias)]
    before = [value.detach().clone() for value in kept]
    rescale_branches(branches)
    torch.testing.assert_close([value.detach() for value in kept], before, rtol=0, atol=0)


def test_the_stream_after_each_block():
    update = torch.tensor([0.5, -0.5])
    stream, _ = residual_stream([lambda x: x + update, lambda x: x + update], torch.ones(2))
    torch.testing.assert_close(stream, torch.tensor([[1.5, 0.5], [2.0, 0.0]]))


def test_what_each_block_wrote_adds_up():
    x = torch.randn(2, 4)
    stream, writes = residual_stream([torch.sin, torch.exp, torch.cos], x)
    torch.testing.assert_close(x + writes.sum(0), stream[-1])
