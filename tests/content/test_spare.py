"""A module is used again only where nothing but numbers in parameters could have been left in it."""

from collections import deque
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from graders.probes.projections import each
from graders.probes.spare import as_new


class Plain(nn.Module):
    """Leaves nothing behind, whatever it is given to keep."""

    def __init__(self, *kept):
        super().__init__()
        self.lin, self.free, self.seen, self.kept = nn.Linear(2, 2), nn.Parameter(torch.ones(2)), [], kept
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, x):
        return self.free * self.lin(x)


@pytest.fixture
def parts():
    spares = {}
    return SimpleNamespace(once=lambda make: spares)


def again(parts, build, use):
    """Whether the module is the same one after its use."""
    first = as_new(parts, "name", build)
    use(first)
    return as_new(parts, "name", build) is first


def test_a_module_that_was_only_called_is_used_again(parts):
    assert again(parts, Plain, lambda module: module(torch.ones(1, 2)))


def test_it_has_the_numbers_that_it_began_with(parts):
    module = as_new(parts, "name", Plain)
    before = [parameter.detach().clone() for parameter in module.parameters()]
    for parameter in module.parameters():
        parameter.data.fill_(7)
    after = list(as_new(parts, "name", Plain).parameters())
    assert all(torch.equal(one, other) for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize(
    "use",
    [
        lambda module: setattr(module, "cache", torch.ones(2)),
        lambda module: setattr(module, "seen", [1]),
        lambda module: module.seen.append(300),
        lambda module: module.mean.add_(1),
        lambda module: module.register_forward_hook(print),
        lambda module: module.lin.register_buffer("more", torch.ones(1)),
        lambda module: setattr(module.lin, "weight", nn.Parameter(torch.ones(2, 2))),
        lambda module: module.free.requires_grad_(False),
        lambda module: module.double(),
        lambda module: module.eval(),
    ],
    ids=["tensor", "list", "entry", "buffer", "hook", "layer's buffer", "layer's weight", "frozen", "type", "mode"],
)
def test_a_module_in_which_something_was_left_is_built_again(parts, use):
    assert not again(parts, Plain, use)


@pytest.mark.parametrize("kept", [deque(), lambda: 0, object(), list(range(100))], ids=["deque", "function", "object", "long"])
def test_a_module_that_cannot_be_looked_into_is_built_again(parts, kept):
    assert not again(parts, lambda: Plain(kept), lambda module: None)


def test_what_holds_itself_ends_the_search(parts):
    def build():
        module = Plain()
        module.seen.append(module.seen)
        return module

    assert not again(parts, build, lambda module: None)


class Tokens(nn.Module):
    """A stand-in for attention whose texts may know of each other."""

    mixes = False

    def __init__(self, width, heads):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x):
        return self.out_proj(x - x.mean(0, keepdim=True) if self.mixes else x)


@pytest.mark.parametrize("mixes", [False, True])
def test_texts_read_as_one_batch_come_out_as_if_read_alone(parts, mixes):
    parts.attention = SimpleNamespace(CausalSelfAttention=type("Attention", (Tokens,), {"mixes": mixes}))
    weights, texts = torch.randn(4, 4, 4), [torch.randn(2, 3, 4) for _ in range(3)]
    outputs = each(parts, weights, texts)
    expected = torch.stack([(text - text.mean(0, keepdim=True) if mixes else text) @ weights[3].T for text in texts])
    assert torch.allclose(outputs, expected, atol=1e-5)
