"""The sizes of the small language model that the lessons build."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class ModelConfig:
    """Widths and constants of one transformer block."""

    d_model: int = 64
    n_heads: int = 2
    d_ff: int = 128
    norm_eps: float = 1e-5
    rope_theta: float = 10000.0
