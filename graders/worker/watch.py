"""BEHIND THE WALL: notice what honest code does not do, while it does it. A hint for a person, never a proof: the notes lie in the watched process.

Python tells an audit hook of every file, socket, process and the like. Most of what it tells is honest: libraries open their own files when they
are first used, and so on. So only what the student's own lines ask for counts, by themselves or through the standard library, and only what is
clearly none of their business: a missing data file or a folder of their own machine is not.
"""

from __future__ import annotations

import resource
import socket
import sys
import sysconfig
from collections.abc import Iterable
from os import fsdecode, getpid
from os.path import normpath
from pathlib import Path, PosixPath
from types import CodeType, FrameType
from typing import Any

from graders.worker.load import PACKAGE

Clue = dict[str, str | int]
MOST = 16  # clues that are kept
LONGEST = 60
DEEPEST = 60  # frames that are looked at
OUT = 4  # the descriptor that results leave on
FILES = """
open os.listdir os.scandir os.walk os.remove os.rename os.chmod os.mkdir os.symlink os.link os.truncate glob.glob shutil.copyfile
""".split()  # noqa: SIM905 - a list to be read
SEARCHES = ("pathlib.Path.glob", "pathlib.Path.rglob")
KINDS = {
    **dict.fromkeys(("subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"), "process"),
    **dict.fromkeys(("socket.__new__", "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname"), "socket"),
    **dict.fromkeys(("os.kill", "os.killpg"), "signal"),
    **dict.fromkeys(("resource.setrlimit", "resource.prlimit"), "limit"),
    **dict.fromkeys(("ctypes.dlopen", "ctypes.dlsym", "ctypes.string_at", "ctypes.wstring_at", "ctypes.cdata"), "memory"),
    **dict.fromkeys((*FILES, *SEARCHES), "file"),
    "import": "import",
    "sys.addaudithook": "hook",
}
DIRECT = {  # done by the student's own line; libraries do it for honest reasons
    "sys._getframe": "frame",
    "sys._current_frames": "frame",
    "gc.get_referrers": "objects",
    "gc.get_referents": "objects",
    "object.__setattr__": "code",
}
EVENTS = frozenset((*KINDS, *DIRECT))
STDLIB = (sysconfig.get_path("stdlib") + "/", "<frozen ")
LIBRARIES = (sys.prefix + "/", sys.base_prefix + "/", sysconfig.get_path("purelib") + "/", sysconfig.get_path("platlib") + "/")
# What these look at is their own choice.
ON_BEHALF = ("<frozen importlib", *(f"{STDLIB[0]}{name}.py" for name in ("platform", "inspect", "linecache", "pdb", "bdb")))
# What the machine has to offer, and how much of it is used: looked at to save memory.
FIGURES = """
/proc/meminfo /proc/cpuinfo /proc/stat /proc/loadavg /proc/uptime /proc/version /proc/self/status /proc/self/stat /proc/self/statm /proc/self/io
/proc/driver/nvidia /sys/devices/system /sys/fs/cgroup /etc/os-release /etc/hostname
""".split()  # noqa: SIM905 - a list to be read
SYSTEM = ("/proc", "/sys", "/etc", "/root", "/boot", "/var", "/run", "/kit")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr")
SECRET = frozenset((".ssh", ".aws", ".gnupg", ".netrc", ".git", ".bash_history", "graders", "solutions"))


