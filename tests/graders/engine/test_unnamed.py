"""From a student's code to the start of a catalogue's entry."""

import shutil
import tomllib

import pytest

from graders.engine.kit import read_kit
from graders.engine.unnamed import edit, entry, shortest, start_entry
from graders.model import KitError, Part
from tests.conftest import TOYKIT

SOLUTION = "def f(x):\n    ### BEGIN SOLUTION\n    y = x + 1  # one more\n    return y\n    ### END SOLUTION\n"


@pytest.fixture
def kit(tmp_path):
    shutil.copytree(TOYKIT, tmp_path / "kit")
    return read_kit(tmp_path / "kit")


def test_one_line_that_differs_is_the_edit_whatever_comments_say():
    assert edit(SOLUTION, "# mine\ndef f(x):\n    y = x - 1\n    return y\n") == ("y = x + 1", "y = x - 1")


def test_no_edit_is_found_in_code_that_is_written_otherwise():
    assert edit(SOLUTION, "def g(x):\n    y = x + 1\n    return 0\n") is None
    assert edit(SOLUTION, SOLUTION) is None


def test_the_shortest_code_of_a_group_is_shown():
    members = [{"a": Part("a", "long text")}, {"b": Part("b", "x")}, {"a": Part("a", "short")}]
    assert shortest("a", members).text == "short"
    assert shortest("c", members) is None


def test_an_entry_is_toml_whatever_the_code_holds():
    swap, new = 'a = "\\n"\n\tb = é\x7f', "'''"
    assert tomllib.loads(entry("one", (swap, new))) == {"one": {"swap": swap, "with": new, "hint": ""}}


def test_an_entry_is_added_and_the_kit_then_asks_for_its_hint(kit):
    start_entry(kit, "adder", "thrice", Part("adder", "def add(a, b):\n    return a + 3 * b\n"))
    with pytest.raises(KitError, match=r"\[thrice\] has no hint; say in one or two sentences"):
        read_kit(kit.root)
    file = kit.root / "graders/misconceptions/adder.toml"
    file.write_text(file.read_text().replace('hint = ""', 'hint = "The second counts thrice."'))
    assert [mistake.edits[0].with_ for mistake in read_kit(kit.root).misconceptions if mistake.id == "thrice"] == ["return a + 3 * b"]


@pytest.mark.parametrize(("slug", "said"), [("Wrong axis", "is no name"), ("subtracts", "is there already")])
def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(kit, slug, said):
    file = kit.root / "graders/misconceptions/adder.toml"
    before = file.read_text()
    with pytest.raises(KitError, match=said):
        start_entry(kit, "adder", slug, None)
    assert file.read_text() == before
