"""Visible tests for exercise 3: shapes, the pieces, and what is left when branches are silent."""

import torch

from exercises.block import TransformerBlock
from tiny_lm.model import ModelConfig


def test_the_output_has_the_shape_of_the_input():
    config = ModelConfig(d_model=64, n_heads=2, d_ff=128)
    assert TransformerBlock(config)(torch.randn(1, 3, 64)).shape == (1, 3, 64)
    narrow = ModelConfig(d_model=8, n_heads=2, d_ff=16)
    assert TransformerBlock(narrow)(torch.randn(2, 5, 8)).shape == (2, 5, 8)


def test_the_pieces_follow_the_config():
    block = TransformerBlock(ModelConfig(d_model=8, n_heads=2, d_ff=24, norm_eps=0.5))
    assert block.ffn.gate_proj.weight.shape == (24, 8)
    assert block.attention.q_proj.weight.shape == (8, 8)
    assert block.norm1.eps == 0.5 and block.norm2.eps == 0.5


def test_each_branch_has_a_norm_of_its_own():
    block, x = TransformerBlock(ModelConfig()), torch.randn(1, 3, 64)
    block(x).square().mean().backward()
    assert block.norm1.scale is not block.norm2.scale
    assert block.norm1.scale.grad is not None and block.norm2.scale.grad is not None


def test_silent_branches_give_x():
    block, x = TransformerBlock(ModelConfig()), 10 * torch.randn(2, 3, 64)
    torch.nn.init.zeros_(block.attention.out_proj.weight)
    torch.nn.init.zeros_(block.ffn.down_proj.weight)
    torch.testing.assert_close(block(x), x)


def test_with_a_silent_feed_forward_branch_attention_is_added_to_x():
    block, x = TransformerBlock(ModelConfig()), 10 * torch.randn(2, 3, 64)
    torch.nn.init.zeros_(block.ffn.down_proj.weight)
    torch.testing.assert_close(block(x) - x, block.attention(block.norm1(x)), rtol=1e-3, atol=1e-4)


def test_a_larger_x_makes_the_branches_no_louder():
    block, x = TransformerBlock(ModelConfig()), torch.randn(2, 3, 64)
    update, larger = block(x) - x, block(100 * x) - 100 * x
    assert larger.abs().max() < 10 * update.abs().max()


def test_the_gradient_is_finite():
    x = torch.randn(1, 3, 64, requires_grad=True)
    TransformerBlock(ModelConfig())(x).square().mean().backward()
    assert x.grad.isfinite().all() and x.grad.abs().max() > 0
