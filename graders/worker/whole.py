"""BEHIND THE WALL: are the functions still whole that everything else rests on? Compared with what they were before any student's code ran.

To look at some thousand functions copies a page of memory for most of them in a forked process, 3 ms in all. CPython before 3.13 counts the
changes of each dict, so that an untouched one is known by one number. Asked once, at a job's end.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import importlib
import sys
from collections import ChainMap
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from graders.worker.load import PACKAGE
from graders.worker.watch import own

MODULES = """
builtins json math os random numpy numpy.linalg numpy.random numpy.testing
torch torch.autograd torch.linalg torch.nn torch.nn.functional torch.nn.init torch.testing
""".split()  # noqa: SIM905 - a list to be read
CLASSES = """
torch._C.TensorBase torch.Tensor torch.nn.Parameter torch.nn.Module torch.nn.Linear torch.nn.LayerNorm torch.nn.Embedding torch.nn.Dropout
""".split()  # noqa: SIM905
OURS = ("graders", "tiny_lm")
HOOKS = "torch.nn.modules.module"  # holds those that every module runs
PLAIN = (bool, int, float, complex, str, object)
COUNTER = 24  # bytes from the start of a dict to its counter of changes
FIRST = ("json", "os", "numpy", "torch", "torch.nn")  # beside our own, the modules that must stay what these names give
MOST = 8
SHOWN = ("__repr__", "__str__", "__format__", "__dir__", "extra_repr", "print")  # people who look for a mistake change how things are shown
_DICT = type.__dict__["__dict__"].__get__


@dataclass(frozen=True)
class Space:
    """What a module or a class holds, and held at first. `hides` is what a class would hide of its bases if it had it too."""

    name: str
    now: dict[str, Any]
    held: dict[str, Any]
    hides: dict[str, Any]


@dataclass(frozen=True)
class Whole:
    """All that is looked after. `counters` is None where changes are not counted."""

    spaces: tuple[Space, ...]
    counters: tuple[ctypes.c_uint64, ...] | None
    counts: tuple[int, ...]
    hooks: dict[str, Any]
    modules: dict[str, Any]


def remember() -> Whole:
    """Call when everything is imported and nothing of a student's was run."""
    ours = [name for name in sys.modules if name.split(".")[0] in OURS]
    modules = {name: sys.modules[name] for name in (*MODULES, *ours) if name in sys.modules}
    classes = {name: _class(name) for name in CLASSES}
    for name in ours:
        own = (one for one in vars(modules[name]).values() if isinstance(one, type) and one.__module__ == name)
        classes.update({f"{name}.{one.__name__}": one for one in own})
    spaces = [Space(name, vars(module), dict(vars(module)), {}) for name, module in modules.items()]
    for name, kind in classes.items():
        spaces.append(Space(name, _names(kind), dict(vars(kind)), dict(ChainMap(*(dict(vars(base)) for base in kind.__mro__[1:])))))
    counters = tuple(ctypes.c_uint64.from_address(id(space.now) + COUNTER) for space in spaces) if _counted() else None
    hooks = {name: one for name, one in vars(sys.modules[HOOKS]).items() if name.startswith("_global_") and isinstance(one, dict)}
    return Whole(tuple(spaces), counters, _values(counters or ()), hooks, {name: modules[name] for name in (*FIRST, *ours)})


def broken(whole: Whole) -> Iterator[tuple[str, str]]:
    """Kind and name of what is no longer as it was."""
    now = _values(whole.counters or ())
    for place, space in enumerate(whole.spaces):
        if whole.counters is None or now[place] != whole.counts[place]:
            yield from (("patched", f"{space.name}.{name}") for name in _changed(space))
    yield from (("patched", f"sys.modules[{name!r}]") for name, module in whole.modules.items() if sys.modules.get(name) is not module)
    yield from (("hooks", name.removeprefix("_global_")) for name, found in whole.hooks.items() if found)
    if any(map(_students, sys.meta_path[: 2 * MOST])):
        yield "patched", "sys.meta_path"
    if sys.gettrace() is not None:
        yield "hook", "sys.settrace"


def _students(finder: object) -> bool:
    """Whether a class of the student's, or an object of one, looks for modules."""
    module = _DICT(finder if type(finder) is type else type(finder)).get("__module__")
    return type(module) is str and module.startswith(PACKAGE)


def _values(counters: tuple[ctypes.c_uint64, ...]) -> tuple[int, ...]:
    return tuple(counter.value for counter in counters)


def _changed(space: Space) -> list[str]:
    """Functions and classes that are others now, are gone, or hide those of a base. A new name hides nothing in a module."""
    others = [(name, one, space.now.get(name)) for name, one in space.held.items() if space.now.get(name) is not one]
    found = [name for name, one, new in others if callable(one) and not (_honest(new) or _around(new, one))]
    hiding = [(name, one, space.now[name]) for name, one in space.hides.items() if name in space.now and name not in space.held]
    found += [name for name, one, new in hiding if callable(new) and not _around(new, one)]
    return [name for name in found if name not in SHOWN][:MOST]


def _around(new: object, old: object) -> bool:
    """Whether it says of itself that it is the old one with something around: a default of one's own, a count, a log."""
    for _ in range(MOST):
        if new is old:
            return True
        new = new.func if type(new) is functools.partial else vars(new).get("__wrapped__") if type(new) is FunctionType else None
    return False


def _honest(new: object) -> bool:
    """Some libraries wrap each other's functions when they are first used, and old code puts plain types back where numpy once had them."""
    return (type(new) is FunctionType and not own(new.__code__)) or any(new is kind for kind in PLAIN)


def _class(name: str) -> type:
    module, _, kind = name.rpartition(".")
    found: type = getattr(importlib.import_module(module), kind)
    return found


def _names(kind: type) -> dict[str, Any]:
    """The dict behind what `vars` shows of a class."""
    [names] = gc.get_referents(vars(kind))
    found: dict[str, Any] = names
    return found


def _counted() -> bool:
    """Whether this Python counts the changes of a dict where it did up to 3.12."""
    if sys.implementation.name != "cpython" or sys.version_info >= (3, 13):
        return False
    tried = {"a": 0}
    counter = ctypes.c_uint64.from_address(id(tried) + COUNTER)
    before, same = counter.value, counter.value
    tried["a"] = 1
    return before == same != counter.value
