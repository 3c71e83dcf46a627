"""The bar beside long work."""

import io
import re
import sys

import pytest
from rich.console import Console

from graders.faces import progress


@pytest.fixture
def screen(monkeypatch):
    """What a terminal at stderr gets."""
    out = io.StringIO()
    monkeypatch.setattr(progress, "Console", lambda stderr: Console(file=out, force_terminal=True, width=100))
    return out


def test_a_batch_shows_how_many_are_done_how_long_it_will_take_and_the_last_label(screen):
    with progress.progress(3, lines_between=True) as step:
        for label in ("ann", "[bold]bob"):
            step(label)
    assert "2/3" in screen.getvalue()
    assert "[bold]bob" in screen.getvalue()
    assert re.search(r"-:--:--|\d:\d\d:\d\d", screen.getvalue())


def test_one_submission_needs_no_bar(screen):
    with progress.progress(1, lines_between=True) as step:
        step("ann")
    assert "ann" not in screen.getvalue()


def test_nothing_of_the_bar_reaches_a_pipe_nor_does_it_take_lines_from_one(screen, capsys):
    """Reports as lines of JSON go to standard output even while a terminal shows the bar."""
    with progress.progress(3, lines_between=False) as step:
        print('{"label": "ann"}')
        step("ann")
    assert capsys.readouterr().out == '{"label": "ann"}\n'
    with progress.progress(3, lines_between=True):
        assert not sys.stdout.isatty()
        print("ann gained adder.value")
    assert capsys.readouterr().out == "ann gained adder.value\n"
