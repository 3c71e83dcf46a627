"""What honest code does not do is told to the instructor, whatever it costs; what honest code does is not."""

import pytest

from graders import wire

ADD = "\ndef add(a, b):\n    return a + b\n"
TRY = "try:\n    {}\nexcept Exception:\n    pass\n"

ODD = {
    "a file of the machine": ("open('/etc/passwd')", "adder.py, line 2: tried to open, list or change what is none of its business (/etc/passwd)"),
    "a file by many steps up": ("open('../../../../etc/shadow')", "(/etc/shadow)"),
    "a file by pathlib": ("import pathlib; pathlib.Path('/proc/self/maps').read_text()", "(/proc/self/maps)"),
    "the answers": ("open('/home/teacher/kit/solutions/adder.py')", "(/home/teacher/kit/solutions/adder.py)"),
    "a key": ("open('/home/teacher/.ssh/id_rsa')", "(/home/teacher/.ssh/id_rsa)"),
    "a folder": ("import os; os.listdir('/etc')", "(/etc)"),
    "a search for answers": ("import glob; glob.glob('/home/*/solutions/*.py')", "(/home/*/solutions/*.py)"),
    "a search for answers by pathlib": ("import pathlib; list(pathlib.Path('/home').rglob('solutions/*.py'))", "(/home/solutions/*.py)"),
    "a figure of the system, written to": ("open('/sys/fs/cgroup/memory.max', 'w')", "(/sys/fs/cgroup/memory.max)"),
    "what only begins like a figure": ("open('/proc/self/statuses')", "(/proc/self/statuses)"),
    "a walk": ("import os; list(os.walk('/proc/self/fd'))", "(/proc/self/fd)"),
    "shared memory": ("open('/dev/shm/left', 'w')", "(/dev/shm/left)"),
    "a file with an odd name": (r"open('/etc/\x1b[2J\u202e\n' + 'x' * 999)", "(/etc/?[2J??xxxxx"),
    "the way out, as a file": ("import os; os.fdopen(4, 'wb', closefd=False)", "(descriptor 4)"),
    "a connection": ("import socket; socket.create_connection(('127.0.0.1', 80))", "tried to use a socket (127.0.0.1)"),
    "a bare socket": ("import socket; socket.socket()", "tried to use a socket (a new one)"),
    "a page": ("import urllib.request; urllib.request.urlopen('http://127.0.0.1:1/')", "tried to use a socket"),
    "a command": ("import subprocess; subprocess.run(['/usr/bin/nvidia-smi', '-L'])", "adder.py, line 2: tried to start a process (nvidia-smi -L)"),
    "an installation": ("import subprocess, sys; subprocess.run([sys.executable, '-m', 'pip', 'install', 'x'])", " -m pip install x)"),
    "a command of a shell": ("import subprocess; subprocess.run('id; who', shell=True)", "tried to start a process (sh -c id; who)"),
    "a shell": ("import os; os.system('id')", "tried to start a process (id)"),
    "a fork": ("import os; os.fork()", "tried to start a process (os.fork)"),
    "a process": ("import multiprocessing as m; m.get_context('fork').Process(target=print).start()", "a process (os.fork)"),
    "another program": ("import os; os.execv('/bin/true', ['true'])", "tried to start a process (true)"),
    "a signal": ("import os; os.kill(os.getpid(), 0)", "tried to send a signal"),
    "its limits": ("import resource as r; r.setrlimit(r.RLIMIT_CPU, (9, 9))", "tried to change its own limits"),
    "machine code": ("import ctypes; ctypes.CDLL(None).getpid()", "reached past Python"),
    "memory": ("import ctypes; ctypes.string_at(id(1), 8)", "reached past Python"),
    "its callers": ("import sys; sys._getframe(1)", "looked at the calls above its own"),
    "all threads": ("import sys; sys._current_frames()", "looked at the calls above its own"),
    "what refers to what": ("import gc; gc.get_referrers(open)", "asked what refers to what in its process"),
    "a tracer": ("import sys; sys.settrace(lambda *a: None)", "put a hook into the interpreter (sys.settrace)"),
    "an audit hook": ("import sys; sys.addaudithook(lambda *a: None)", "put a hook into the interpreter"),
    "other code in a function": (
        "import torch; torch.nn.functional.relu.__code__ = (lambda input, inplace=False: input).__code__",
        "replaced the code of a function",
    ),
    "the grader": ("import graders.engine", "tried to import the grader's own side (graders.engine)"),
    "the solutions": ("import solutions.adder", "tried to import the grader's own side (solutions.adder)"),
    "a text that is run": ("exec(\"open('/etc/passwd')\")", "(/etc/passwd)"),
    "a function of torch": ("import torch; torch.allclose = lambda *a, **k: True", "replaced what is not its own: torch.allclose"),
    "one function by another": ("import torch; torch.equal = torch.allclose", "replaced what is not its own: torch.equal"),
    "a function that is gone": ("import torch; del torch.isclose", "replaced what is not its own: torch.isclose"),
    "one that wraps another": (
        "import torch, functools\n    torch.equal = functools.wraps(torch.add)(lambda *a: True)",
        "replaced what is not its own: torch.equal",
    ),
    "a part of another": ("import torch, functools; torch.equal = functools.partial(torch.allclose, atol=9)", "torch.equal"),
    "one that wraps itself": ("import torch\n    def f(*a):\n        pass\n    f.__wrapped__ = f\n    torch.equal = f", "torch.equal"),
    "a method that hides another": ("import torch; torch.Tensor.numpy = lambda self: None", "replaced what is not its own: torch.Tensor.numpy"),
    "a layer": ("import torch; torch.nn.Linear.forward = lambda self, x: x", "replaced what is not its own: torch.nn.Linear.forward"),
    "a builtin": ("import builtins; builtins.abs = lambda x: 0", "replaced what is not its own: builtins.abs"),
    "numpy": ("import numpy; numpy.allclose = lambda *a: True", "replaced what is not its own: numpy.allclose"),
    "the worker": ("import graders.worker.run as r; r.as_array = lambda v: None", "replaced what is not its own: graders.worker.run.as_array"),
    "a probe": ("import graders.probes.mixer as m; m.half = lambda *a: {}", "replaced what is not its own: graders.probes.mixer.half"),
    "a module": ("import sys, json, types; sys.modules['json'] = types.ModuleType('json')", "replaced what is not its own: sys.modules['json']"),
    "the imports": (
        "import sys\n    class F:\n        def find_spec(self, *a):\n            return None\n"
        "    sys.meta_path.insert(0, F())",
        "replaced what is not its own: sys.meta_path",
    ),
    "the imports, by a class, last": (
        "import sys\n    class F:\n        find_spec = staticmethod(lambda *a: None)\n    sys.meta_path.append(F)",
        "replaced what is not its own: sys.meta_path",
    ),
    "every module's hooks": ("import torch; torch.nn.modules.module.register_module_forward_hook(lambda *a: None)", "left a hook that every module"),
}


