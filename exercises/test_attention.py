"""Visible tests for exercise 2: shapes, what a position sees, and that all projections learn."""

import torch

from exercises.attention import CausalSelfAttention


def test_only_the_four_projections_are_trained():
    attention = CausalSelfAttention(12, 3)
    shapes = {name: tuple(parameter.shape) for name, parameter in attention.named_parameters()}
    names = ["q_proj.weight", "k_proj.weight", "v_proj.weight", "out_proj.weight"]
    assert shapes == dict.fromkeys(names, (12, 12))


def test_the_output_has_the_shape_of_the_input():
    attention = CausalSelfAttention(12, 3)
    assert attention(torch.randn(2, 5, 12)).shape == (2, 5, 12)
    assert attention(torch.randn(1, 1, 12)).shape == (1, 1, 12)


def test_a_lone_position_takes_only_its_own_value():
    attention = CausalSelfAttention(8, 2)
    x = torch.randn(3, 1, 8)
    torch.testing.assert_close(attention(x), attention.out_proj(attention.v_proj(x)))


def test_the_past_does_not_see_the_future():
    torch.manual_seed(42)
    attention, x = CausalSelfAttention(64, 2), torch.randn(1, 4, 64)
    changed = x.clone()
    changed[:, 2] += 5.0
    before, after = attention(x), attention(changed)
    torch.testing.assert_close(after[:, :2], before[:, :2])
    assert (after[:, 2:] - before[:, 2:]).abs().amax(dim=-1).min() > 0.01


def test_the_order_of_the_past_matters():
    attention, x = CausalSelfAttention(8, 2), torch.randn(1, 4, 8)
    swapped = x[:, [1, 0, 2, 3]]
    difference = attention(swapped)[:, 3] - attention(x)[:, 3]
    assert difference.abs().max() > 1e-5


def test_equal_scores_give_the_mean_of_the_past():
    attention, x = CausalSelfAttention(8, 2), torch.randn(2, 3, 8)
    torch.nn.init.zeros_(attention.q_proj.weight)
    mean = attention.v_proj(x).mean(dim=1)
    torch.testing.assert_close(attention(x)[:, 2], attention.out_proj(mean))


def test_every_projection_gets_a_gradient():
    attention = CausalSelfAttention(8, 2)
    attention(torch.randn(2, 5, 8)).square().mean().backward()
    for name, parameter in attention.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().max() > 0, name
