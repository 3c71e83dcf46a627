"""Code that ends, hangs, floods or eats: it costs its own checks, and each gets a sentence that says what happened."""

import time

import pytest

from graders.model import Outcome

CRASHES = {
    "exits at import": ("import os\nos._exit(0)", "your code ended the process (exit code 0)"),
    "exits when called": ("import os\ndef add(a, b):\n    os._exit(3)", "your code ended the process (exit code 3)"),
    "raises SystemExit at import": ("import sys\nsys.exit(0)", "SystemExit: 0"),
    "raises KeyboardInterrupt": ("def add(a, b):\n    raise KeyboardInterrupt", "KeyboardInterrupt"),
    "reads where nothing is": ("import ctypes\ndef add(a, b):\n    ctypes.string_at(0)", "stopped by signal 11"),
    "aborts": ("import os\ndef add(a, b):\n    os.abort()", "stopped by signal"),
    "recurses": ("def add(a, b):\n    return add(a, b)", "RecursionError"),
    "recurses without a limit": (
        "import sys\nsys.setrecursionlimit(10**7)\n"
        "class R:\n    def __getattr__(self, n):\n        return getattr(R(), n)\ndef add(a, b):\n    R().x",
        "stopped by signal 11",
    ),
    "fills a list": ("def add(a, b):\n    x = []\n    while True:\n        x.append(bytearray(1 << 20))", "MemoryError"),
    "asks for a huge tensor": ("import torch\ndef add(a, b):\n    return torch.ones(1 << 40)", "RuntimeError"),
    "closes every descriptor": ("import os\nos.closerange(0, 256)\ndef add(a, b):\n    return a + b", "your code ended the process"),
    "closes them and stays": (
        "import os, time\ndef add(a, b):\n    os.closerange(0, 256)\n    time.sleep(60)",
        "your code closed the way on which results leave",
    ),
    "gives too much": ("import torch\ndef add(a, b):\n    return torch.zeros(1 << 20)", "what came out is too large: a check may give"),
    "reads the keyboard": ("def add(a, b):\n    return input()", "EOFError"),
    "raises a group": ("def add(a, b):\n    raise ExceptionGroup('many', [ValueError(1)])", "ExceptionGroup: many"),
    "starts no thread that ends": (
        "import threading, time\ndef spin():\n    while True:\n        time.sleep(0.01)\n"
        "threading.Thread(target=spin).start()\ndef add(a, b):\n    raise ValueError('still here')",
        "ValueError: still here",
    ),
}


@pytest.mark.parametrize("name", CRASHES)
def test_a_crash_costs_its_own_checks_and_is_told(observe, name):
    text, sentence = CRASHES[name]
    seen = observe(text)
    for probe in ("adder.value", "adder.zeros"):
        assert seen[probe].fault is not None
        assert seen[probe].fault.outcome is Outcome.CRASHED
        assert sentence in seen[probe].fault.text


HANGS = {
    "loops at import": "while True:\n    pass",
    "loops when called": "def add(a, b):\n    while True:\n        pass",
    "sleeps": "import time\ntime.sleep(600)",
    "swallows what should stop it": (
        "import signal\nfor number in range(1, 32):\n    try:\n        signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError):\n        pass\n"
        "def add(a, b):\n    while True:\n        try:\n            while True:\n                pass\n"
        "        except BaseException:\n            pass"
    ),
    "waits for itself": "import threading\nlock = threading.Lock()\nlock.acquire()\ndef add(a, b):\n    lock.acquire()",
}


@pytest.mark.parametrize("name", HANGS)
def test_a_hang_costs_its_own_checks_and_is_told(observe, name):
    seen = observe(HANGS[name])
    for probe in ("adder.value", "adder.zeros"):
        assert seen[probe].fault is not None
        assert seen[probe].fault.outcome is Outcome.TIMED_OUT
        assert "did not finish within 1.5 s" in seen[probe].fault.text


def test_threads_that_burn_every_core_are_stopped_by_the_clock_of_the_processor(observe):
    burn = (
        "import threading\ndef burn():\n    while True:\n        sum(range(10000))\n[threading.Thread(target=burn).start() for _ in range(8)]\nburn()"
    )
    seen = observe(burn)
    assert seen["adder.value"].fault.outcome is Outcome.TIMED_OUT


@pytest.mark.parametrize(
    "text",
    [
        "import signal\nsignal.alarm(1)\ndef add(a, b):\n    return a + b",
        "import sys\nsys.stdout = sys.stderr = None\ndef add(a, b):\n    return a + b",
        "print('x' * 50_000_000)\ndef add(a, b):\n    print('y' * 10_000_000)\n    return a + b",
        "import os\nos.write(1, b'z' * 1_000_000)\nos.write(2, b'z' * 1_000_000)\ndef add(a, b):\n    return a + b",
        "import warnings\nwarnings.warn('careful')\ndef add(a, b):\n    warnings.warn('again')\n    return a + b",
        "import os, sys\nsys.stdout = open(os.devnull, 'w')\nprint('gone')\ndef add(a, b):\n    return a + b",
        "import sys\nsys.excepthook = sys.unraisablehook = None\ndef add(a, b):\n    return a + b",
        "import torch\ntorch.set_num_threads(16)\ndef add(a, b):\n    return a + b",
        "import os\nos.environ.clear()\nos.umask(0o777)\ndef add(a, b):\n    return a + b",
        "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\ntorch.manual_seed(0)\ndef add(a, b):\n    return a + b",
        "class Sticky:\n    def __del__(self):\n        while True:\n            pass\nkept = Sticky()\ndef add(a, b):\n    return a + b",
        "import atexit\natexit.register(lambda: 1 / 0)\ndef add(a, b):\n    return a + b",
    ],
)
def test_noise_costs_nothing(observe, clean, text):
    seen = observe(text)
    for probe in ("adder.value", "adder.zeros"):
        assert seen[probe].fault is None
        assert (seen[probe].arrays["y"] == clean[probe].arrays["y"]).all()


def test_many_exits_do_not_wear_the_worker_out(observe):
    start = time.monotonic()
    for _ in range(10):
        observe("import os\nos._exit(1)")
    assert time.monotonic() - start < 60


def test_what_one_submission_patches_is_whole_for_the_next(observe, clean):
    observe(
        "import torch, builtins\ntorch.Tensor.__add__ = torch.add = lambda *a, **k: a[0]\nbuiltins.len = lambda x: 0\ndef add(a, b):\n    return a"
    )
    assert (observe("def add(a, b):\n    return a + b")["adder.value"].arrays["y"] == clean["adder.value"].arrays["y"]).all()