class Watch:
    """The clues of one child."""

    def __init__(self) -> None:
        self.clues: list[Clue] = []
        self._known: set[tuple[str, str]] = set()
        self._room = str(Path.cwd())
        self._beside = f"{Path.cwd().parent}/"
        self._me = f"/proc/{getpid()}/"
        self._busy = False  # what is done here is an event too

    def start(self) -> None:
        """From now on, until the process ends."""

        def hear(event: str, arguments: tuple[Any, ...]) -> None:  # a bound method would cost three times as much, and this is called often
            if event in EVENTS and not self._busy:
                self._busy = True
                try:
                    self._hear(event, arguments, sys._getframe(1))
                except Exception:  # noqa: BLE001 - what is watched must go on as if nobody watched
                    return
                finally:
                    self._busy = False

        sys.addaudithook(hear)

    def note(self, kind: str, name: str, frame: FrameType | None = None) -> None:
        """Keep a clue, each once, and not too many."""
        name = name[:LONGEST]
        if len(self.clues) < MOST and (kind, name) not in self._known:
            self._known.add((kind, name))
            part = frame.f_code.co_filename.removeprefix(PACKAGE + "/").removesuffix(".py") if frame else ""
            self.clues.append({"kind": kind, "name": name, "part": part[:LONGEST], "line": frame.f_lineno if frame else 0})

    def _hear(self, event: str, arguments: tuple[Any, ...], frame: FrameType) -> None:
        name = self._odd(event, arguments)
        if name is not None:
            asker = _asker(frame) if event in KINDS else frame if _students(frame) else None
            if asker is not None:
                self.note(KINDS.get(event) or DIRECT[event], name, asker)

    def _odd(self, event: str, arguments: tuple[Any, ...]) -> str | None:
        """The name of what is touched, where it is none of the student's business; None where it is nothing odd."""
        first: Any = arguments[0] if arguments else ""
        if event in FILES:
            return self._place(first, event, arguments[1:2])
        if event in SEARCHES:
            return self._place(f"{first}/{arguments[1]}", event, ()) if type(first) is PosixPath and type(arguments[1]) is str else None
        if event == "import":
            return first if type(first) is str and first.split(".")[0] in SECRET else None
        if event == "socket.__new__":
            return None if arguments[1] == socket.AF_UNIX else "a new one"  # asyncio makes pairs of them for itself
        if event == "sys._getframe":
            return None if _students(first) else "of the grader"
        if event == "object.__setattr__":
            return getattr(first, "__name__", "") if arguments[1] == "__code__" and not own(first.__code__) else None
        if KINDS.get(event) == "process":
            return _command(event, first, *arguments[1:2] or (None,)) or event
        if event == "resource.setrlimit":
            return None if first == resource.RLIMIT_STACK else "a limit"
        return first if type(first) is str and first else event

    def _place(self, path: Any, event: str, mode: tuple[Any, ...]) -> str | None:
        """A path that is clearly out of bounds. To look beside one's own folder is not."""
        if type(path) is int:
            return f"descriptor {path}" if path == OUT and event == "open" else None
        if type(path) not in (str, bytes):
            return None
        text = fsdecode(path)
        absolute = text.startswith("/")
        full = normpath(text if absolute else f"{self._room}/{text}").replace(self._me, "/proc/self/")
        reads = mode[:1] != ("w",) and mode[:1] != ("wb",)
        if full.startswith((*LIBRARIES, self._room)) or full in DEVICES or (reads and f"{full}/".startswith(self._beside)):
            return None
        device = absolute and full.startswith("/dev/")
        odd = device or (_within(full, SYSTEM) and not (reads and _within(full, FIGURES)))
        return full if odd or not SECRET.isdisjoint(full.split("/")) else None


def _command(event: str, first: Any, words: Any) -> str:
    """What was to be started, as a person would type it, without the folders of the program."""
    whole = (first,) if type(words) not in (list, tuple) or event != "subprocess.Popen" else words
    text = " ".join(fsdecode(word) for word in whole if type(word) in (str, bytes))
    program, _, rest = text.partition(" ")
    return f"{program.rpartition('/')[2]} {rest}".strip()


def _within(full: str, places: Iterable[str]) -> bool:
    return any(full == place or full.startswith(place + "/") for place in places)


def _asker(frame: FrameType | None) -> FrameType | None:
    """The student's line that asked for it, by itself or through the standard library. None where a library, or the worker, did."""
    for _ in range(DEEPEST):
        if frame is None or _students(frame):
            return frame
        file = frame.f_code.co_filename
        if not file.startswith(STDLIB) or "-packages/" in file or file.startswith(ON_BEHALF):
            return None
        frame = frame.f_back
    return None


def _students(frame: FrameType) -> bool:
    return own(frame.f_code)


def own(code: CodeType) -> bool:
    """Whether it is the student's code: a part's, or made from a text, as `exec` does."""
    file = code.co_filename
    return file.startswith((PACKAGE + "/", "<")) and not file.startswith("<frozen ")
