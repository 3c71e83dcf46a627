"""A server that is on its way: taken, given up, or never able to come up."""

import os
import select
from pathlib import Path

import pytest

from graders.engine import launch, view
from graders.engine.observer import Observer
from graders.model import KitError
from tests.conftest import TOYKIT


def ended(descriptor):
    """Whether the process ends within some seconds."""
    return bool(select.select([descriptor], [], [], 5.0)[0])


def test_one_that_nobody_takes_ends_with_its_context():
    with launch.begin(view.content(TOYKIT)) as beginning:
        process = os.pidfd_open(beginning._server.process.pid)
    assert ended(process)


def test_one_that_is_taken_outlives_its_context_and_ends_with_its_observer(kit):
    with launch.begin(view.content(TOYKIT)) as beginning:
        observer = Observer(kit, beginning=beginning)
    process = os.pidfd_open(observer._server.process.pid)
    assert observer.observe(kit.reference.parts, ("adder.value",), 1)["adder.value"].fault is None
    observer.close()
    assert ended(process)


def test_where_the_view_does_not_work_the_server_comes_up_without_it_and_says_why(kit, monkeypatch):
    monkeypatch.setattr(view, "bubblewrap", lambda content: (("/bin/false", "--"),))
    with Observer(kit) as observer:
        assert "view" in observer.isolation
        assert observer.observe(kit.reference.parts, ("adder.value",), 1)["adder.value"].fault is None


def test_one_that_cannot_come_up_is_told_with_its_last_words(tmp_path):
    (tmp_path / "graders/probes").mkdir(parents=True)
    Path(tmp_path / "graders/probes/broken.py").write_text("raise OSError('no luck today')\n")
    with launch.begin(view.content(tmp_path)) as beginning, pytest.raises(KitError, match="no luck today"):
        beginning.server()