def noticed(seen):
    return [line for one in seen.values() for line in one.noticed]


@pytest.mark.parametrize("what", ODD)
def test_what_honest_code_does_not_do_is_told_in_one_line(observer_alone, what):
    code, said = ODD[what]
    lines = noticed(observer_alone(TRY.format(code) + ADD))
    assert any(said in line for line in lines), lines
    assert all(line.isprintable() and len(line) < 200 for line in lines)


SEND = "import os\nos.write(4, {!r})\n"
SEEN_FROM_HERE = {
    "a word": (SEND.format(b"Hello, is anybody there?") + ADD, "adder.value: the frame cannot be read"),
    "an answer nobody asked for": (SEND.format(wire.pack({"probe": "adder.secret"})) + ADD, "adder.value: a frame came that was not expected"),
    "an exit": ("import os\nos._exit(0)", "ended its own process with the exit code 0"),
    "a tracer that ends the worker": (
        "import sys\ndef t(frame, event, arg):\n    if frame.f_code.co_name == '_write':\n        raise ValueError\nsys.settrace(t)" + ADD,
        "ended the worker by code of its own that ran inside it: a tracer",
    ),
    "a profiler that ends the worker": (
        "import sys\ndef t(frame, event, arg):\n    if frame.f_code.co_name == '_write':\n        sys.exit()\nsys.setprofile(t)" + ADD,
        "ended the worker by code of its own that ran inside it: a tracer",
    ),
    "a closed way out": ("import os\nos.close(4)" + ADD, "closed the way on which results leave"),
    "a closed way out, and staying": (
        "import os, time\ndef add(a, b):\n    os.close(4)\n    time.sleep(60)",
        "closed the way on which results leave",
    ),
    "a clue of a kind that is not known": (
        SEND.format(wire.pack({"probe": "adder.value", "noticed": [{"kind": "murder", "name": ""}]})) + ADD,
        "adder.value: the header says something that it may not",
    ),
    "too many clues": (
        SEND.format(wire.pack({"probe": "adder.value", "noticed": [{"kind": "file", "name": ""}] * 99})) + ADD,
        "adder.value: the header says something that it may not",
    ),
}


@pytest.mark.parametrize("what", SEEN_FROM_HERE)
def test_what_is_seen_from_this_side_needs_no_word_of_the_child(observe, what):
    text, said = SEEN_FROM_HERE[what]
    assert any(said in line for line in noticed(observe(text)))


def test_more_after_the_last_answer_is_noticed_and_costs_nothing(observe):
    last = wire.pack({"probe": "mixer.ends"})
    more = f"w(data + (b'' if b'mixer.ends' not in data else {last!r}))"
    seen = observe(f"import graders.worker.child as c\nw = c._write\nc._write = lambda data: {more}{ADD}")
    assert all(one.fault is None for one in seen.values())
    assert "sent what counts for nothing, at the probe mixer.ends: a frame came that was not expected" in noticed(seen)
