"""What is particular to the norm and the answers: one slip costs one check, which scale is meant, what counts as an answer."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from graders.engine.compare import difference
from graders.engine.kit import mistaken, read_kit
from graders.model import Fault, Observation, Outcome
from graders.probes import answers, rmsnorm
from graders.probes.shared import NoSuchRoleError
from graders.worker.draw import draws
from graders.worker.run import as_array

ROOT = Path(__file__).parents[2]
KIT = read_kit(ROOT)
NORM = KIT.reference.parts["rmsnorm"].text


def module(part, text):
    """What a probe is given, for the text of one part."""
    names = {"__name__": f"exercises.{part}"}
    exec(compile(text, f"{part}.py", "exec"), names)
    return SimpleNamespace(**{part: SimpleNamespace(**names)})


def observed(probes, parts, name):
    """The observation of one probe, as the worker would send it."""
    torch.manual_seed(0)
    try:
        return Observation({key: as_array(value) for key, value in getattr(probes, name)(parts, draws(5)).items()})
    except Exception as error:
        return Observation(fault=Fault(Outcome.CRASHED, str(error)))


def failed(probes, part, text):
    """Names of the checks of one part that a text does not pass, the rule left aside."""
    checks = [check for check in KIT.checks if check.takes == (part,) and ".rule_" not in check.probe]
    parts = {"right": module(part, KIT.reference.parts[part].text), "seen": module(part, text)}
    seen = {(who, check.probe): observed(probes, parts[who], check.probe.split(".")[1]) for check in checks for who in parts}
    wrong = [c for c in checks if seen["seen", c.probe].fault or difference(c, seen["seen", c.probe], seen["right", c.probe])]
    return {check.id.split(".")[1] for check in wrong}


ONE_PRICE = {
    "eps_default": {"eps_default"},
    "scale_init": {"scale_init"},
    "scale_init_zeros": {"scale_init"},
    "scale_made_positive": {"scale"},
    "extra_bias": {"params"},
    "wrong_name": {"params"},
    "eps_trained": {"params"},
    "detached_scale": {"grad_scale"},
    "detached_denominator": {"grad_x"},
    "weights_shared_between_instances": {"instances"},
    "stale_cache": {"stateless"},
    "running_average": {"stateless"},
    "mode_dependent": {"mode"},
    "needs_contiguous": {"layout"},
    "clamped": {"large"},
    "type_widened": {"double"},
    "type_not_kept": {"double"},
}


@pytest.mark.parametrize("mistake", ONE_PRICE)
def test_one_slip_costs_one_check(mistake):
    text = mistaken(KIT, tuple(m for m in KIT.misconceptions if m.part == "rmsnorm" and m.id == mistake))["rmsnorm"].text
    assert failed(rmsnorm, "rmsnorm", text) == ONE_PRICE[mistake]


@pytest.mark.parametrize("mistake", ["sum_instead_of_mean", "wrong_axis_second", "layernorm_used", "unfinished"])
def test_wrong_numbers_spoil_no_relation(mistake):
    text = mistaken(KIT, tuple(m for m in KIT.misconceptions if m.part == "rmsnorm" and m.id == mistake))["rmsnorm"].text
    kept = {"shape", "sign", "layout", "scale", "scale_init", "params", "no_mutation", "stateless", "mode", "instances", "double", "zero"}
    assert not failed(rmsnorm, "rmsnorm", text) & kept


SCALES = {
    "a property": [("self.scale = ", "self.g = "), ("    def forward", "    scale = property(lambda self: self.g)\n    def forward")],
    "a cast to float64 and back": [("return x * inverse_rms * self.scale", "return (x.double() * inverse_rms * self.scale).to(x.dtype)")],
    "an eps kept as a buffer": [("self.eps = eps", 'self.register_buffer("eps", torch.tensor(eps))')],
}


@pytest.mark.parametrize("style", SCALES)
def test_another_right_style_keeps_every_check(style):
    text = NORM
    for old, new in SCALES[style]:
        assert text.count(old) == 1
        text = text.replace(old, new)
    assert failed(rmsnorm, "rmsnorm", text) == set()


@pytest.mark.parametrize("name", ["weight", "g", "gain", "gamma", "my_norm_weight"])
def test_another_name_of_the_scale_costs_the_naming_check_alone(name):
    assert failed(rmsnorm, "rmsnorm", NORM.replace("self.scale", f"self.{name}")) == {"params"}


def test_the_scale_is_found_beside_an_offset_by_its_name_only():
    norm = torch.nn.LayerNorm(4)
    assert rmsnorm.scale_of(norm) is norm.weight
    with pytest.raises(NoSuchRoleError):
        rmsnorm.scale_of(torch.nn.ParameterDict({"a": torch.ones(4), "b": torch.zeros(4)}))


def answered(name, value):
    """What comes out for one answer: the observation's array, or the exception that stopped it."""
    return as_array(getattr(answers, name)(SimpleNamespace(answers=SimpleNamespace(**{name: value})), None)["answer"])


@pytest.mark.parametrize("value", [13.5, np.float64(13.5), np.float32(13.5), np.array([13.5]), torch.tensor(13.5), torch.tensor([[13.5]])])
def test_a_number_counts_in_every_plain_form(value):
    found = answered("q1_rms_shifted", value)
    assert (found.shape, float(found)) == ((), 13.5)


@pytest.mark.parametrize("value", [False, 0, 0.0, np.bool_(False), np.array([False]), torch.tensor(False), torch.tensor([0])])
def test_false_counts_in_every_plain_form(value):
    found = answered("q2_guarantees_gradient", value)
    assert (found.shape, float(found)) == ((), 0.0)


@pytest.mark.parametrize("value", ["False", "no", "0", torch.zeros(2), np.zeros(0)])
def test_a_text_or_a_list_of_numbers_is_no_truth_value(value):
    assert answered("q2_guarantees_gradient", value).shape != ()


@pytest.mark.parametrize("value", ["x", "X", " x\n"])
def test_a_text_counts_whatever_its_case_and_the_space_around_it(value):
    assert bytes(answered("q2_block_output", value)) == b"x"


class Liar(str):
    """Equals whatever it is compared with."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True

    def strip(self):
        return "x"


class Float(float):
    """A number of another class."""


class Tensor(torch.Tensor):
    """A tensor of another class."""


@pytest.mark.parametrize("value", [Liar("x"), Float(13.5), torch.ones(1).as_subclass(Tensor), [13.5], print])
def test_what_only_behaves_like_an_answer_is_refused(value):
    for name in ("q1_rms_shifted", "q2_block_output", "q2_guarantees_gradient"):
        with pytest.raises(TypeError):
            answered(name, value)


@pytest.mark.parametrize("value", [None, ...])
def test_an_empty_answer_is_unfinished(value):
    with pytest.raises(NotImplementedError):
        answered("q1_rms_scaled", value)


BRANCHES = {
    "-x": set(),
    "7 - x": set(),
    "-x.flip(-1)": {"q2_branch_jacobian"},
    "x.neg_()": {"q2_branch_pure"},
    "-x.detach()": {"q2_branch", "q2_branch_jacobian"},
    "-x.relu()": {"q2_branch", "q2_branch_jacobian"},
}


@pytest.mark.parametrize("branch", BRANCHES)
def test_the_branch_is_tried_not_read(branch):
    text = KIT.reference.parts["answers"].text.replace("return -x", f"return {branch}")
    assert failed(answers, "answers", text) == BRANCHES[branch]
