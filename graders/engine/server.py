"""The engine's handle on one running server: start it, give it a job, kill its child, learn how it ended, end it.

What the socket carries is described in graders/worker/serve.py. Every wait here has a deadline; what passes it raises LostError.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass

COMMAND = struct.Struct("<cHI")
ENDING = struct.Struct("<if?")
ANSWER_SECONDS = 10.0


class LostError(Exception):
    """The server is dead or does not answer: nobody's fault but the kit's own."""


@dataclass(frozen=True)
class Ending:
    """How a child ended: exit code (negative: a signal), CPU seconds, and whether these were all it had."""

    code: int
    cpu_seconds: float
    spent: bool = False


@dataclass(frozen=True)
class Server:
    """A running server. `missing` tells why each layer that is not in force is not; `torch` is the version inside.

    `scratch` is the folder it works in where that is no mount of its own: a server that was killed cannot remove it.
    """

    process: subprocess.Popen[bytes]
    socket: socket.socket
    inside: int | None
    missing: dict[str, str]
    torch: str
    scratch: str

    def begin(self, job: bytes, cpu_seconds: float, memory_mb: int) -> int:
        """Hand a job to a new child. The reading end of its pipe."""
        read, write = os.pipe()
        file = _in_memory(job)
        try:
            socket.send_fds(self.socket, [COMMAND.pack(b"J", max(1, min(int(cpu_seconds + 0.999), 65535)), memory_mb)], [file, write])
        except OSError as error:
            os.close(read)
            raise LostError("the server is gone") from error
        finally:
            os.close(file)
            os.close(write)
        return read

    def wait_for_ending(self, seconds: float) -> bool:
        """Whether the child ends by itself in this time."""
        return bool(select.select([self.socket], [], [], seconds)[0])

    def end_child(self) -> Ending:
        """Kill the child, if it is still there, and learn how it ended."""
        try:
            self.socket.sendall(COMMAND.pack(b"K", 0, 0))
        except OSError as error:
            raise LostError("the server is gone") from error
        code, cpu, spent = ENDING.unpack(_receive(self.socket, ENDING.size, time.monotonic() + ANSWER_SECONDS))
        return Ending(os.waitstatus_to_exitcode(code), cpu, spent)

    def close(self, patience: float = 5.0) -> None:
        """End the server and all that it started: by closing the socket, and by force where that does not help in time."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)  # closing alone tells nobody while another thread waits on the socket
        self.socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        self.kill()

    def kill(self) -> None:
        """End the server by force."""
        if self.inside is not None:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self.inside, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.close(self.inside)
        self.process.kill()
        self.process.wait()
        self.socket.close()
        if self.scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)


def _in_memory(data: bytes) -> int:
    """A descriptor to read `data` from, with no name anywhere."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("job")
    else:
        with tempfile.TemporaryFile() as nameless:
            file = os.dup(nameless.fileno())
    while data:
        data = data[os.write(file, data) :]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _receive(source: socket.socket, size: int, deadline: float) -> bytes:
    """Exactly `size` bytes, in time."""
    data = b""
    while len(data) < size:
        ready, _, _ = select.select([source], [], [], max(0.0, deadline - time.monotonic()))
        try:
            piece = source.recv(size - len(data)) if ready else b""
        except OSError:
            piece = b""
        if not piece:
            raise LostError("the server does not answer" if not ready else "the server is gone")
        data += piece
    return data


def read_line(source: socket.socket, deadline: float) -> bytes:
    """Bytes up to and with a line's end, in time. Raises LostError."""
    data = b""
    while not data.endswith(b"\n"):
        data += _receive(source, 1, deadline)
    return data
