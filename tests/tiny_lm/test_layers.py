"""The gated feed-forward branch against torch's own silu and against a loop that anyone can read."""

import math

import torch
from torch.nn import functional as F

from tiny_lm.layers import SwiGLU


def seeded(d_model, d_ff):
    torch.manual_seed(0)
    return SwiGLU(d_model, d_ff).double()


def slow_swiglu(x, gate, up, down):
    """One vector and three matrices as lists of Python floats."""
    hidden = []
    for gate_row, up_row in zip(gate, up, strict=True):
        g = sum(a * b for a, b in zip(gate_row, x, strict=True))
        u = sum(a * b for a, b in zip(up_row, x, strict=True))
        hidden.append(g / (1 + math.exp(-g)) * u)
    return [sum(a * b for a, b in zip(row, hidden, strict=True)) for row in down]


def test_swiglu_agrees_with_a_slow_loop():
    ffn, x = seeded(3, 5), torch.tensor([0.5, -2.0, 1.0], dtype=torch.float64)
    slow = slow_swiglu(x.tolist(), *(layer.weight.tolist() for layer in (ffn.gate_proj, ffn.up_proj, ffn.down_proj)))
    torch.testing.assert_close(ffn(x), torch.tensor(slow, dtype=torch.float64))


def test_swiglu_agrees_with_torchs_own_silu():
    ffn, x = seeded(4, 6), torch.linspace(-3, 3, 24, dtype=torch.float64).reshape(2, 3, 4)
    gate, up, down = ffn.gate_proj.weight, ffn.up_proj.weight, ffn.down_proj.weight
    torch.testing.assert_close(ffn(x), F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down))


def test_swiglu_comes_back_to_its_width_and_sends_zeros_to_zeros():
    ffn = seeded(4, 10)
    assert ffn(torch.ones(2, 7, 4, dtype=torch.float64)).shape == (2, 7, 4)
    assert ffn(torch.zeros(4, dtype=torch.float64)).eq(0).all()


def test_swiglu_trains_three_matrices_and_nothing_else():
    shapes = {name: tuple(parameter.shape) for name, parameter in SwiGLU(4, 10).named_parameters()}
    assert shapes == {"gate_proj.weight": (10, 4), "up_proj.weight": (10, 4), "down_proj.weight": (4, 10)}
