"""The visible tests in a process of their own, and how to ask it. Nothing to fill in here. Standard library, pytest and torch only.

A helper process imports torch and pytest, then waits. For each line that it is sent it runs the tests once and answers one line of JSON:
a list of records, one a test, or null where the run ended early. On Linux it stays, and each run is a fork of it, so torch stays warm.
Elsewhere a fork is not to be had or not safe; there a helper runs once, and the next one is started at once, to be ready for the next save.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CAN_FORK = sys.platform == "linux"
FORK = "--fork"


class Runner:
    """Asks a helper for runs of the visible tests. `seconds` bounds one run. Close it at the end."""

    def __init__(self, seconds, fork=CAN_FORK):
        self.seconds, self.fork = seconds, fork
        self.start()

    def start(self):
        """A new helper; it begins to import torch at once."""
        self.said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - `close` closes it
        words = [sys.executable, "-m", f"{HERE.name}._run", str(self.seconds), *([FORK] if self.fork else [])]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, cwd=HERE.parent, stdin=pipe, stdout=pipe, stderr=self.said, text=True)  # noqa: S603 - our own words

    def run(self):
        """The records of one run, or a sentence about a run that ended early."""
        try:
            self.process.stdin.write("run\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline().strip()
        except OSError:
            line = ""
        return json.loads(line) if line not in ("", "null") else self.why()

    def why(self):
        """What the helper said last: where a run was stopped for time, else its last line."""
        self.said.seek(0)
        lines = self.said.read().strip().splitlines()
        self.said.seek(0)
        self.said.truncate()
        for line in lines:  # as faulthandler writes them, the innermost call first
            found = re.fullmatch(r'\s*File "(.+)", line (\d+) in (.+)', line)
            if found and Path(found[1]).resolve().parent == HERE and not Path(found[1]).name.startswith(("_", "test_")):
                place = f"{HERE.name}/{Path(found[1]).name}, line {found[2]}, in {found[3]}"
                return f"Stopped after {self.seconds:g} s at {place}. Does a loop there never end?"
        return f"The visible tests ended before they were finished. {lines[-1] if lines else ''}".strip()

    def ready(self):
        """Have a helper for the next run."""
        if not self.fork or self.process.poll() is not None:
            self.close()
            self.start()

    def close(self):
        """End the helper."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.said):
            with contextlib.suppress(OSError):
                stream.close()


class Seen:
    """A pytest plugin that notes what became of each test, and ends the process when they take longer than `seconds`."""

    def __init__(self, seconds):
        self.records, self.seconds = [], seconds
        self.errors = os.dup(2)  # pytest turns 2 itself elsewhere while tests run

    def pytest_collection(self):
        faulthandler.dump_traceback_later(self.seconds, exit=True, file=self.errors)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.failed:
            state = "passed" if report.passed else "unfinished" if getattr(report, "unfinished", "") else "failed"
            self.note(report, state)

    def pytest_collectreport(self, report):
        if report.failed:
            self.note(report, "unread")

    def pytest_unconfigure(self, config):
        for record in self.records:
            record["hint"] = getattr(config, "hint", {}).get(record["opens"], "")

    def note(self, report, state):
        file, _, name = report.nodeid.partition("::")
        opens = Path(getattr(report, "opens", "")).name
        record = {"test": Path(file).name, "name": name, "state": state, "opens": opens, "text": report.longreprtext, "printed": report.capstdout}
        self.records.append(record)


def helper(seconds, fork):
    """Answer on what was the standard output; from now on that goes where errors go, so that no print gets between the answers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command, which then ends this process
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    for name in ("pytest", "torch", "torch.testing"):
        importlib.import_module(name)
    sys.modules["torch"].set_num_threads(1)  # small tensors; and a fork must find no other thread
    for _ in sys.stdin:
        if not fork:
            return answer(answers, seconds)
        forked(answers, seconds)
    return None


def forked(answers, seconds):
    """One run in a fork; afterwards import here what it had to import, so that the next fork has it already."""
    inlet, outlet = os.pipe()
    gc.freeze()  # the fork's garbage collector need not look through all of torch
    child = os.fork()
    if not child:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.close(inlet)
        before = set(sys.modules)
        answer(answers, seconds)
        with os.fdopen(outlet, "w") as names:
            names.write(" ".join(name for name in sys.modules if name not in before))
        os._exit(0)
    os.close(outlet)
    with os.fdopen(inlet) as names:
        used = names.read().split()
    if os.waitpid(child, 0)[1]:
        tell(answers, None)
    for name in used:
        top = HERE.parent / name.split(".")[0]
        if not (top.is_dir() or top.with_suffix(".py").exists()):  # what may change is read anew each time
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def answer(answers, seconds):
    """Run the tests in this process and write the records; a run over its time ends this process, and says where it was."""
    import pytest

    for file in HERE.glob("*.py"):
        if not file.name.startswith("test_"):  # Python takes an old one for good when two saves fall into one second
            Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)
    seen = Seen(seconds)
    unused = ("cacheprovider", "faulthandler", "unraisableexception")  # the last takes half of a run's time
    pytest.main([str(HERE), "--color=no", "-o", "addopts=", *(f"-pno:{name}" for name in unused)], plugins=[seen])
    faulthandler.cancel_dump_traceback_later()
    tell(answers, seen.records)


def tell(answers, records):
    """One line of JSON."""
    answers.write(json.dumps(records) + "\n")
    answers.flush()


if __name__ == "__main__":
    helper(float(sys.argv[1]), FORK in sys.argv)
