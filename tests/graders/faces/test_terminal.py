"""Reports in a terminal, as plain text and at the width of an old one."""

import io

import pytest
from rich.console import Console

from graders.faces import terminal
from graders.model import Outcome
from tests.graders.faces.reports import EPS, hostile, mixed, report, verdict

DETAIL = """\
student-017

norm                                                                      2 of 4
  ✓ passed     three_four  Try three_four                                 2 of 2
  ✗ failed     faint  Try faint                                           0 of 1
               y: 2 of 2 numbers are wrong, first at [0].
               Hint: Add eps to the mean square, before the square root.
  ✗ failed     zero  Try zero                                             0 of 1
               y: the number is not finite.

heads                                                                     0 of 2
  · unfinished value  Try value                                           0 of 1
               Open exercises/heads.py and write Heads.forward.
  · unfinished causal  Try causal                                         0 of 1

block                                                                     0 of 2
  ! crashed    value  Try value                                           0 of 1
               block.py, line 3: ValueError: no
  ! timed out  loop  Try loop                                             0 of 1
               No result after 5 seconds.

answers                                                                   0 of 1
  ! missing    q1  Try q1                                                 0 of 1
               answers.py was not handed in.

all                                                                       0 of 0
  ? void       together  Try together                                       void
               The grader's own worker gave no result.

total 1 passed, 2 failed, 2 unfinished, 1 crashed, 1 timed out, 1         2 of 9
      missing, 1 void
seed 7, isolation full, kit 0.1.0+abcdef12, 0.05 s
"""

CLASS = """\
                                           norm heads block answers  all
student                                    of 4  of 2  of 2    of 1 of 0  total
ann                                           2     0     0       0    0 2 of 9
  needs a human: the grader itself failed
  here
  eps_outside_root, 2 unfinished, 1
  crashed, 1 timed out, 1 missing, 1 void
bob                                           4     -     -       -    - 4 of 4

2 graded; seed 7, isolation full, kit 0.1.0+abcdef12
"""


def overview(*reports):
    """The table of a class, made from what is kept of each report."""
    return terminal.overview([terminal.summary(one) for one in reports], len(reports))


def shown(renderable, width=80, **options):
    """What a console of this width prints, without the spaces at the ends of lines."""
    out = io.StringIO()
    Console(file=out, width=width, **options).print(renderable)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def test_one_student_in_detail_at_80_columns_without_colour():
    assert shown(terminal.detail(mixed())) == DETAIL


def test_a_class_at_80_columns_without_colour():
    assert shown(overview(mixed("ann"), report(verdict("norm.all", points=4.0), label="bob"))) == CLASS


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_the_terminal_or_than_one_can_read(width):
    for view in (terminal.detail(mixed()), overview(*[mixed()] * 3)):
        assert max(map(len, shown(view, width).split("\n"))) <= min(width, terminal.WIDEST)


@pytest.mark.parametrize("outcome", Outcome)
def test_each_outcome_is_said_in_words(outcome):
    assert outcome.value.replace("_", " ") in shown(terminal.detail(report(verdict("norm.value", outcome))))


@pytest.mark.parametrize("view", [terminal.detail, overview])
def test_hostile_text_moves_no_cursor_and_gives_no_order(view):
    text = shown(view(hostile()), 60, color_system="truecolor", force_terminal=True)
    ours = text.replace("\x1b[", "")
    assert ours.replace("\n", "").isprintable()
    assert "2J" not in text.replace("\\x1b[2J", "")
    for line in ours.split("\n"):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line


def test_square_brackets_in_a_message_are_not_markup():
    assert "[bold]" in shown(terminal.detail(report(verdict("norm.value", Outcome.FAILED, "found [bold] at [0]"))))


def test_what_is_wrong_is_told_of_each_check_but_a_hint_and_what_stopped_the_code_only_once():
    failed = [verdict(f"norm.{name}", Outcome.FAILED, "y: wrong.", EPS) for name in "ab"]
    crashed = [verdict(f"norm.{name}", Outcome.CRASHED, "norm.py, line 3: no.") for name in "cd"]
    text = shown(terminal.detail(report(*failed, *crashed)))
    assert [text.count(words) for words in ("y: wrong.", EPS.text, "norm.py, line 3: no.")] == [2, 1, 1]


def test_the_class_has_one_short_line_for_a_notebook_and_the_student_s_own_report_has_its_cells():
    note = f"lesson15.ipynb was read: {'; '.join(f'{part} from code cells 3, 4, 5' for part in ('norm', 'heads', 'block'))}."
    one = report(verdict("norm.value"), notes=(note, "norm.py is empty."))
    assert [line.strip() for line in shown(overview(one)).split("\n")][3:5] == ["lesson15.ipynb was read.", "norm.py is empty."]
    assert "heads from code cells 3, 4, 5" in " ".join(shown(terminal.detail(one)).split())
