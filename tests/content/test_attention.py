"""What is particular to the content of attention: a student's names are understood rightly or not at all, and one slip costs one check."""

import random
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm
from torch.nn.utils.parametrize import register_parametrization

from graders.engine.kit import read_kit
from graders.probes import attention as probes
from graders.probes.projections import ROLES, projections
from graders.probes.shared import NoSuchRoleError
from graders.worker.draw import draws

ROOT = Path(__file__).parents[2]
KIT_PROBES = {check.probe.removeprefix("attention.") for check in read_kit(ROOT).checks if check.takes == ("attention",)}
TEXT = (ROOT / "solutions/attention.py").read_text(encoding="utf-8")

CLEAR = [
    "q_proj k_proj v_proj out_proj",
    "q k v o",
    "Q K V O",
    "wq wk wv wo",
    "W_q W_k W_v W_o",
    "WQ WK WV WO",
    "query key value out",
    "queries keys values fc_out",
    "W_query W_key W_value out_proj",
    "query key value proj",
    "query key value c_proj",
    "query_proj key_proj value_proj output_proj",
    "q_linear k_linear v_linear out",
    "linear_q linear_k linear_v linear_out",
    "to_q to_k to_v to_out",
    "toqueries tokeys tovalues unifyheads",
    "qProj kProj vProj oProj",
    "projQ projK projV projOut",
    "fc_q fc_k fc_v fc_o",
    "qproj kproj vproj oproj",
    "lin_q lin_k lin_v final",
    "q1 k1 v1 o1",
    "q_proj k_proj v_proj o_proj",
    "query_layer key_layer value_layer dense",
]
UNCLEAR = [
    "a b c d",
    "fc1 fc2 fc3 fc4",
    "linear1 linear2 linear3 out",
    "q_proj k_proj v_proj gate_proj",
    "q_proj k_proj v_proj tok_proj",
    "v_in v_out q k",
    "qk_proj k_proj v_proj out_proj",
    "query key key2 out",
    "q_proj k_proj v_proj fc1",
    "q k v q_out",
    "proj1 proj2 proj3 proj",
    "left right link out",
]


def module_with(names):
    """Layers of these names, in the order q, k, v, out of their roles, registered in another order."""
    module, layers = nn.Module(), {name: nn.Linear(4, 4) for name in names}
    for name in random.Random(" ".join(names)).sample(names, len(names)):
        module.add_module(name, layers[name])
    return module, [layer.weight for layer in layers.values()]


@pytest.mark.parametrize("names", CLEAR)
def test_names_that_leave_no_doubt_are_understood(names):
    module, weights = module_with(names.split())
    found = projections(module)
    assert list(found) == list(ROLES)
    assert all(found[role] is weight for role, weight in zip(ROLES, weights, strict=True))


@pytest.mark.parametrize("names", UNCLEAR)
def test_names_that_leave_a_doubt_are_refused_and_told(names):
    module, _ = module_with(names.split())
    with pytest.raises(NoSuchRoleError, match=f"found .*{names.split()[-1]}"):
        projections(module)


def parts_of(text):
    """What a probe is given, for one text."""
    names = {}
    exec(compile(text, "attention.py", "exec"), names)
    return given(**names)


def given(**names):
    """What a probe is given, for a module with these names."""
    parts = SimpleNamespace(attention=SimpleNamespace(**names))
    parts.once = lambda make: make(parts, draws(2))
    return parts


@pytest.mark.parametrize("names", CLEAR[1:])
def test_other_names_change_no_number_but_only_the_list_of_names(names):
    text = TEXT
    for role, name in zip(ROLES, names.split(), strict=True):
        text = re.sub(rf"self\.{role}\b", f"self.{name}", text)
    right, other = parts_of(TEXT), parts_of(text)
    assert torch.equal(probes.value(other, draws(1))["y"], probes.value(right, draws(1))["y"])
    assert set(probes.params(other, draws(1))) == {f"{name}.weight" for name in names.split()}


class Same(nn.Module):
    """A parametrization that leaves the weight as it is, and tells no way back."""

    def forward(self, weight):
        return weight


class Negative(Same):
    """One that gives other numbers, and tells no way back."""

    def forward(self, weight):
        return -weight


