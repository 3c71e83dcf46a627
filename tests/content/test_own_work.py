"""The rule about whose work it is: it looks at what RMSNorm is made of, and at nothing else in the file."""

from pathlib import Path

import pytest

from graders.probes.rmsnorm import rule_own_work
from graders.probes.shared import NoSuchRoleError

ROOT = Path(__file__).parents[2]
SOLUTION = (ROOT / "solutions/rmsnorm.py").read_text(encoding="utf-8")


def text(before, base, result, after=""):
    """A file with a class RMSNorm that gives `result`."""
    return f"{before}\n\nclass RMSNorm({base}):\n    def forward(self, x):\n        return {result}\n\n{after}\n"


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
    "no class but an import": "from torch.nn import RMSNorm\n",
    "no class but an alias": "import torch\n\nRMSNorm = torch.nn.RMSNorm\n",
}


@pytest.mark.parametrize("name", OWN)
def test_own_work_is_not_taken_for_the_library(name):
    assert rule_own_work({"rmsnorm": OWN[name]}) == {"uses": 0}


@pytest.mark.parametrize("name", DELEGATED)
def test_work_handed_to_the_library_is_seen(name):
    assert rule_own_work({"rmsnorm": DELEGATED[name]})["uses"] > 0


def test_the_rule_leaves_a_stub_unfinished():
    with pytest.raises(NotImplementedError):
        rule_own_work({"rmsnorm": text("", "Module", "x").replace("return x", 'raise NotImplementedError("later")')})


def test_a_base_class_that_leaves_a_step_to_its_children_is_no_stub():
    base = "class Norm:\n    def step(self, x):\n        raise NotImplementedError"
    assert rule_own_work({"rmsnorm": text(base, "Norm", "self.step(x)")}) == {"uses": 0}


def test_a_file_without_the_class_is_told_so():
    with pytest.raises(NoSuchRoleError, match="RMSNorm not found"):
        rule_own_work({"rmsnorm": "class RmsNorm:\n    pass\n"})
