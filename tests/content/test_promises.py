"""The promises of the real kit's content, one test id a promise: what `python -m graders check` checks."""

from pathlib import Path

import pytest

from graders.engine.kit import read_kit
from graders.engine.observer import Observer
from graders.engine.promises import PROMISES, Scene
from graders.publish.stubs import cut

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def scene():
    kit = read_kit(ROOT)
    with Observer(kit) as observer:
        yield Scene(kit, cut, observer)


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.title.replace(" ", "_"))
def test_the_content_keeps_its_promise(promise, scene):
    assert list(promise.problems(scene)) == []
