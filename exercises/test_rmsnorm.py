"""Visible tests for exercise 1: a few numbers of the lesson and the shape of things."""

import torch

from exercises.rmsnorm import RMSNorm


def test_three_and_four_keep_their_ratio_and_get_a_root_mean_square_of_one():
    y = RMSNorm(2)(torch.tensor([3.0, 4.0]))
    assert torch.allclose(y, torch.tensor([0.848528, 1.131370]), atol=1e-5)


def test_a_vector_ten_times_as_large_gives_nearly_the_same():
    norm = RMSNorm(2)
    assert torch.allclose(norm(torch.tensor([30.0, 40.0])), norm(torch.tensor([3.0, 4.0])), atol=1e-5)


def test_zeros_give_zeros():
    assert torch.equal(RMSNorm(4)(torch.zeros(4)), torch.zeros(4))


def test_every_position_has_a_root_mean_square_of_its_own():
    x = torch.tensor([[[3.0, 4.0], [300.0, 400.0]]])  # [B, T, D] = [1, 2, 2]
    y = RMSNorm(2)(x)
    assert y.shape == x.shape
    assert torch.allclose(y[0, 0], y[0, 1], atol=1e-4)


def test_the_scale_is_a_parameter_that_starts_at_one():
    norm = RMSNorm(64)
    assert isinstance(norm.scale, torch.nn.Parameter)
    assert torch.equal(norm.scale.data, torch.ones(64))


def test_each_coordinate_is_multiplied_by_its_own_scale():
    norm = RMSNorm(2)
    norm.scale.data = torch.tensor([2.0, 10.0])
    y = norm(torch.tensor([3.0, 4.0]))
    assert torch.allclose(y, torch.tensor([1.697056, 11.313700]), atol=1e-4)


def test_the_scale_gets_a_gradient():
    norm = RMSNorm(3)
    norm(torch.randn(2, 3)).square().sum().backward()
    assert norm.scale.grad is not None


def test_another_eps_is_kept_and_used():
    norm = RMSNorm(2, eps=3.0)
    assert norm.eps == 3.0
    assert torch.allclose(norm(torch.ones(2)), torch.full((2,), 0.5))
