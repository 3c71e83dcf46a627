"""Honest code, careless code and broken code is never noticed: these are habits of people who only want their exercise done."""

import pytest

ADD = "\ndef add(a, b):\n    return a + b\n"


def noticed(seen):
    return [line for one in seen.values() for line in one.noticed]


HONEST = {
    "prints": """
print('x' * 10000)
""",
    "warns": """
import warnings
warnings.filterwarnings('ignore')
warnings.warn('careful')
warnings.warn = print
warnings.showwarning = print
""",
    "seeds": """
import torch, random, numpy
torch.manual_seed(0)
random.seed(0)
numpy.random.seed(0)
torch.use_deterministic_algorithms(True)
""",
    "sets torch's defaults": """
import torch
torch.set_default_dtype(torch.float64)
torch.set_default_device('cpu')
torch.set_num_threads(2)
torch.set_printoptions(precision=3)
torch.set_grad_enabled(False)
torch.backends.cudnn.deterministic = True
""",
    "looks for trouble in gradients": """
import torch
torch.autograd.set_detect_anomaly(True)
""",
    "sets the recursion limit": """
import sys
sys.setrecursionlimit(3000)
""",
    "logs": """
import logging
logging.basicConfig(level=logging.DEBUG)
logging.getLogger(__name__).warning('x')
logging.FileHandler('log.txt')
""",
    "has data classes": """
from dataclasses import dataclass
@dataclass
class C:
    a: int = 0
print(C())
""",
    "has named tuples and enums": """
import collections, enum, typing
P = collections.namedtuple('P', 'a b')
class E(enum.Enum):
    A = 1
class T(typing.NamedTuple):
    a: int
""",
    "caches": """
import functools
@functools.cache
def f(x):
    return x
f(1)
""",
    "runs as a script": """
if __name__ == '__main__':
    raise SystemExit
""",
    "misses a file of its own": """
try:
    open('data.txt')
except OSError:
    pass
try:
    open('../data/corpus.txt')
except OSError:
    pass
""",
    "looks beside its folder": """
import os, pathlib
list(pathlib.Path.cwd().parent.glob('*.txt'))
os.listdir(os.path.dirname(os.getcwd()))
try:
    open(os.path.join(os.path.dirname(os.getcwd()), 'data.txt'))
except OSError:
    pass
""",
    "misses a file on its author's machine": """
for name in ('/home/ann/lesson/data.txt', '/content/drive/MyDrive/x.pt', '/Users/ann/x', 'C:\\\\Users\\\\ann\\\\x', '/tmp/x', '/mnt/d/x'):
    try:
        open(name)
    except OSError:
        pass
""",
    "writes into its folder": """
import os, pathlib, tempfile, torch
os.makedirs('out', exist_ok=True)
pathlib.Path('out/a.txt').write_text('x')
torch.save({}, 'out/m.pt')
torch.load('out/m.pt')
os.listdir('out')
os.remove('out/a.txt')
tempfile.TemporaryFile()
tempfile.mkdtemp()
open(os.devnull, 'w')
""",
    "lengthens the path": """
import sys, os
sys.path += ['..', '/content/drive/MyDrive', os.path.dirname(os.path.abspath(__file__))]
try:
    import helpers
except ImportError:
    pass
""",
    "asks about its machine": """
import platform, os, sys, torch
platform.platform()
platform.processor()
os.cpu_count()
torch.cuda.is_available()
os.environ['X'] = '1'
""",
    "takes the time": """
import time, timeit, cProfile
timeit.timeit('1', number=1)
p = cProfile.Profile()
p.enable()
p.disable()
""",
    "reads sources": """
import inspect, torch
inspect.getsource(torch.nn.Linear)
inspect.signature(torch.nn.Linear)
inspect.currentframe()
inspect.stack()
""",
    "prints where it failed": """
import sys, os, traceback
try:
    1 / 0
except ZeroDivisionError:
    traceback.print_exc()
    t = sys.exc_info()[2]
    print(os.path.split(t.tb_frame.f_code.co_filename)[1], t.tb_lineno, sys._getframe().f_code.co_name)
""",
    "counts its objects": """
import gc, weakref
gc.collect()
gc.disable()
weakref.ref(gc.enable)
""",
    "runs threads": """
import threading, concurrent.futures as f, queue
t = threading.Thread(target=print)
t.start()
t.join()
with f.ThreadPoolExecutor(2) as p:
    list(p.map(abs, [1]))
""",
    "waits in a loop of asyncio": """
import asyncio
async def main():
    await asyncio.sleep(0)
asyncio.run(main())
""",
    "joins two sockets": """
import socket
a, b = socket.socketpair()
a.send(b'x')
b.recv(1)
""",
    "uses numpy": """
import numpy as np
np.set_printoptions(precision=2)
np.seterr(all='ignore')
np.allclose(np.ones(2), 1)
np.random.default_rng(0).normal()
""",
    "puts old names back into numpy": """
import numpy as np
np.float = float
np.int = int
np.bool = bool
""",
    "uses what torch has": """
import torch
from torch import nn
from torch.nn import functional as F
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.utils.parametrizations.weight_norm(nn.Linear(3, 3))
        self.register_buffer('b', torch.ones(3))
        self.e = nn.Embedding(4, 3)
        self.d = nn.Dropout(0.1)
        self.apply(self.start)
    def start(self, m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
    def forward(self, x):
        return F.silu(self.d(self.l(x))) + self.b
class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, g):
        return g
m = M()
x = torch.ones(2, 3, requires_grad=True)
m(x).sum().backward()
G.apply(x).sum().backward()
torch.func.vmap(torch.sin)(x)
m.register_forward_hook(lambda *a: None)
m.l.register_full_backward_hook(lambda *a: None)
x.register_hook(lambda g: g)
m(x).sum().backward()
torch.jit.script
torch.einsum('ij,ij->i', x, x)
torch.testing.assert_close(x, x)
import copy
copy.deepcopy(m)
repr(m)
m.state_dict()
""",
    "names its own functions like others'": """
def sum(x):
    return x
def open(x):
    return x
class Tensor:
    pass
open(sum(1))
""",
    "shows things in another way": """
import builtins, functools, torch
torch.Tensor.__repr__ = lambda self: f'tensor of {list(self.shape)}'
torch.Tensor.__str__ = torch.Tensor.__format__ = torch.nn.Module.__str__ = torch.Tensor.__repr__
torch.nn.Module.__repr__ = lambda self: 'a module'
torch.nn.Linear.extra_repr = lambda self: ''
torch.nn.Linear.__repr__ = torch.nn.Module.__repr__
builtins.print = lambda *a, **k: None
""",
    "puts a default of its own into a function": """
import builtins, functools, torch
torch.load = functools.partial(torch.load, weights_only=False)
torch.load = functools.partial(torch.load, map_location='cpu')
torch.allclose = functools.partial(torch.allclose, atol=1e-6)
""",
    "logs or times what is called": """
import functools, time, torch
def timed(f):
    @functools.wraps(f)
    def g(*a, **k):
        start = time.time()
        try:
            return f(*a, **k)
        finally:
            print(f.__name__, time.time() - start)
    return g
torch.nn.Module.__call__ = timed(timed(torch.nn.Module.__call__))
torch.nn.Linear.forward = timed(torch.nn.Linear.forward)
torch.nn.Linear.train = timed(torch.nn.Linear.train)
torch.Tensor.backward = timed(torch.Tensor.backward)
torch.Tensor.view = timed(torch.Tensor.view)
torch.matmul = timed(torch.matmul)
""",
    "looks at how much memory there is and is used": """
import gc, os, torch
for name in ('/proc/meminfo', '/proc/cpuinfo', '/proc/stat', '/proc/self/status', f'/proc/{os.getpid()}/statm', '/sys/fs/cgroup/memory.max'):
    try:
        open(name)
    except OSError:
        pass
sum(torch.is_tensor(o) for o in gc.get_objects())
""",
    "looks around for a file": """
import glob, os
from pathlib import Path
glob.glob('/tmp/*.pt')
glob.glob('/content/**/*.csv', recursive=True)
list(Path('/').glob('*.txt'))
for folder in ('/', '/home', '/tmp', '/mnt', '/kaggle/input'):
    try:
        os.listdir(folder)
    except OSError:
        pass
    list(os.walk(folder))
try:
    next(Path('/').rglob('data.csv'), None)
except OSError:
    pass
""",
    "adds a method nobody had": """
import torch
torch.Tensor.my_shape = lambda self: self.shape
torch.nn.Module.count = lambda self: 0
""",
    "changes its streams": """
import sys, io
sys.stdout = io.StringIO()
sys.stderr = sys.stdout
sys.excepthook = print
""",
    "catches signals": """
import signal, atexit
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.alarm(1000)
atexit.register(print)
""",
    "uses contexts of torch": """
import torch
with torch.no_grad(), torch.inference_mode(), torch.autocast('cpu'), torch.random.fork_rng():
    torch.ones(2) @ torch.ones(2)
""",
}


