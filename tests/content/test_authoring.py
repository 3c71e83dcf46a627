"""The guide for authors, followed to the letter on a copy of the toy kit: its five files are an exercise that keeps every promise."""

import re
import shutil
from pathlib import Path

import pytest

from graders.engine import promises
from graders.engine.audit import Bench, audit
from graders.engine.kit import read_kit
from graders.engine.observer import Observer
from graders.engine.skeleton import write_skeleton
from graders.model import KitError
from graders.publish.stubs import cut, write_stubs

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/authoring.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(\S+)`\n\n```\w+\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL))


@pytest.fixture
def root(tmp_path):
    shutil.copytree(ROOT / "tests/toykit", tmp_path / "kit")
    write_skeleton(tmp_path / "kit", "swiglu")
    return tmp_path / "kit"


def follow(root):
    """Put the guide's files in the place of the skeletons."""
    for name, text in FILES.items():
        file = root / name
        before = file.read_text().partition("[swiglu]")[0] if name == "grading.toml" else ""
        file.write_text(before + text)
    write_stubs(root)


def test_the_guide_has_five_files_of_content_and_few_lines():
    assert len(FILES) == 5
    assert sum(text.count("\n") for text in FILES.values()) < 100


def test_the_skeleton_is_content_that_says_what_to_write_next(root):
    kit = read_kit(root)
    assert "swiglu" in kit.parts
    with Observer(kit) as observer, pytest.raises(KitError, match=r"the reference fails the probe swiglu.*mend solutions/"):
        list(promises.reference_passes(promises.Scene(kit, cut, observer)))


def test_what_the_guide_writes_keeps_every_promise_and_leaves_no_hole(root):
    follow(root)
    kit = read_kit(root)
    with Observer(kit) as observer:
        scene = promises.Scene(kit, cut, observer, seeds=3)
        broken = [problem for promise in promises.PROMISES for problem in promise.problems(scene)]
        assert [problem for problem in broken if "swiglu" in problem] == []
        found = audit(Bench(kit, [observer], 3), "swiglu", 150)
    assert [survivor for survivor in found.survivors if survivor.verdict != "equivalent"] == []


@pytest.mark.parametrize(("name", "said"), [("adder", "is there already"), ("Two words", "is no name"), ("class", "is no name")])
def test_a_name_that_cannot_be_is_refused(root, name, said):
    with pytest.raises(KitError, match=said):
        write_skeleton(root, name)
