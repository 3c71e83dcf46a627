"""Submissions to the toy kit, and the program as a user starts it."""

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from threading import Lock

import pytest

from graders.engine import grader
from graders.engine.kit import read_kit
from graders.engine.observer import Observer
from graders.faces import cli, commands_author, commands_kit, commands_report

ROOT = Path(__file__).parents[3]
TOYKIT = ROOT / "tests" / "toykit"
ADDER = "def add(a, b):\n    return a + b\n"
MIXER = (TOYKIT / "solutions/mixer.py").read_text(encoding="utf-8")


@pytest.fixture
def submission(tmp_path):
    """Write a submission: `submission("ann", adder="...", mixer="...")`. What is not named is right; None leaves a file out."""

    def write(label, folder=tmp_path / "class", **texts):
        place = folder / label
        place.mkdir(parents=True)
        for name, text in {"adder": ADDER, "mixer": MIXER, **texts}.items():
            if text is not None:
                (place / f"{name}.py").write_text(text, encoding="utf-8")
        return place

    return write


@pytest.fixture(scope="session")
def worker():
    """One real worker on the toy kit for all tests of faces: starting one takes seconds."""
    with Observer(read_kit(TOYKIT)) as observer:
        yield Shared(observer)


class Shared:
    """A running observer in place of a new one: not closed after use, and used by one thread at a time."""

    def __init__(self, observer):
        self.observer, self.isolation, self.lock = observer, observer.isolation, Lock()

    def observe(self, *job):
        with self.lock:
            return self.observer.observe(*job)

    def observe_rounds(self, *job):
        with self.lock:
            return self.observer.observe_rounds(*job)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


@pytest.fixture
def graders(worker, monkeypatch, capsys):
    """Run `python -m graders` with these words on the toy kit, in this process; exit code and output as of a process."""
    monkeypatch.setenv("COLUMNS", "80")
    for module in (grader, commands_author, commands_kit, commands_report):
        monkeypatch.setattr(module, "Observer", lambda *_, **__: worker)
    monkeypatch.setattr(cli, "begin", lambda *_: nullcontext())

    def run(*words, kit=TOYKIT):
        monkeypatch.setattr(sys, "argv", ["graders", *map(str, words), "--kit", str(kit)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return subprocess.CompletedProcess(words, ended.value.code or 0, out, err)

    return run


def environment(**more):
    """A narrow terminal without colour, and no cache of observations but the test's."""
    return {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}


def program(*words, place=ROOT, **more):
    """Run `python` with these words to its end, with its output as text."""
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, cwd=place, env=environment(**more), capture_output=True, text=True, timeout=120, check=False)
