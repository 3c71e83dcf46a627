"""The sizes of a block."""

from dataclasses import asdict
from types import SimpleNamespace

import pytest
import torch

from solutions.block import TransformerBlock
from tiny_lm.model import ModelConfig


def test_the_lessons_sizes_are_the_ones_you_get_without_asking():
    assert ModelConfig() == ModelConfig(d_model=64, n_heads=2, d_ff=128, norm_eps=1e-5, rope_theta=10000.0)


@pytest.mark.parametrize("sizes", [{"d_model": 0}, {"n_heads": 0}, {"d_ff": -1}, {"n_heads": 3}, {"d_model": 6, "n_heads": 2}])
def test_sizes_that_no_block_can_have_are_refused(sizes):
    with pytest.raises(ValueError, match=r"a block needs|even width"):
        ModelConfig(**sizes)


def test_a_block_takes_its_numbers_from_whatever_holds_them():
    """So no answer leans on the class, and a check may hand a block another holder."""
    sizes = SimpleNamespace(**asdict(ModelConfig()))
    assert TransformerBlock(sizes)(torch.ones(1, 3, 64)).shape == (1, 3, 64)
