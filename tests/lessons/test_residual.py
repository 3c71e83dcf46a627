"""`python -m lessons.residual` as a reader runs it, its experiment made short, its picture, and the text that goes with it."""

from __future__ import annotations

import importlib.util
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from lessons import digits, pictures, progress, residual
from solutions import residual as solution

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "lessons" / "residual.md").read_text(encoding="utf-8")


def run(folder, *words):
    """Exit code, output and errors of the lesson."""
    done = subprocess.run([sys.executable, "-m", "lessons.residual", *words], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def rows(text):
    """Labels and values of what was printed."""
    return dict(re.split(r" {2,}", line.strip(), maxsplit=1) for line in text.splitlines() if re.match(r" {3}\S.*\S {2,}\S", line))


def release(folder, filled):
    """What students receive, with or without the solution in the place of the stub."""
    for name in ("exercises", "tiny_lm", "lessons"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    if filled:
        shutil.copy(ROOT / "solutions" / "residual.py", folder / "exercises")
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A student's folder with finished work, the whole lesson, and its picture."""
    folder = release(tmp_path_factory.mktemp("whole"), filled=True)
    return *run(folder, "--plot", "ways.png"), folder / "ways.png"


@pytest.fixture(scope="module")
def arms():
    """The three stacks after two epochs, with one thread as in the lesson."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    data, recipe = digits.load(), digits.Recipe(epochs=2)
    found = {name: digits.train(solution, name, data, recipe) for name in digits.ARMS}
    torch.set_num_threads(threads)
    return found


def test_the_whole_lesson_shows_its_numbers(whole):
    code, text, errors, _ = whole
    shown = rows(text)
    assert (code, errors) == (0, "")
    assert (shown["20 plain layers"], shown["20 residual blocks"]) == ("9.5e-27", "2.65")
    assert (shown["3 plain layers with 0.1"], shown["3 residual blocks with 0.1"]) == ("0.001", "1.331")
    assert (shown["PlainBlock of [-1, 3]"], shown["ResidualBlock of [-1, 3]"]) == ("[0, 1.5]", "[-1, 4.5]")
    assert (shown["gradient through 20 PlainBlocks"], shown["gradient through 20 ResidualBlocks"]) == ("9.5e-27", "2.65")
    assert shown["without a norm, after 20 blocks"] == "[3325.3, 9975.8]"
    assert shown["what your norm makes of [1, 3]"] == "[-1.0, 1.0]"
    assert shown["with pre-norm, after 20 blocks"] == "[-9.0, 13.0]"
    assert (shown["1/√N for N = 16"], shown["1/√N for N = 48"]) == ("0.250", "0.144")
    assert (shown["last weight of 1, rescaled for 16"], shown["bias of 1 beside it"], shown["earlier weight of 1"]) == ("0.250", "1.000", "1.000")
    assert (shown["the stream after block 1"], shown["the stream after block 2"]) == ("[1.5, 0.5]", "[2.0, 0.0]")
    assert shown["start plus all writes"] == "[2.0, 0.0]"


def test_it_ends_with_the_three_lines(whole):
    plain, without, prenorm = whole[1].rstrip("\n").splitlines()[-3:]
    assert re.fullmatch(r"   plain {2,}loss 2\.\d{3}, \d+\.\d% of unseen digits right: it stays near ln 10, a guess", plain)
    assert re.fullmatch(r"   residual {2,}loss nan from step \d+ of 69 on: it blew up, and no number is left", without)
    assert re.fullmatch(r"   residual, pre-norm {2,}loss [01]\.\d{3}, \d\d\.\d% of unseen digits right: it learns", prenorm)


def test_the_columns_line_up(whole):
    starts = {len(line) - len(line[3:].split("  ", 1)[1].lstrip()) for line in whole[1].splitlines() if line.startswith("   ")}
    assert len(starts) == 1


def test_plain_layers_stay_where_guessing_is(arms):
    assert all(abs(loss - math.log(10)) < 0.15 for loss in arms["plain"].losses)
    assert arms["plain"].right < 0.2
    assert arms["plain"].gradients[0] < 1e-5 * arms["plain"].gradients[-1]


def test_a_direct_path_without_a_norm_blows_up_to_nan(arms):
    arm = arms["residual"]
    assert 0 < arm.broken_at < 20
    assert math.isnan(arm.losses[-1]) and math.isnan(arm.loss)
    assert max(loss for loss in arm.losses if math.isfinite(loss)) > 1000
    assert arm.gradients[0] > arm.gradients[-1] and arm.sizes[-1] > 20 * arm.sizes[0]


def test_with_prenorm_it_learns(arms):
    arm = arms["residual, pre-norm"]
    assert arm.broken_at == 0
    assert arm.loss < 2.1 and arm.right > 0.25
    assert arm.sizes[-1] < arms["residual"].sizes[-1] / 2


def test_all_three_start_from_the_same_numbers():
    stacks = [digits.build(solution, name, digits.Recipe(layers=3, seed=7)) for name in digits.ARMS]
    for other in stacks[1:]:
        assert torch.equal(stacks[0].into.weight, other.into.weight) and torch.equal(stacks[0].out.weight, other.out.weight)
        assert all(torch.equal(one.lin.weight, two.lin.weight) for one, two in zip(stacks[0].blocks, other.blocks, strict=True))


def test_gpt2s_start_shrinks_the_branches_and_nothing_else():
    for name, factor in (("plain", 1), ("residual", 0.5), ("residual, pre-norm", 0.5)):
        usual, small = (digits.build(solution, name, digits.Recipe(layers=4, init=init)) for init in ("torch", "gpt2"))
        for (key, before), after in zip(usual.named_parameters(), small.parameters(), strict=True):
            expected = before * factor if key.endswith("lin.weight") else before
            torch.testing.assert_close(after, expected)


def test_the_same_seed_gives_the_same_losses(arms):
    data = digits.load()
    again = digits.train(solution, "residual", data, digits.Recipe(epochs=1))
    other = digits.train(solution, "residual", data, digits.Recipe(epochs=1, seed=1))
    assert again.losses[:2] == pytest.approx(arms["residual"].losses[:2], rel=1e-3)
    assert other.losses[0] != pytest.approx(arms["residual"].losses[0], rel=1e-3)


def near(pixels, colour):
    """How many pixels have almost this colour."""
    wanted = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
    return int((np.abs(pixels.astype(int) - wanted).max(axis=-1) < 12).sum())


def test_the_picture_is_there_and_shows_the_three_stacks_in_every_panel(whole):
    assert whole[3].stat().st_size < 300_000
    pixels = np.asarray(Image.open(whole[3]).convert("RGB"))  # [height, width, 3]
    assert pixels.shape[0] >= 400 and pixels.shape[1] >= 1000
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 100
    for panel in np.array_split(pixels, 3, axis=1):
        assert all(near(panel, look["color"]) > 30 for look in pictures.LOOKS.values())


def arm_of(name, losses, gradients=(1.0, 1.0, 1.0)):
    return digits.Arm(name, [1.0, 2.0, 3.0], list(gradients), list(losses), losses[-1], 0.5)


def words_of(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_what_is_not_a_number_is_named_in_the_picture():
    broken = arm_of("residual", [3.0, 5000.0, math.inf, math.nan], gradients=[math.inf, 1.0, 1.0])
    faint = arm_of("plain", [2.3, 2.3, 2.3, 2.3], gradients=[0.0, 0.0, 1.0])
    words = words_of(pictures.draw([faint, broken], "a title"))
    assert "residual:\n5.0e+03 at step 2,\ninf from step 3 on" in words
    assert [word.strip() for word in words if word.strip() in ("residual: inf", "plain: 0")] == ["plain: 0", "residual: inf"]


def test_a_picture_of_stacks_that_hold_tells_of_no_nan():
    figure = pictures.draw([arm_of(name, [2.0, 1.5, 1.0]) for name in digits.ARMS], "a title")
    assert words_of(figure) == []
    assert [axes.get_xlabel() for axes in figure.axes] == ["step", "blocks passed", "blocks passed"]
    assert all(axes.get_title() and axes.get_ylabel() for axes in figure.axes)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == [f"{name}: {formula}" for name, formula in digits.ARMS.items()] + ["guessing: ln 10"]


def test_no_two_stacks_look_alike_even_without_colour():
    for what in ("color", "linestyle", "marker"):
        assert len({look[what] for look in pictures.LOOKS.values()}) == 3


@pytest.mark.parametrize(
    ("losses", "right", "said"),
    [
        ([2.3, 2.31], 0.1, "loss 2.310, 10.0% of unseen digits right: it stays near ln 10, a guess"),
        ([2.3, 0.5], 0.9, "loss 0.500, 90.0% of unseen digits right: it learns"),
        ([9.0, 10.7], 0.19, "loss 10.700, 19.0% of unseen digits right: worse than a guess"),
        ([2.3, math.inf, math.nan], 0.1, "loss nan from step 2 of 3 on: it blew up, and no number is left"),
    ],
)
def test_what_became_of_a_stack_is_told_as_it_is(losses, right, said):
    assert digits.verdict(digits.Arm("plain", [], [], losses, losses[-1], right)) == said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--layers", "0"], "--layers takes a whole number from 1 to 200, not '0'."),
        (["--layers", "many"], "--layers takes a whole number from 1 to 200, not 'many'."),
        (["--epochs", "2.5"], "--epochs takes a whole number from 1 to 100, not '2.5'."),
        (["--seed", "-1"], "--seed takes a whole number from 0 to 4294967295, not '-1'."),
        (["--init", "small"], "--init takes torch or gpt2, not 'small'."),
        (["--plot", "ways.txt"], "--plot takes a file that ends with .png, .svg or .pdf, not 'ways.txt'."),
        (["--plot", "nowhere/ways.png"], "--plot cannot write 'nowhere/ways.png': there is no folder 'nowhere'."),
        (["--from", "answers"], "--from takes exercises or solutions, not 'answers'."),
    ],
)
def test_a_wrong_value_gets_one_sentence(words, sentence, capsys):
    assert residual.main(words) == 2
    assert capsys.readouterr() == ("", sentence + "\n")


@pytest.fixture
def without(monkeypatch):
    """Make Python believe that a library is not installed."""
    find = importlib.util.find_spec

    def hide(name):
        monkeypatch.setattr(importlib.util, "find_spec", lambda wanted, package=None: None if wanted == name else find(wanted, package))

    return hide


def test_without_scikit_learn_the_numbers_are_shown_and_the_experiment_says_what_it_needs(without, capsys):
    without("sklearn")
    assert residual.main(["--from", "solutions"]) == 2
    shown = capsys.readouterr().out
    assert "[-9.0, 13.0]" in shown
    assert shown.splitlines()[-1] == "Section 6, the experiment, needs scikit-learn, which is not installed here: pip install scikit-learn"


def test_without_matplotlib_no_time_is_spent_before_saying_so(without, capsys):
    without("matplotlib")
    assert residual.main(["--from", "solutions", "--plot", "ways.png"]) == 2
    assert capsys.readouterr() == ("", "--plot needs matplotlib, which is not installed here: pip install matplotlib\n")


def test_the_exercise_and_its_tests_need_neither_library():
    for file in ("solutions/residual.py", "exercises/residual.py", "exercises/test_residual.py"):
        assert not re.search(r"sklearn|matplotlib|lessons\.", (ROOT / file).read_text(encoding="utf-8"))


def test_it_stops_kindly_at_the_first_stub(tmp_path):
    code, text, errors = run(release(tmp_path, filled=False))
    assert (code, errors) == (1, "")
    assert text.splitlines()[-1] == "The lesson works as far as section 1; open exercises/residual.py next and write PlainBlock.__init__."


class Terminal:
    """A stream that says it is a terminal and keeps what it is given."""

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def watched(monkeypatch, hidden=()):
    """What somebody at a terminal sees of three steps."""
    terminal = Terminal()
    for name in hidden:
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with progress.bar("plain", 3) as step:
        for number in range(3):
            step(f"loss {number}")
    return terminal.text


def test_a_bar_shows_the_last_loss_and_is_wiped_at_the_end(monkeypatch):
    text = watched(monkeypatch)
    assert "plain" in text and "loss 2" in text and "━" in text
    assert text.endswith("\x1b[2K")


def test_without_rich_a_plain_line_does_the_same(monkeypatch):
    text = watched(monkeypatch, hidden=("rich", "rich.progress", "rich.console"))
    assert re.findall(r"plain: (\d) of 3, loss (\d)", text) == [("1", "0"), ("2", "1"), ("3", "2")]
    assert text.endswith("\r" + " " * 79 + "\r") and "\n" not in text


def test_where_nobody_watches_there_is_no_bar(capfd):
    with progress.bar("plain", 1) as step:
        step("loss 1")
    assert capfd.readouterr() == ("", "")


def test_the_text_and_the_runner_have_the_same_sections():
    headings = re.findall(r"^## (\d+\. .+)$", TEXT, re.MULTILINE)
    shown = [section.title for section in residual.SECTIONS] + ["Twenty layers, three ways"]
    assert headings == [f"{number}. {title}" for number, title in enumerate(shown, 1)]
    assert re.findall(r"^<!-- exercise: (\w+) -->$", TEXT, re.MULTILINE) == ["residual"]


def test_the_text_holds_no_line_of_the_solution():
    regions = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", (ROOT / "solutions/residual.py").read_text(encoding="utf-8"), re.DOTALL)
    lines = {line.split("#")[0].strip() for line in "".join(regions).splitlines() if line.strip()}
    assert len(lines) > 10
    assert not [line for line in lines if line in TEXT]


def test_the_text_has_one_sentence_a_line():
    prose = [line for line in TEXT.splitlines() if re.match(r"[A-Z]", line)]
    assert not [line for line in prose if re.search(r"[a-z][.?!] [A-Z]", line)]


def test_the_docs_show_a_picture_that_is_there():
    text = (ROOT / "docs" / "residual.md").read_text(encoding="utf-8")
    described, name = re.search(r"!\[(.+)\]\((.+)\)", text).groups()
    assert len(described) > 100
    assert (ROOT / "docs" / name).stat().st_size < 300_000
    pixels = np.asarray(Image.open(ROOT / "docs" / name).convert("RGB"))
    assert all(near(panel, look["color"]) > 30 for panel in np.array_split(pixels, 3, axis=1) for look in pictures.LOOKS.values())
