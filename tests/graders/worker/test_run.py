"""What comes out of a probe: plain arrays of plain values, the same for the same seed whatever a part has set."""

import numpy as np
import pytest
import torch

from graders.worker.draw import draws
from graders.worker.neutral import Neutral, sow
from graders.worker.run import as_array


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (torch.ones(2, 3), "<f4", (2, 3)),
        (torch.ones(2, dtype=torch.float64), "<f8", (2,)),
        (torch.ones(2, dtype=torch.bfloat16), "<f4", (2,)),
        (torch.ones(2, dtype=torch.int32), "<i8", (2,)),
        (torch.ones(2, dtype=torch.bool), "|b1", (2,)),
        (torch.nn.Parameter(torch.ones(2)), "<f4", (2,)),
        (torch.ones(4, 4).t()[1:], "<f4", (3, 4)),
        (1.5, "<f8", ()),
        (True, "|b1", ()),
        ("text", "|u1", (4,)),
        (np.ones(2), "<f8", (2,)),
    ],
)
def test_a_plain_value_becomes_a_plain_array(value, dtype, shape):
    array = as_array(value)
    assert (array.dtype.str, array.shape) == (dtype, shape)


class Liar(torch.Tensor):
    pass


class Number(float):
    pass


@pytest.mark.parametrize(
    "value",
    [
        torch.ones(2).as_subclass(Liar),
        Number(1.0),
        torch.ones(2, 2).to_sparse(),
        torch.ones(2, dtype=torch.complex64),
        [1.0],
        (torch.ones(1),),
        np.array([object()]),
        torch.nn.Linear(1, 1),
        lambda: 0,
    ],
)
def test_what_is_not_plain_is_refused(value):
    with pytest.raises(TypeError):
        as_array(value)


def test_nothing_stays_nothing():
    assert as_array(None) is None


def test_inputs_depend_on_the_seed_alone():
    first = draws(5)(3)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(99)
    try:
        again = draws(5)(3)
    finally:
        torch.set_default_dtype(torch.float32)
    assert first.dtype is again.dtype is torch.float32
    assert torch.equal(first, again)
    assert not torch.equal(first, draws(6)(3))


def test_a_probe_starts_neutral_and_leaves_no_setting_behind():
    with torch.no_grad(), torch.inference_mode():
        with Neutral():
            torch.set_default_dtype(torch.float64)
            assert torch.is_grad_enabled()
            assert not torch.is_inference_mode_enabled()
        assert torch.get_default_dtype() is torch.float32
        assert torch.is_inference_mode_enabled()
    assert torch.is_grad_enabled()


def test_every_source_of_random_numbers_is_sown():
    import random

    def drawn():
        sow(3)
        return random.random(), float(np.random.rand()), float(torch.rand(()))

    assert drawn() == drawn()
