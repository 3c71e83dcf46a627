"""The sizes of the small language model that the lessons build."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class ModelConfig:
    """Widths and constants of one transformer block. Raises ValueError for sizes that no block can have."""

    d_model: int = 64
    n_heads: int = 2
    d_ff: int = 128
    norm_eps: float = 1e-5
    rope_theta: float = 10000.0

    def __post_init__(self) -> None:
        # Only when it is made: a block reads five numbers, whoever holds them, and must not lean on this.
        if min(self.d_model, self.n_heads, self.d_ff) < 1:
            raise ValueError(f"a block needs sizes of at least 1, but here are {self}")
        if self.d_model % (2 * self.n_heads):
            raise ValueError(f"d_model must give each head an even width, but {self.d_model} numbers were to make {self.n_heads} heads")
