"""Attention heads, from lessons 8, 11 and 12: split the width, let each position gather values from its past, merge again."""

from __future__ import annotations

import torch


def split_heads(x: torch.Tensor, heads: int) -> torch.Tensor:
    """Cut the width into heads: [B, T, D] -> [B, H, T, d] with d = D / H. Raises ValueError where H does not divide D."""
    batch, length, width = x.shape
    if width % heads:
        raise ValueError(f"a width of {width} cannot be split into {heads} heads")
    x = x.reshape(batch, length, heads, width // heads)  # [B, T, H, d]
    return x.transpose(1, 2)  # [B, H, T, d]


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Put the heads side by side again: [B, H, T, d] -> [B, T, D]."""
    batch, heads, length, width = x.shape
    x = x.transpose(1, 2)  # [B, T, H, d]
    return x.reshape(batch, length, heads * width)  # [B, T, D]


def attention_2d(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    """Softmax attention over the last two axes [..., T, d]: the context [..., T, d] and the weights [..., T, T].

    Row t of the weights says how much position t takes from each position; with `causal` nothing from later ones.
    Source: Vaswani et al. 2017, scaled dot-product attention.
    """
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5  # [..., T, T]
    if causal:
        future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # each row sums to 1
    return weights @ v, weights
