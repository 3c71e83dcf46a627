"""The rule about whose work it is: it looks at what RMSNorm is made of, and at one call of it, and at nothing else in the file."""

import sys
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import torch
from torch import nn

from graders.engine.kit import read_kit
from graders.model import Part
from graders.probes.calls import library_calls
from graders.probes.rmsnorm import LIBRARY, rule_own_work
from graders.probes.shared import NoSuchRoleError

ROOT = Path(__file__).parents[2]
SOLUTION = (ROOT / "solutions/rmsnorm.py").read_text(encoding="utf-8")
MAIN = '\nif __name__ == "__main__":\n'


def text(before, base, result, after=""):
    """A file with a class RMSNorm that gives `result`."""
    return f"{before}\n\nclass RMSNorm({base}):\n    def forward(self, x):\n        return {result}\n\n{after}\n"


def wrapped(before, what="Lib"):
    """A file with a class RMSNorm that calls something else for its work."""
    return f"""
import torch
from torch import nn
{before}

class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.inner = {what}(width, eps=eps)
        self.scale = self.inner.weight

    def forward(self, x):
        return self.inner(x)
"""


class Given:
    """What a rule is given beside texts: the parts, run when they are asked for."""

    def __init__(self, texts):
        self.texts = texts

    def __getattr__(self, name):
        module = ModuleType(f"exercises.{name}")
        exec(compile(self.texts[name], f"{name}.py", "exec"), vars(module))
        return module


def uses(text):
    """What the rule counts in a file, by reading and by running."""
    return rule_own_work({"rmsnorm": text}, Given({"rmsnorm": text}))["uses"]


def read(text):
    """What the rule counts where the file cannot be run."""
    return rule_own_work({"rmsnorm": text}, SimpleNamespace())["uses"]


