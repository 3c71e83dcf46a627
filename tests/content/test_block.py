"""The block's probes find a student's pieces by role, and each of them looks at its own property only."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from graders.probes import block as probes
from graders.probes.roles import in_order
from graders.probes.shared import NoSuchRoleError
from graders.worker.draw import draws
from graders.worker.run import as_array

SOLUTION = Path(__file__).parents[2] / "solutions" / "block.py"
NAMES = ("structure", "parameters", "call", "value", "scales", "identity", "attention_only", "ffn_only", "cfg_eps", "cfg_theta")
NAMES += ("cfg_heads", "grads", "causal", "stateless", "mode")


def changed(*edits, **renamed):
    """The parts of a student whose block is the solution with these edits, then with other names for `self.<name>`."""
    text = SOLUTION.read_text(encoding="utf-8")
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    for old, new in renamed.items():
        text = re.sub(rf"\bself\.{old}\b", f"self.{new}", text)
    module = ModuleType("exercises.block")
    module.__package__ = "solutions"
    exec(compile(text, "block.py", "exec"), vars(module))
    spares: dict = {}
    return SimpleNamespace(block=module, once=lambda make: spares)


def seen(parts, name):
    """The arrays of one probe, or the outcome of what it raised."""
    probes.sow(0)
    try:
        return {key: as_array(value) for key, value in getattr(probes, name)(parts, draws(3)).items()}
    except NoSuchRoleError as error:
        return error.outcome


def differing(parts, names=NAMES):
    """Names of the probes that see anything else than they see of the solution."""
    right = changed()
    return {name for name in names if not alike(seen(parts, name), seen(right, name))}


def alike(one, other):
    return isinstance(one, dict) and one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


@pytest.mark.parametrize(
    "names",
    [
        {"norm1": "ln_1", "attention": "attn", "norm2": "ln_2", "ffn": "mlp"},
        {"norm1": "input_layernorm", "attention": "self_attn", "norm2": "post_attention_layernorm"},
        {"norm1": "attention_norm", "norm2": "ffn_norm", "ffn": "feed_forward"},
        {"norm1": "norm"},
        {"norm1": "preAttn", "norm2": "preMlp"},
        {"norm1": "first", "norm2": "second", "attention": "gather", "ffn": "think"},
    ],
)
def test_other_names_cost_the_naming_check_only(names):
    assert differing(changed(**names)) == {"structure"}


def test_pieces_kept_in_lists_are_found():
    names = {"norm1": "norms[0]", "norm2": "norms[1]", "attention": "branches[0]", "ffn": "branches[1]"}
    lists = "super().__init__()\n        self.norms, self.branches = nn.ModuleList([None, None]), nn.ModuleList([None, None])\n"
    assert differing(changed(("super().__init__()\n", lists), **names)) == {"structure"}


def test_a_second_name_for_the_same_pieces_costs_nothing():
    last = "self.ffn = SwiGLU(config.d_model, config.d_ff)\n"
    assert differing(changed((last, f"{last}        self.steps = nn.ModuleList(self.children())\n"))) == set()


def test_a_norm_without_a_clear_place_leaves_out_what_needs_its_place():
    parts = changed(norm1="norm_x", norm2="norm_y")
    assert {seen(parts, name) for name in ("scales", "grads", "cfg_eps")} == {"missing"}
    assert differing(parts) == {"structure", "scales", "grads", "cfg_eps"}


def test_branches_under_each_other_s_names_are_refused():
    parts = changed(attention="other", ffn="attention", other="ffn")
    assert {seen(parts, name) for name in ("value", "attention_only", "grads")} == {"missing"}


def test_the_width_of_the_feed_forward_branch_is_looked_at_in_one_place():
    wider = changed(("config.d_ff)", "4 * config.d_model)"))
    assert differing(wider, ("structure", "parameters", "value", "scales", "ffn_only", "grads")) == {"parameters"}


def test_a_feed_forward_branch_too_narrow_for_the_numbers_is_refused():
    assert seen(changed(("config.d_ff)", "config.d_model // 4)")), "ffn_only") == "missing"


@pytest.mark.parametrize("condition", ["torch.rand(()) < 0.02", "torch.rand(()) > 0.98", "torch.rand(2, 1, 1)[0] < 0.5", "random.random() < 0.1"])
def test_a_branch_dropped_at_random_always_shows(condition):
    low, high, still = seen(dropping(condition), "mode")["y"]
    assert not (np.array_equal(low, still) and np.array_equal(high, still))


@pytest.mark.parametrize("condition", ["torch.rand(()) < 0.5", "torch.rand(len(x), 1, 1) < 0.1"])
def test_a_branch_dropped_at_random_in_training_costs_one_check(condition):
    assert differing(dropping(condition), [name for name in NAMES if name != "call"]) == {"mode"}


def dropping(condition):
    """A block that leaves its attention branch out of the sum in training when the condition holds."""
    drop = f"a = self.attention(self.norm1(x))\n        h = x + a * (1 - (self.training and 1.0 * ({condition})))"
    imports = ("from torch import nn", "import random\n\nimport torch\nfrom torch import nn")
    return changed(imports, ("h = x + self.attention(self.norm1(x))", drop))


@pytest.mark.parametrize(
    "names",
    [
        ("norm1.scale", "norm2.scale"),
        ("ln_1.scale", "ln_2.scale"),
        ("norms.0.scale", "norms.1.scale"),
        ("steps.0.scale", "steps.2.scale"),
        ("branch1.0.scale", "branch2.0.scale"),
        ("attention_norm.scale", "ffn_norm.scale"),
        ("norm_attn.weight", "norm_mlp.weight"),
        ("pre_attention_norm.scale", "pre_ffn_norm.scale"),
        ("input_layernorm.weight", "post_attention_layernorm.weight"),
        ("norm.scale", "norm2.scale"),
        ("first_norm.scale", "norm.scale"),
        ("preNorm.scale", "postNorm.scale"),
        ("attn.norm.scale", "mlp.norm.scale"),
    ],
)
def test_two_norms_are_told_apart_by_their_names(names):
    assert in_order(*names) == in_order(*reversed(names)) == names


@pytest.mark.parametrize("names", [("norm_x", "norm_y"), ("norm", "norm1"), ("attn_norm", "norm1"), ("rms_a2", "rms_b1"), ("norm2", "ffn_norm")])
def test_norms_whose_names_leave_a_doubt_are_refused(names):
    with pytest.raises(NoSuchRoleError, match="norm1 and norm2 not found"):
        in_order(*names)


@pytest.mark.parametrize(
    "wrong",
    [
        ("h = x + self.attention(self.norm1(x))", "h = self.attention(self.norm1(x))"),
        ("return h + self.ffn(self.norm2(h))", "return self.ffn(self.norm2(h))"),
        ("return h + self.ffn(self.norm2(h))", "return self.norm2(h)"),
    ],
)
def test_a_wrong_sum_does_not_touch_what_is_said_of_the_config(wrong):
    assert not differing(changed(wrong), ("cfg_eps", "cfg_theta", "cfg_heads", "parameters"))