class Turned(Negative):
    """The same with a way back."""

    def right_inverse(self, weight):
        return -weight


def parametrized(kind):
    """The solution with a parametrization on queries and keys; for `None` it is torch's weight_norm."""

    class Attention(parts_of(TEXT).attention.CausalSelfAttention):
        def __init__(self, *sizes):
            super().__init__(*sizes)
            for layer in (self.q_proj, self.k_proj):
                if kind:
                    register_parametrization(layer, "weight", kind())
                else:
                    weight_norm(layer, dim=0)

    return given(CausalSelfAttention=Attention)


NUMBERS = [name for name in vars(probes) if name in KIT_PROBES - {"params", "instances"}]


@pytest.mark.parametrize("kind", [Same, Turned, None])
@pytest.mark.parametrize("probe", NUMBERS)
def test_a_weight_that_is_computed_is_filled_and_its_gradient_found(kind, probe):
    wanted, found = (getattr(probes, probe)(parts, draws(1)) for parts in (parts_of(TEXT), parametrized(kind)))
    assert wanted.keys() == found.keys()
    for name, numbers in wanted.items():
        torch.testing.assert_close(found[name], numbers, rtol=3e-5, atol=1e-5)


def test_a_weight_that_comes_out_as_other_numbers_costs_numbers_and_no_relation():
    parts = parametrized(Negative)
    with pytest.raises(NoSuchRoleError, match="comes out as other numbers"):
        probes.value(parts, draws(1))
    runs = probes.stateless(parts, draws(1))
    assert all(torch.equal(*two) for two in runs.values())


def test_a_weight_that_is_computed_and_not_trained_has_no_gradient():
    parts = parametrized(Same)
    for parameter in (module := parts.attention.CausalSelfAttention(8, 2)).q_proj.parameters():
        parameter.requires_grad_(False)
    parts.attention.CausalSelfAttention = lambda *sizes: module
    found = probes.grads(parts, draws(1))
    assert found["q_proj"] is None and found["k_proj"].any()


def test_a_fused_projection_still_shows_its_relations():
    """Which rows of one wide layer are the queries nobody can know, but whether the future is seen can be tried all the same."""
    text = re.sub(r" +self\.[qkv]_proj = .*\n", "", TEXT)
    text = text.replace("super().__init__()", "super().__init__()\n        self.qkv = nn.Linear(width, 3 * width)")
    for i, role in enumerate(("q_proj", "k_proj", "v_proj")):
        text = text.replace(f"self.{role}(x)", f"self.qkv(x).chunk(3, -1)[{i}]")
    runs = probes.causal(parts_of(text), draws(1))["runs"]  # [R, B, T, D]
    moves = (runs[1:, -1] - runs[0, -1]).abs().amax(-1) > 1e-5  # [changed position, output]
    assert torch.equal(moves, torch.ones(4, 5, dtype=torch.bool).triu())
    with pytest.raises(NoSuchRoleError):
        probes.value(parts_of(text), draws(1))


class Idle(nn.Module):
    """Returns its input, and so keeps every promise about what must not change; it is not attention for that."""

    def __init__(self, width, heads):
        super().__init__()

    def forward(self, x):
        return x


@pytest.mark.parametrize("probe", ["causal", "causal_strong", "batch", "shape", "stateless", "mode", "layout", "no_mutation"])
def test_a_module_without_projections_earns_no_relation(probe):
    with pytest.raises(NoSuchRoleError):
        getattr(probes, probe)(given(CausalSelfAttention=Idle), draws(1))


@pytest.mark.parametrize("seed", range(20))
def test_large_scores_have_a_clear_winner(seed):
    """However the scores are scaled, rounding decides nothing: in every row the best leads by 45 even after division by a head's width."""
    seen = []
    parts = parts_of(TEXT)
    module = parts.attention.CausalSelfAttention
    module.forward.__globals__["attention_2d"] = lambda q, k, v, causal: (v, seen.append(q @ k.mT))
    probes.large(parts, draws(seed))
    for row in range(1, 6):
        best, second = seen[0][0, :, row, : row + 1].topk(2, dim=-1).values.unbind(-1)  # [H]
        assert ((best - second) / 8 > 45).all()
    assert seen[0].abs().max() < 3000
