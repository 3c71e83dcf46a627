"""What is particular to the second lesson's content: right work in other words keeps every point, and one slip costs one check."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from graders.engine.compare import difference
from graders.engine.kit import mistaken, read_kit
from graders.model import Fault, Observation, Outcome
from graders.probes import residual as probes
from graders.publish.stubs import cut
from graders.worker.draw import draws
from graders.worker.run import as_array

ROOT = Path(__file__).parents[2]
KIT = read_kit(ROOT)
TEXT = KIT.reference.parts["residual"].text
CHECKS = [check for check in KIT.checks if check.takes == ("residual",)]
NAMES = {check.id.split(".")[1] for check in CHECKS}


def parts_of(text):
    """What a probe is given, for one text."""
    names = {"__name__": "exercises.residual"}
    exec(compile(text, "residual.py", "exec"), names)
    return SimpleNamespace(residual=SimpleNamespace(**names))


@cache
def observed(text, seed):
    """The observation of each probe, as the worker would send it."""
    parts = parts_of(text)
    return {probe: observation(parts, probe.split(".")[1], seed) for probe in dict.fromkeys(check.probe for check in CHECKS)}


def observation(parts, name, seed):
    torch.manual_seed(0)
    try:
        return Observation({key: as_array(value) for key, value in getattr(probes, name)(parts, draws(seed)).items()})
    except Exception as error:
        return Observation(fault=Fault(Outcome.CRASHED, f"{type(error).__name__}: {error}"))


def failed(text, seed=5):
    """Names of the checks that a text does not pass."""
    seen, right = observed(text, seed), observed(TEXT, seed)
    wrong = [check for check in CHECKS if seen[check.probe].fault or difference(check, seen[check.probe], right[check.probe])]
    return {check.id.split(".")[1] for check in wrong}


def changed(*edits):
    """The solution with some edits, each of which must fit once."""
    text = TEXT
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


RELU = "return torch.relu(self.lin(x))  # [..., D]"
UPDATE = "update = torch.relu(self.lin(self.norm(x)))  # [..., D]"
SUM = "return x + update  # [..., D]"
MAKE_NORM = "self.norm = nn.LayerNorm(width) if prenorm else nn.Identity()"
SCALE = "linears[-1].weight.mul_(factor)"
STEP = "        stream.append(after)\n        writes.append(after - x)\n        x = after\n"
GIVE = "return torch.stack(stream), torch.stack(writes)"

OWN_NORM = '''class LayerNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        centered = x - x.mean(-1, keepdim=True)
        return self.weight * centered / torch.sqrt(centered.square().mean(-1, keepdim=True) + 1e-5) + self.bias


class PlainBlock'''

STYLES = {
    "a clamp for the ReLU": [(RELU, "return self.lin(x).clamp(min=0)"), (UPDATE, "update = nn.functional.relu(self.lin(self.norm(x)))")],
    "a ReLU module": [(MAKE_NORM, MAKE_NORM + "\n        self.relu = nn.ReLU(inplace=True)"), (UPDATE, "update = self.relu(self.lin(self.norm(x)))")],
    "the sum the other way round": [(SUM, "return torch.add(update, x)")],
    "a copy filled in place": [(SUM, "y = x.clone()\n        y += update\n        return y")],
    "a LayerNorm of one's own": [("class PlainBlock", OWN_NORM), (MAKE_NORM, MAKE_NORM.replace("nn.LayerNorm", "LayerNorm"))],
    "the norm made only where it is wanted": [
        (MAKE_NORM, "self.norm = None\n        if prenorm:\n            self.norm = nn.LayerNorm(width)"),
        (UPDATE, "update = torch.relu(self.lin(x if self.norm is None else self.norm(x)))"),
    ],
    "a residual block that is a plain block": [
        ("class ResidualBlock(nn.Module)", "class ResidualBlock(PlainBlock)"),
        (UPDATE, "update = super().forward(self.norm(x))"),
        ('if `prenorm`, else an nn.Identity."""\n        super().__init__()', 'else."""\n        super().__init__(width)'),
    ],
    "double precision inside": [
        (UPDATE, "update = (self.norm(x).double() @ self.lin.weight.double().mT + self.lin.bias.double()).relu().to(x.dtype)"),
    ],
    "data instead of no_grad": [(SCALE, "linears[-1].weight.data *= factor")],
    "division by the root": [("1 / math.sqrt(len(branches))", "len(branches) ** -0.5"), (SCALE, "linears[-1].weight.div_(1 / factor)")],
    "copied back": [(SCALE, "linears[-1].weight.copy_(linears[-1].weight * factor)")],
    "the last one found first": [
        ("linears = [module for module in branch.modules() if isinstance(module, nn.Linear)]\n", ""),
        ("linears[-1]", "next(m for m in reversed(list(branch.modules())) if type(m) is nn.Linear)"),
    ],
    "lists instead of tensors": [(GIVE, "return stream, writes")],
    "tuples of copies": [(GIVE, "return tuple(s.clone() for s in stream), tuple(writes)")],
    "differences taken at the end": [
        ("stream, writes = [], []", "stream, writes = [x], []"),
        (STEP, "        stream.append(after)\n        x = after\n"),
        (GIVE, "return torch.stack(stream)[1:], torch.stack(stream).diff(dim=0)"),
    ],
    "no record for going backward": [("    stream, writes = [], []", "    stream, writes, x = [], [], x.detach()")],
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seed", [1, 2])
def test_another_right_style_keeps_every_check(style, seed):
    assert failed(changed(*STYLES[style]), seed) == set()


@pytest.mark.parametrize("names", [{"lin": "fc"}, {"norm": "ln"}, {"lin": "linear", "norm": "layer_norm"}, {"lin": "W", "norm": "pre"}])
def test_other_names_cost_the_list_of_names_only(names):
    text = TEXT
    for old, new in names.items():
        text = re.sub(rf"\bself\.{old}\b", f"self.{new}", text)
    assert failed(text) == {"structure"}


def test_a_branch_in_a_sequential_is_found():
    branch = MAKE_NORM + "\n        self.branch = nn.Sequential(self.norm, self.lin, nn.ReLU())\n        del self.norm, self.lin"
    assert failed(changed((MAKE_NORM, branch), (UPDATE, "update = self.branch(x)"))) == {"structure"}


ONE_PRICE = {
    "plain_without_relu": {"plain"},
    "plain_relu_first": {"plain"},
    "plain_detached": {"grad_plain"},
    "dropout_added": {"mode"},
    "prenorm_by_default": {"default"},
    "norm_shared": {"instances"},
    "rescale_by_n": {"rescale"},
    "rescale_times_root": {"rescale"},
    "rescale_every_layer": {"rescale_only"},
    "rescale_bias_too": {"rescale_only"},
    "rescale_not_in_place": {"rescale_in_place"},
    "rescale_last_module": {"rescale_nested"},
    "rescale_children_only": {"rescale_nested"},
    "stream_before_block": {"stream_after"},
    "stream_one_tensor": {"stream_after"},
    "stream_input_overwritten": {"stream_input"},
    "writes_since_start": {"stream_writes"},
    "writes_turned": {"stream_writes"},
}
SEVERAL = {
    "shortcut_detached": {"grad_residual", "grad_prenorm"},
    "branch_detached": {"grad_residual", "grad_prenorm"},
    "always_prenorm": {"residual", "grad_residual", "structure"},
    "norm_on_sum": {"prenorm", "silent", "standardized", "grad_prenorm"},
    "norm_on_shortcut": {"prenorm", "silent", "standardized", "grad_prenorm"},
    "relu_outside_sum": {"residual", "prenorm", "silent", "standardized"},
    "rescale_lost": {"rescale", "rescale_nested"},
    "stream_exchanged": {"stream_after", "stream_writes"},
}


@pytest.mark.parametrize("mistake", ONE_PRICE | SEVERAL)
def test_a_known_mistake_costs_what_it_touches_and_no_more(mistake):
    text = mistaken(KIT, tuple(m for m in KIT.misconceptions if m.part == "residual" and m.id == mistake))["residual"].text
    assert failed(text) == (ONE_PRICE | SEVERAL)[mistake]


WRONG = {
    "a leaky ReLU": ([(RELU, "return nn.functional.leaky_relu(self.lin(x))")], {"plain"}),
    "no gradient at all": ([(SUM, "return (x + update).detach()")], {"grad_residual", "grad_prenorm", "grad_weights"}),
    "a frozen weight": ([(MAKE_NORM, MAKE_NORM + "\n        self.lin.weight.requires_grad_(False)")], {"structure"}),
    "a second, idle layer norm": ([(MAKE_NORM, MAKE_NORM + "\n        self.spare = nn.LayerNorm(width)")], {"structure", "norm_trained"}),
    "a vector turned into a batch": ([(RELU, "return torch.relu(self.lin(torch.atleast_2d(x)))")], {"shape"}),
    "the keyword misspelt": ([("prenorm=False", "pre_norm=False"), (MAKE_NORM, MAKE_NORM.replace("if prenorm", "if pre_norm"))], {"default"}),
    "what it read before is added": (
        [
            (MAKE_NORM, MAKE_NORM + "\n        self.before = 0"),
            (SUM, "x = x + self.before\n        self.before = update.detach().mean()\n        return x + update"),
        ],
        {"mode", "standardized", "alone"},
    ),
    "one branch too few": ([("for branch in branches:", "for branch in branches[1:]:")], {"rescale", "rescale_nested"}),
    "the norm's scale too": (
        [(SCALE, SCALE + "\n            [module.weight.mul_(factor) for module in branch.modules() if isinstance(module, nn.LayerNorm)]")],
        {"rescale_only"},
    ),
    "a new bias": ([(SCALE, SCALE + "\n            linears[-1].bias = nn.Parameter(linears[-1].bias.clone())")], {"rescale_in_place"}),
    "the first write twice": ([(GIVE, f"writes[1] = writes[0]\n    {GIVE}")], {"stream_writes"}),
    "means over the batch": ([(GIVE, "return torch.stack(stream).mean(1), torch.stack(writes)")], {"stream_after"}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_slip_that_nobody_foresaw_fails_the_checks_of_its_property(wrong):
    edits, checks = WRONG[wrong]
    assert failed(changed(*edits)) == checks


def test_who_wrote_only_the_tools_earns_the_tools():
    blocks, tools = cut(TEXT, "residual").split("def rescale_branches")[0], TEXT.split("def rescale_branches")[1]
    earned = NAMES - failed(f"{blocks}def rescale_branches{tools}")
    assert earned == {"rescale", "rescale_only", "rescale_in_place", "rescale_nested", "stream_after", "stream_writes", "stream_input"}


def test_a_module_without_a_layer_earns_nothing():
    """It keeps every promise about what must not change; it is no block for that."""
    idle = "\n\nPlainBlock = ResidualBlock = nn.Identity\n"
    assert {name for name in NAMES if not name.startswith(("stream", "rescale"))} == failed(TEXT + idle)


@pytest.mark.parametrize("seed", range(10))
def test_all_relus_are_open_where_the_gradient_is_measured(seed):
    """A ReLU at its bend would make the gradient a matter of rounding."""
    closest = []
    parts = parts_of(TEXT)
    relu = lambda x: (closest.append(x.detach().abs().min() / x.detach().abs().max()), torch.nn.functional.relu(x))[1]  # noqa: E731
    parts.residual.PlainBlock.forward.__globals__["torch"] = SimpleNamespace(relu=relu)
    for probe in (probes.grad_plain, probes.grad_residual, probes.grad_prenorm):
        probe(parts, draws(seed))
    assert len(closest) == 60 and min(closest) > 1e-4