OWN = {
    "the solution": SOLUTION,
    "a class of its own under a star import": text("from torch.nn import *", "Module", "x"),
    "a method called rms_norm": text("from torch import nn", "nn.Module", "self.rms_norm(x)", "    def rms_norm(self, x):\n        return x"),
    "a function called rms_norm": text("def rms_norm(x):\n    return x", "Module", "rms_norm(x)"),
    "a comparison below the class": SOLUTION + "\nassert nn.RMSNorm(2).eps is None and RMSNorm(2).eps\n",
    "a comparison when run": SOLUTION + '\nif __name__ == "__main__":\n    x = torch.rms_norm(torch.ones(2), (2,))\n',
    "a comparison of one's own, never called by the class": SOLUTION + "\ndef check(x):\n    return nn.RMSNorm(2)(x)\n",
    "the name in texts": text('"""RMSNorm"""', "Module", '"RMSNorm"'),
    "super with the own name": text("from torch import nn", "nn.Module", "super(RMSNorm, self).forward(x)"),
    "a local variable that is another thing below": SOLUTION.replace("inverse_rms", "norm") + "\nnorm = nn.RMSNorm(2)\n",
    "a comparison in a test function": SOLUTION + "\ndef test_alike():\n    Lib = nn.RMSNorm\n    assert Lib(2) and RMSNorm(2)\n",
    "a comparison when run, with names of its own": SOLUTION + MAIN + "    Lib = nn.RMSNorm\n    print(RMSNorm(2), Lib(2))\n",
    "a method of one's own by its name": text(
        "from torch import nn", "nn.Module", 'getattr(self, "rms_norm")(x)', "    def rms_norm(self, x):\n        return x"
    ),
    "a dict of one's own": text("import torch\n\nOURS = {'RMSNorm': abs}", "torch.nn.Module", 'OURS["RMSNorm"](x) + OURS.get("RMSNorm")(x)'),
    "a setting of that name": text("from torch import nn", "nn.Module", 'vars(self).get("rms_norm", x) + getattr(x, "rms_norm", 0)'),
    "a class that is continued in another cell": SOLUTION + "\n\nclass RMSNorm(RMSNorm):\n    pass\n",
    "the other one of two names": text("from torch import nn\n\nlib, width = nn.RMSNorm, 2", "nn.Module", "x * width"),
    "the library's LayerNorm": text("from torch import nn", "nn.LayerNorm", "x"),
}
DELEGATED = {
    "a layer": text("from torch import nn", "nn.Module", "nn.RMSNorm(2)(x)"),
    "a function of torch.nn.functional": text("import torch.nn.functional as F", "Module", "F.rms_norm(x, (2,))"),
    "a function of torch": text("import torch", "torch.nn.Module", "torch.rms_norm(x, (2,))"),
    "an operator": text("import torch", "torch.nn.Module", "torch.ops.aten.rms_norm.default(x, (2,))"),
    "getattr": text("from torch import nn", "nn.Module", 'getattr(nn, "RMS" + "Norm")(2)(x)'),
    "vars": text("import torch", "torch.nn.Module", 'vars(torch)["rms_norm"](x, (2,))'),
    "importlib": text("import importlib", "Module", 'importlib.import_module("torch").rms_norm(x, (2,))'),
    "another name": text("from torch.nn import RMSNorm as Base", "Module", "Base(2)(x)"),
    "a subclass": text("from torch import nn", "nn.RMSNorm", "super().forward(x)"),
    "a subclass under another name": text("from torch.nn import RMSNorm as Base", "Base", "super().forward(x)"),
    "a subclass under the same name": text("from torch.nn import *", "RMSNorm", "super().forward(x)"),
    "an import in the method": text("", "Module", "1\n        from torch.nn.functional import rms_norm\n        return rms_norm(x, (2,))"),
    "a module under another name": text("import torch\nlib = torch.nn.functional", "Module", "lib.rms_norm(x, (2,))"),
    "a helper": text("import torch\n\ndef go(x):\n    return torch.rms_norm(x, (2,))", "Module", "go(x)"),
    "a method put on later": text("import torch", "Module", "x", "RMSNorm.forward = lambda self, x: torch.rms_norm(x, (2,))"),
    "a name with a type": wrapped("Lib: type = nn.RMSNorm"),
    "one of two names": wrapped("Lib, other = nn.RMSNorm, 1"),
    "one of some names": wrapped("Lib, *others = [nn.RMSNorm, 1, 2]"),
    "a loop's name": wrapped("for Lib in [nn.RMSNorm]:\n    pass"),
    "a name in an expression": wrapped("(Lib := nn.RMSNorm)"),
    "a name of a with statement": wrapped("import contextlib\nwith contextlib.nullcontext(nn.RMSNorm) as Lib:\n    pass"),
    "a condition that holds on import": wrapped('if __name__ != "x":\n    Lib = nn.RMSNorm'),
    "what is done when it is not run as a program": wrapped('if __name__ == "__main__":\n    pass\nelse:\n    Lib = nn.RMSNorm'),
    "a name in a text with a hole": wrapped("""Lib = getattr(nn, f"RMS{'Norm'}")"""),
    "a name that is joined": wrapped('Lib = getattr(nn, "".join(["RMS", "Norm"]))'),
    "a module by its name": text("import torch", "torch.nn.Module", 'getattr(torch, "nn").RMSNorm(2)(x)'),
    "a module's dict": text("from torch import nn", "nn.Module", 'nn.__dict__["RMSNorm"](2)(x)'),
    "a module's dict, asked": text("from torch import nn", "nn.Module", 'vars(nn).get("RMSNorm")(2)(x)'),
    "attrgetter": text("import operator\nfrom torch import nn", "nn.Module", 'operator.attrgetter("RMSNorm")(nn)(2)(x)'),
    "no class but an import": "from torch.nn import RMSNorm\n",
    "no class but an alias": "import torch\n\nRMSNorm = torch.nn.RMSNorm\n",
}
HIDDEN = {  # from a reader
    "a name that is put together elsewhere": wrapped('KIND = "RMSNorm"', "getattr(nn, KIND)"),
    "letters turned round": wrapped('Lib = getattr(nn, "mroNSMR"[::-1])'),
    "a function that gives it": wrapped("Lib = next(kind for name, kind in vars(nn).items() if name.startswith('RMS'))"),
    "a sibling's name": wrapped("from own_work_sibling import Lib"),
    "another class under the same name": wrapped("", "nn.Identity") + 'Old = nn.RMSNorm\nclass Norm2(Old):\n    pass\nglobals()["RMSNorm"] = Norm2\n',
    "text that is run": wrapped('exec("Lib = nn.RMSNorm")'),
    "a function with a gradient of its own": text(
        "import torch\nrms = vars(torch)['_'.join(['rms', 'norm'])]\n\nclass Go(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        return rms(x, x.shape[-1:])",
        "torch.nn.Module",
        "Go.apply(x)",
    ).replace("    def forward(self, x)", "    def __init__(self, width):\n        super().__init__()\n\n    def forward(self, x)"),
}
BROKEN = {
    "an import that fails": "import nowhere_at_all\n" + SOLUTION,
    "a call that does not end": SOLUTION.replace("        mean_square", "        while True:\n            x = x + 1\n        mean_square"),
    "a call that fails": SOLUTION.replace("return x *", "return nothing * x *"),
}


