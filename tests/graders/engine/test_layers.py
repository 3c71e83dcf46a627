"""How isolation is named, and when `full` refuses."""

import pytest

from graders.engine import layers
from graders.model import KitError


@pytest.mark.parametrize(
    ("missing", "name"),
    [
        ((), "full"),
        (("view",), "full: without view"),
        (("view", "namespaces"), "partial: without view, namespaces"),
        (("seccomp",), "partial: without seccomp"),
        (("seccomp", "view", "landlock", "namespaces"), "basic"),
        (("identity",), "full: without identity"),
    ],
)
def test_a_report_says_what_was_in_force(missing, name):
    assert layers.describe(dict.fromkeys(missing, "why")) == name


def test_full_is_refused_with_what_is_missing_and_what_to_do():
    with pytest.raises(KitError, match=r"namespaces \(Operation not permitted\): allow user namespaces"):
        layers.demand_full({"namespaces": "Operation not permitted"})


def test_full_needs_no_bubblewrap():
    layers.demand_full({"view": "not installed"})


def test_another_word_is_not_known():
    with pytest.raises(KitError, match="'strict' is not known"):
        layers.wanted("strict")


def test_where_bubblewrap_is_there_and_fails_installing_it_is_no_remedy():
    assert "user namespaces" in layers.remedy("view", {"view": "bwrap: Creating new namespace failed"})
    assert layers.remedy("view", {"view": "bubblewrap is not installed"}) == "apt install bubblewrap"
