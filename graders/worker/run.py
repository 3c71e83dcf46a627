"""BEHIND THE WALL: run one probe over the parts and give its frame. It judges nothing: out come arrays, or a fault.

The seed of a job gives every probe its own stream of inputs, the same for the student, the reference and the mistakes.
"""

from __future__ import annotations

import functools
import importlib
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from graders import wire
from graders.model import Array
from graders.worker.draw import draws, stream
from graders.worker.faults import describe, trace
from graders.worker.load import Parts
from graders.worker.neutral import Neutral, sow

_NAME = type.__dict__["__name__"].__get__
NUMBERS = (bool, int, float, np.bool_, np.float32, np.float64, np.int64)


def run_probe(parts: Parts, sources: Mapping[str, str], probe: str, seed: int, noticed: Callable[[], dict[str, Any]] = dict) -> bytes:
    """The frame of one probe. One whose name begins with `rule_` gets the sources, and the parts behind them where it takes two arguments.

    `noticed` adds to the frame's head.
    """
    group, name = probe.split(".")
    function = probes_of(group)[name]
    number = stream(seed, probe)
    sow(number)
    try:
        with Neutral():
            result = function(*(sources, parts)[: function.__code__.co_argcount]) if name.startswith("rule_") else function(parts, draws(number))
            arrays = {key: as_array(value) for key, value in result.items()}
        return wire.pack({"probe": probe, **noticed()}, arrays)
    except BaseException as error:  # noqa: BLE001 - whatever a student's code raises is an outcome, exits included
        if issubclass(type(error), MemoryError):  # isinstance would ask the exception itself
            traceback.clear_frames(trace(error))  # the frames hold what used the memory up
        return wire.pack({"probe": probe, "fault": describe(error), **noticed()})


@functools.cache
def probes_of(group: str) -> Mapping[str, Callable[..., Mapping[str, Any]]]:
    """What a file of probes holds, by name. The server asks for each file, so that no student's code can put others in their place."""
    return dict(vars(importlib.import_module(f"graders.probes.{group}")))


def as_array(value: Any) -> Array | None:
    """A plain array of a plain value. Subclasses are not plain. Raises TypeError for anything else."""
    if value is None:
        return None
    kind = type(value)  # compared by identity, for a student's metaclass may have an == of its own
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        return tensor_array(value)
    if any(kind is plain for plain in NUMBERS):
        return np.asarray(value)
    if kind is str:
        return np.frombuffer(value[:200].encode("utf-8", "replace"), np.uint8)
    if kind is np.ndarray and value.dtype.str in wire.DTYPES:
        array: Array = value
        return array
    raise TypeError(f"a plain tensor or number was expected, but {str(_NAME(kind))[:60]} came out")


def tensor_array(tensor: torch.Tensor) -> Array:
    """The numbers of a dense CPU tensor: floats narrower than 32 bits are widened, integers become 64 bits."""
    plain = tensor.detach()
    if plain.layout is not torch.strided or plain.is_complex() or plain.is_quantized:
        raise TypeError("a dense tensor of real numbers was expected")
    if plain.dtype in (torch.float16, torch.bfloat16):
        plain = plain.to(torch.float32)
    elif plain.dtype not in (torch.float32, torch.float64, torch.bool):
        plain = plain.to(torch.int64)
    array: Array = plain.cpu().contiguous().numpy()
    return array
