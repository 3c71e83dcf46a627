"""BEHIND THE WALL: the settings of torch that every probe starts from, whatever the student's code has set before.

The functions are taken when this module is imported, before any student's code can put others in their place.
"""

from __future__ import annotations

import random

import numpy as np
import torch

_DTYPE, _INFERENCE, _GRAD = torch.set_default_dtype, torch.inference_mode, torch.enable_grad
_GENERATOR, _RANDOM, _NUMPY = torch.default_generator, random.seed, np.random.seed
FLOAT = torch.float32


class Neutral:
    """A context: gradients on, inference mode off, float32 by default while it lasts, and again when it ends.

    Not made by contextlib, which would touch an exception that passes through, and run the code of a hostile one.
    """

    def __enter__(self) -> None:
        _DTYPE(FLOAT)
        self._modes = _INFERENCE(False), _GRAD()
        for mode in self._modes:
            mode.__enter__()

    def __exit__(self, *_: object) -> None:
        for mode in reversed(self._modes):
            mode.__exit__(None, None, None)
        _DTYPE(FLOAT)


def sow(number: int) -> None:
    """Seed every source of random numbers."""
    # torch.manual_seed would format a stack trace each time, for a GPU that is not there
    _GENERATOR.manual_seed(number)
    _RANDOM(number)
    _NUMPY(number)
