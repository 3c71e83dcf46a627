"""BEHIND THE WALL: turn the parts' texts into modules of one package named `exercises`, each loaded on first use.

`from .rmsnorm import X`, `from exercises.rmsnorm import X` and, where nothing else has that name, `from rmsnorm import X` all work.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import sys
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, ModuleType
from typing import Any

from graders.worker.draw import Draw, draws, stream
from graders.worker.neutral import Neutral

PACKAGE = "exercises"


class AbsentError(Exception):
    """A part, or a name in it, that a probe needs is not there."""

    outcome = "missing"


class Parts:
    """What a probe sees: `parts.rmsnorm.RMSNorm`. A part is loaded when it is first asked for."""

    def __init__(self, texts: Mapping[str, str], seed: int = 0) -> None:
        self._texts, self._seed = dict(texts), seed
        self._made: dict[str, Any] = {}
        install(self._texts)

    def once(self, make: Callable[[Parts, Draw], Any]) -> Any:
        """What `make(parts, draw)` gives, worked out once for all probes that ask for it; what it raises, it raises to each of them.

        For runs that several probes start from. `make` has a stream of inputs of its own, and nobody may write into what it gives.
        """
        name = f"{make.__module__}.{make.__name__}"
        if name not in self._made:
            try:
                self._made[name] = make(self, draws(stream(self._seed, name))), None
            except Exception as error:  # noqa: BLE001 - told to whoever asks
                self._made[name] = None, error
        made, trouble = self._made[name]
        if trouble is not None:
            raise trouble
        return made

    def __getattr__(self, name: str) -> Names:
        if name not in self._texts:
            raise AbsentError(f"{name}.py was not handed in")
        names = Names(name, importlib.import_module(f"{PACKAGE}.{name}"))
        vars(self)[name] = names  # found without this method from now on
        return names


class Names:
    """The public names of one loaded part. A name that is missing is told together with what was found instead."""

    def __init__(self, part: str, module: ModuleType) -> None:
        self._part, self._module = part, module

    def __getattr__(self, name: str) -> Any:
        try:
            return vars(self._module)[name]
        except KeyError:
            raise AbsentError(f"{name} not found in {self._part}.py; {self._instead(name)}") from None

    def _instead(self, name: str) -> str:
        own = [key for key, value in vars(self._module).items() if getattr(value, "__module__", None) == self._module.__name__]
        kinds = [key for key in own if isinstance(vars(self._module)[key], type)]
        found = (kinds if name[:1].isupper() else own)[:5]
        return f"found {', '.join(str(key)[:40] for key in found)}" if found else "nothing of that kind is defined there"


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the parts in memory, and nothing else: either the package and the parts in it, or the parts by their bare names."""

    def __init__(self, texts: Mapping[str, str], bare: bool = False) -> None:
        self.texts, self.bare = texts, bare
        self.failed: dict[str, BaseException] = {}

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        """A spec for the package and for its parts, or for a bare part name."""
        package, _, name = ("", "", fullname) if self.bare else fullname.partition(".")
        if fullname == PACKAGE and not self.bare:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if package in ("", PACKAGE) and name in self.texts:
            return importlib.machinery.ModuleSpec(fullname, self, origin=f"{PACKAGE}/{name}.py")
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """A bare name gives the package's own module, so that a class has one identity."""
        if spec.name in self.texts:
            return importlib.import_module(f"{PACKAGE}.{spec.name}")
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run a part's text in its module, once: what it raises goes to the importer, and again to every later one."""
        name = module.__name__.removeprefix(PACKAGE + ".")
        if name not in self.texts or vars(module).get("__loaded__"):
            return
        if name in self.failed:
            raise self.failed[name]
        try:
            self._execute(name, module)
        except BaseException as error:
            self.failed[name] = error
            raise

    def _execute(self, name: str, module: ModuleType) -> None:
        file = f"{PACKAGE}/{name}.py"
        module.__file__ = file
        linecache.cache[file] = (len(self.texts[name]), None, self.texts[name].splitlines(keepends=True), file)
        code = _compiled(self.texts[name], file)
        vars(module)["__loaded__"] = True
        with Neutral():
            exec(code, vars(module))  # noqa: S102 - this is what the worker is for


@functools.lru_cache(maxsize=16)
def _compiled(text: str, file: str) -> CodeType:
    """The kit's own variants share most of their texts."""
    return compile(text, file, "exec", dont_inherit=True)


def install(texts: Mapping[str, str]) -> None:
    """Make the texts importable: the package before any folder of that name, bare names last, so that no part hides a library."""
    # Only by name: looking at each of thousands of modules would copy a page of memory for each in a forked process.
    for name in (PACKAGE, *texts, *(f"{PACKAGE}.{text}" for text in texts)):
        if getattr(sys.modules.get(name), "__name__", "").split(".")[0] == PACKAGE:
            del sys.modules[name]
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Finder)]
    sys.meta_path.insert(0, Finder(texts))
    sys.meta_path.append(Finder(texts, bare=True))
