"""The attention parts against torch's own operator and against loops that anyone can read."""

import math

import pytest
import torch
from torch.nn import functional as F

from tiny_lm.attention import attention_2d, merge_heads, split_heads


def numbers(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def slow_attention(q, k, v, causal):
    """One head, [T][d] lists of Python floats: the context and the weights."""
    context, weights = [], []
    for t in range(len(q)):
        seen = range(t + 1) if causal else range(len(k))
        scores = [sum(a * b for a, b in zip(q[t], k[s], strict=True)) / math.sqrt(len(q[t])) for s in seen]
        shares = [math.exp(score) for score in scores]
        row = [share / sum(shares) for share in shares]
        context.append([sum(row[s] * v[s][i] for s in seen) for i in range(len(v[0]))])
        weights.append(row + [0.0] * (len(k) - len(row)))
    return context, weights


@pytest.mark.parametrize("causal", [True, False])
def test_attention_agrees_with_a_slow_loop(causal):
    q, k, v = (numbers(5, 4, seed=seed) for seed in range(3))
    context, weights = attention_2d(q, k, v, causal)
    slow_context, slow_weights = slow_attention(q.tolist(), k.tolist(), v.tolist(), causal)
    torch.testing.assert_close(context, torch.tensor(slow_context, dtype=torch.float64))
    torch.testing.assert_close(weights, torch.tensor(slow_weights, dtype=torch.float64))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("shape", [(2, 3, 7, 8), (1, 1, 1, 2), (6, 4)])
def test_attention_agrees_with_torchs_own_operator(shape, causal):
    q, k, v = (numbers(*shape, seed=seed) for seed in range(3))
    torch.testing.assert_close(attention_2d(q, k, v, causal)[0], F.scaled_dot_product_attention(q, k, v, is_causal=causal))


def test_attention_looks_back_unless_told_otherwise():
    weights = attention_2d(*(numbers(4, 2, seed=seed) for seed in range(3)))[1]
    assert weights.triu(1).eq(0).all()
    assert weights.tril().sum(-1).allclose(torch.ones(4, dtype=torch.float64))


def test_huge_scores_give_no_nan():
    q = torch.full((3, 2), 1e4)
    context, _ = attention_2d(q, q, torch.ones(3, 2))
    torch.testing.assert_close(context, torch.ones(3, 2))


def test_splitting_gives_each_head_its_own_run_of_coordinates():
    x = numbers(2, 3, 8)
    heads = split_heads(x, 4)
    assert heads.shape == (2, 4, 3, 2)
    for batch in range(2):
        for head in range(4):
            for position in range(3):
                for i in range(2):
                    assert heads[batch, head, position, i] == x[batch, position, 2 * head + i]


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_merging_undoes_splitting(heads):
    x = numbers(2, 5, 8)
    assert merge_heads(split_heads(x, heads)).equal(x)


def test_heads_that_do_not_divide_the_width_are_refused():
    with pytest.raises(ValueError, match="a width of 8 cannot be split into 3 heads"):
        split_heads(numbers(1, 1, 8), 3)


def test_split_attend_merge_is_what_torchs_multihead_attention_does():
    x = numbers(2, 6, 8)
    torchs = torch.nn.MultiheadAttention(8, 2, bias=False, batch_first=True, dtype=torch.float64)
    q, k, v = (split_heads(x @ weight.T, 2) for weight in torchs.in_proj_weight.chunk(3))
    mine = merge_heads(attention_2d(q, k, v)[0]) @ torchs.out_proj.weight.T
    future = torch.ones(6, 6, dtype=torch.bool).triu(1)
    torch.testing.assert_close(mine, torchs(x, x, x, attn_mask=future, need_weights=False)[0])
