"""Rotary positions: against complex numbers, against a slow loop, and the property they exist for."""

import inspect
import math

import pytest
import torch

from tiny_lm import rope
from tiny_lm.rope import apply_rope


def numbers(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def slow_rope(x, positions, theta):
    """[T][d] lists of Python floats, one pair after another: coordinate i with coordinate i + d/2."""
    turned = []
    for vector, position in zip(x, positions, strict=True):
        half, out = len(vector) // 2, [0.0] * len(vector)
        for i in range(half):
            angle = position * theta ** (-2 * i / len(vector))
            out[i] = vector[i] * math.cos(angle) - vector[i + half] * math.sin(angle)
            out[i + half] = vector[i + half] * math.cos(angle) + vector[i] * math.sin(angle)
        turned.append(out)
    return turned


def test_rotation_agrees_with_a_slow_loop():
    q, k = numbers(5, 6), numbers(5, 6, seed=1)
    positions = torch.tensor([0, 1, 2, 7, 30])
    for mine, x in zip(apply_rope(q, k, positions, 100.0), (q, k), strict=True):
        torch.testing.assert_close(mine, torch.tensor(slow_rope(x.tolist(), positions.tolist(), 100.0)))


@pytest.mark.parametrize("theta", [10000.0, 10.0])
def test_rotation_is_multiplication_by_a_complex_number_of_length_one(theta):
    """Coordinates i and i + d/2 are the real and the imaginary part."""
    q, k = numbers(2, 3, 9, 8), numbers(2, 3, 9, 8, seed=1)
    speed = theta ** (-torch.arange(4) / 4)  # [d/2]
    turn = torch.polar(torch.ones(9, 4), torch.arange(9)[:, None] * speed)  # [T, d/2]
    for mine, x in zip(apply_rope(q, k, torch.arange(9), theta), (q, k), strict=True):
        product = torch.complex(x[..., :4], x[..., 4:]) * turn
        torch.testing.assert_close(mine, torch.cat([product.real, product.imag], dim=-1))


def test_a_unit_vector_shows_the_pairing_that_the_module_states():
    x = torch.eye(4)[:1]  # [1, 4], all in coordinate 0
    turned, _ = apply_rope(x, x, torch.tensor([1]))
    torch.testing.assert_close(turned, torch.tensor([[math.cos(1), 0.0, math.sin(1), 0.0]]))
    assert "Coordinate i is paired with coordinate i + d/2" in inspect.getdoc(rope)


@pytest.mark.parametrize("shift", [1, 5, 100])
def test_a_score_depends_on_the_distance_of_two_positions_only(shift):
    q, k = numbers(6, 16), numbers(6, 16, seed=1)
    here = torch.arange(6)
    scores = [rotated[0] @ rotated[1].T for rotated in (apply_rope(q, k, here), apply_rope(q, k, here + shift))]
    torch.testing.assert_close(scores[0], scores[1], rtol=1e-4, atol=1e-4)


def test_a_score_does_depend_on_the_distance():
    q, k = numbers(2, 16), numbers(2, 16, seed=1)
    near, far = (apply_rope(q, k, torch.tensor(positions)) for positions in ([0, 1], [0, 4]))
    assert not torch.allclose(near[0] @ near[1].T, far[0] @ far[1].T, atol=1e-2)


def test_position_zero_is_left_alone_and_no_length_changes():
    q, k = numbers(3, 8), numbers(3, 8, seed=1)
    turned, _ = apply_rope(q, k, torch.arange(3))
    torch.testing.assert_close(turned[0], q[0])
    torch.testing.assert_close(turned.norm(dim=-1), q.norm(dim=-1))


def test_rotation_leaves_its_inputs_alone_and_keeps_their_type():
    q, k = numbers(3, 8).bfloat16(), numbers(3, 8, seed=1).bfloat16()
    kept = q.clone(), k.clone()
    assert apply_rope(q, k, torch.arange(3))[0].dtype == torch.bfloat16
    assert q.equal(kept[0])
    assert k.equal(kept[1])


def test_an_odd_head_width_is_refused():
    with pytest.raises(ValueError, match="a head width of 3"):
        apply_rope(numbers(2, 3), numbers(2, 3), torch.arange(2))
