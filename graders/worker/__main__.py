"""Start the server: `python -m graders.worker SETTINGS`. Only the engine does this.

The order matters: namespaces while the process is still small, then everything heavy, then the wall, which counts memory from there.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import os
import socket
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from graders.worker import pages
from graders.worker import settings as settings_
from graders.worker.wall import scratch, stack

if TYPE_CHECKING:
    from graders.worker.whole import Whole


def main() -> None:
    """Get ready, say so, serve."""
    settings = settings_.read(sys.argv[1])
    missing = stack.leave_root(_needed(settings)) | stack.missing_layers(settings.layers)
    pids = stack.enter(missing)
    engine = socket.socket(fileno=settings.socket)
    room = scratch.prepare(mounted=pids is not None)
    os.environ.update(HOME=str(room.room), TMPDIR=str(room.room))
    scratch.renew(room)
    torch_version, good = _load(settings)
    scratch.clear(room)
    regions = pages.private_regions()
    wall = stack.build(missing, pids, settings.readable, room)
    gc.collect()
    gc.freeze()
    from graders.worker.serve import serve

    engine.sendall(
        json.dumps({"missing": dict(missing), "torch": torch_version, "scratch": "" if room.mounted else str(room.ground)}).encode() + b"\n"
    )
    try:
        serve(engine, wall, good, regions)
    finally:
        scratch.leave(room)
    os._exit(0)  # to take a process with torch apart piece by piece takes as long as ten submissions


def _needed(settings: settings_.Settings) -> list[str]:
    """Some files of each kind that is read from here on."""
    libraries = [importlib.util.find_spec(name) for name in ("torch", "numpy", "json")]
    files = [spec.origin for spec in libraries if spec is not None and spec.origin]
    return [*files, __file__, *(folder for folder in (settings.probes, settings.tiny_lm) if folder), *map(str, Path(settings.probes).glob("*.py"))]


def _load(settings: settings_.Settings) -> tuple[str, Whole]:
    """Import torch, the given parts, the machine's worker and the kit's probes; run the usual operations once.

    The version of torch, and what no student's code should change of all that.
    """
    import torch

    from graders.worker import run, serve, warm, whole  # noqa: F401 - loaded now, for nothing of this folder can be read later

    torch.set_num_threads(1)
    if settings.tiny_lm:
        _package("tiny_lm", Path(settings.tiny_lm))
    probes = importlib.import_module("graders.probes")
    probes.__path__ = [settings.probes, *probes.__path__]  # the kit's own come first; what probe writers share comes from the machine
    for name in _modules("graders.probes", Path(settings.probes)):
        run.probes_of(name)
    warm.warm()
    sys.modules["graders"].__path__ = []
    sys.path.remove(os.environ.pop("PYTHONPATH"))  # where the engine found this folder; its neighbours are not to be imported
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter, PathFinder]  # no editable install leads back into the kit
    return str(torch.__version__), whole.remember()


def _package(name: str, folder: Path) -> None:
    """Import a package from a folder that is on no path, so that its neighbours cannot be imported too."""
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} cannot be imported")
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    _modules(name, folder)


def _modules(package: str, folder: Path) -> list[str]:
    """Import every module that lies in a package's folder. Their names."""
    names = [file.stem for file in sorted(folder.glob("*.py")) if file.stem != "__init__"]
    for name in names:
        importlib.import_module(f"{package}.{name}")
    return names


if __name__ == "__main__":
    main()