@pytest.mark.parametrize("name", OWN)
def test_own_work_is_not_taken_for_the_library(name):
    assert uses(OWN[name]) == 0


@pytest.mark.parametrize("name", DELEGATED)
def test_work_handed_to_the_library_is_seen_by_reading_alone(name):
    assert read(DELEGATED[name]) > 0


@pytest.mark.parametrize("name", HIDDEN)
def test_what_reading_does_not_see_a_call_shows(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "own_work_sibling", SimpleNamespace(Lib=nn.RMSNorm))
    assert read(HIDDEN[name]) == 0
    assert uses(HIDDEN[name]) > 0


@pytest.mark.parametrize("name", BROKEN)
def test_own_work_that_fails_is_own_work(name):
    assert uses(BROKEN[name]) == 0


def test_each_way_to_call_the_library_is_heard():
    x, shape = torch.ones(2, 3), (3,)
    functions = (nn.functional.rms_norm, torch.rms_norm, torch.ops.aten.rms_norm, torch.ops.aten.rms_norm.default)
    assert [library_calls(LIBRARY, partial(function, x, shape)) for function in functions] == [1, 1, 1, 1]
    assert library_calls(LIBRARY, partial(nn.RMSNorm(3), x)) == 1
    assert library_calls(LIBRARY, partial(nn.LayerNorm(3), x)) == 0


@pytest.fixture(scope="module")
def kit():
    return read_kit(ROOT)


@pytest.mark.parametrize("text", [HIDDEN["a name that is put together elsewhere"], SOLUTION], ids=["handed on", "own"])
def test_behind_the_wall_the_part_is_called_too(text, observer):
    seen = observer.observe({"rmsnorm": Part("rmsnorm", text)}, ("rmsnorm.rule_own_work",), 7)
    assert bool(seen["rmsnorm.rule_own_work"].arrays["uses"] > 0) is (text != SOLUTION)


def test_the_rule_leaves_a_stub_unfinished():
    with pytest.raises(NotImplementedError):
        uses(text("", "Module", "x").replace("return x", 'raise NotImplementedError("later")'))


def test_a_base_class_that_leaves_a_step_to_its_children_is_no_stub():
    base = "class Norm:\n    def step(self, x):\n        raise NotImplementedError"
    assert uses(text(base, "Norm", "self.step(x)")) == 0


def test_a_file_without_the_class_is_told_so():
    with pytest.raises(NoSuchRoleError, match="RMSNorm not found"):
        uses("class RmsNorm:\n    pass\n")
