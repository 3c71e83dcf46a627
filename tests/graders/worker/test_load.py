"""How texts become modules: by every way of importing a sibling, each loaded once, and only when asked for."""

import sys

import pytest
import torch

from graders.worker.load import AbsentError, Parts

MIXER = "{way}\n\ndef mix():\n    return add()\n"


@pytest.mark.parametrize("way", ["from .adder import add", "from exercises.adder import add", "from adder import add"])
def test_a_part_finds_another_by_every_name(way):
    parts = Parts({"adder": "def add():\n    return 7\n", "mixer": MIXER.format(way=way)})
    assert parts.mixer.mix() == 7


def test_a_part_has_one_identity_by_both_its_names():
    parts = Parts({"adder": "class A:\n    pass\n", "mixer": "from adder import A as one\nfrom .adder import A as two\n"})
    assert parts.mixer.one is parts.mixer.two is parts.adder.A


def test_a_part_is_loaded_only_when_it_is_asked_for():
    parts = Parts({"adder": "x = 1", "mixer": "raise ValueError"})
    assert parts.adder.x == 1


def test_a_part_that_fails_runs_once_and_fails_the_same_way_again():
    parts = Parts({"adder": "import sys\nsys.runs = getattr(sys, 'runs', 0) + 1\nraise ValueError('first')", "mixer": "from .adder import add"})
    for part in ("adder", "adder", "mixer"):
        with pytest.raises(ValueError, match="first"):
            getattr(parts, part)
    assert sys.runs == 1
    del sys.runs


def test_no_part_hides_a_library():
    parts = Parts({"json": "dumps = None", "adder": "import json\n\nkept = json.dumps({})\n"})
    assert parts.adder.kept == "{}"


def test_a_part_that_was_not_handed_in_is_absent():
    with pytest.raises(AbsentError, match=r"adder\.py was not handed in"):
        _ = Parts({}).adder


def test_a_name_that_is_missing_is_told_with_what_is_there():
    parts = Parts({"adder": "import json\nclass Addder:\n    pass\ndef plus():\n    pass\n"})
    with pytest.raises(AbsentError, match=r"Adder not found in adder\.py; found Addder$"):
        _ = parts.adder.Adder
    with pytest.raises(AbsentError, match=r"add not found in adder\.py; found Addder, plus$"):
        _ = parts.adder.add


def test_new_texts_replace_old_ones():
    assert Parts({"adder": "x = 1"}).adder.x == 1
    assert Parts({"adder": "x = 2"}).adder.x == 2


def test_what_several_probes_start_from_is_made_once_and_fails_for_each_of_them():
    parts, made = Parts({"adder": "x = 1"}, seed=3), []

    def start(parts, draw):
        made.append(parts.adder.x)
        return draw(2)

    def breaks(parts, draw):
        made.append("broken")
        raise ValueError("no")

    assert parts.once(start) is parts.once(start)
    assert torch.equal(parts.once(start), Parts({"adder": "x = 1"}, seed=3).once(start))
    assert not torch.equal(parts.once(start), Parts({"adder": "x = 1"}, seed=4).once(start))
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            parts.once(breaks)
    assert made.count("broken") == 1