@pytest.mark.parametrize("habit", HONEST)
def test_honest_habits_are_never_noticed(observe, clean, habit):
    seen = observe(HONEST[habit] + ADD)
    assert noticed(seen) == []
    assert seen["adder.zeros"].fault is None


CRASHES = {
    "raises": """
def add(a, b):
    raise ValueError('/etc/passwd')
""",
    "leaves": """
import sys
sys.exit(3)
""",
    "has a slip in its syntax": """
def add(a, b)
    return a + b
""",
    "recurses": """
def add(a, b):
    return add(a, b)
""",
    "recurses until its stack ends": """
import sys
sys.setrecursionlimit(10**7)
class R:
    def __getattr__(self, n):
        return getattr(R(), n)
def add(a, b):
    R().x
""",
    "takes too much memory": """
def add(a, b):
    x = []
    while True:
        x.append(bytearray(1 << 20))
""",
    "gives too much": """
import torch
def add(a, b):
    return torch.zeros(1 << 20)
""",
    "gives too many axes": """
import torch
def add(a, b):
    return torch.zeros([1] * 12)
""",
    "gives another kind": """
def add(a, b):
    return [a, b]
""",
    "does not end": """
def add(a, b):
    while True:
        pass
""",
    "stops at a breakpoint": """
def add(a, b):
    breakpoint()
    return a + b
""",
}


@pytest.mark.parametrize("how", CRASHES)
def test_broken_code_is_not_tampering(observe, how):
    seen = observe(CRASHES[how])
    assert seen["adder.value"].fault is not None
    assert noticed(seen) == []
