"""`report` and `feedback` as a user types them, without a browser."""

import csv
import sys

import pytest

from graders.engine.cohort.overview import overview
from graders.engine.kit import read_kit
from graders.faces import cli, html
from graders.model import Hint, Outcome
from tests.bench.classes import write
from tests.graders.faces.conftest import ADDER, TOYKIT
from tests.graders.faces.reports import EPS, HOSTILE, hostile, mixed, report, verdict


@pytest.fixture
def run(monkeypatch, capsys):
    """Run `python -m graders` with these words; exit code, output, and what was said about trouble."""
    monkeypatch.setenv("COLUMNS", "100")

    def program(*words, kit=TOYKIT):
        monkeypatch.setattr(sys, "argv", ["graders", *map(str, words), *(["--kit", str(kit)] if kit else [])])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code or 0, *capsys.readouterr()

    return program


@pytest.fixture
def results(tmp_path):
    failed = [report(verdict("norm.value", Outcome.FAILED, "y: the number is wrong."), verdict("norm.zero"), label=label) for label in ("bob", "eve")]
    return write([mixed("ann"), *failed], tmp_path / "results")


def test_the_terminal_tells_the_class_with_the_students_behind_each_number(run, results):
    code, out, _ = run("report", results)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    assert any(line.startswith("void 1 ann all.together") for line in lines)
    assert any(line.startswith("eps_outside_root 1 0 ann") for line in lines)
    assert any(line.startswith("norm 2 bob, eve norm.value: y: the number is wrong.") for line in lines)
    assert any(line.startswith("norm.value 0% ") and line.endswith("2 failed: bob, eve") for line in lines)


def test_of_many_who_lost_a_check_a_few_are_named_and_the_rest_counted(run, tmp_path):
    labels = [f"student-{number:02}" for number in range(20)]
    write([report(verdict("norm.value", Outcome.FAILED, "y: wrong."), label=label) for label in labels], tmp_path / "results")
    out = " ".join(run("report", tmp_path / "results")[1].split())
    assert "20 failed: student-00, student-01, student-02 and 17 more" in out


def test_hostile_names_and_messages_give_the_terminal_no_orders(run, tmp_path):
    write([hostile_but_for_its_file()], tmp_path / "results")
    code, out, _ = run("report", tmp_path / "results")
    assert code == 0
    assert all(char.isprintable() for char in out.replace("\n", ""))
    assert "::error" not in out


def test_the_item_analysis_is_a_table_with_a_line_a_check(run, results, tmp_path):
    code, *_ = run("report", results, "--csv", tmp_path / "items.csv")
    with (tmp_path / "items.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["check"]: row for row in csv.DictReader(file)}
    assert code == 0
    told = [rows["norm.zero"][name] for name in ("points", "pass_rate", "passed", "failed", "mistakes")]
    assert told == ["1.0", "0.6667", "2", "1", "eps_outside_root 1"]
    assert rows["all.together"]["pass_rate"] == ""


def test_page_and_terminal_tell_the_same_median_of_an_even_class(run, tmp_path):
    points = {"ann": 1.0, "bob": 2.0, "cy": 5.0, "dan": 9.0}
    reports = [report(verdict("norm.a", points=own), verdict("norm.b", Outcome.FAILED, points=9 - own), label=label) for label, own in points.items()]
    write(reports, tmp_path / "results")
    assert "median 3.5" in run("report", tmp_path / "results")[1]
    run("report", tmp_path / "results", "--html", tmp_path / "page.html")
    assert "<dt>median</dt><dd>3.5</dd>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_each_of_two_mistakes_has_its_own_hint_and_says_that_it_was_only_seen_with_another(run, tmp_path):
    own = {mistake.id: mistake.hint for mistake in read_kit(TOYKIT).misconceptions}
    one, other = list(own)[:2]
    both = Hint((one, other), f"{own[one]} {own[other]}")
    reports = [report(verdict("norm.a", Outcome.FAILED, "y: wrong.", both), label="ann")]
    write([*reports, report(verdict("norm.a", Outcome.FAILED, "y: wrong.", Hint((one,), own[one])), label="bob")], tmp_path / "results")
    lines = [" ".join(line.split()) for line in run("report", tmp_path / "results")[1].splitlines()]
    assert f"{one} 2 1 ann, bob 1" in lines
    assert f"{other} 1 1 ann 1" in lines
    run("report", tmp_path / "results", "--html", tmp_path / "page.html")
    table = (tmp_path / "page.html").read_text(encoding="utf-8").partition('id="mistakes"')[2].partition("</table>")[0]
    assert table.count(html.plain(own[one])) == table.count(html.plain(own[other])) == 1
    assert both.text not in table


def test_a_class_against_itself_has_no_changes(run, results):
    assert "0 changed, 3 the same, 0 new, 0 gone" in run("report", results, "--against", results)[1]


def test_similar_code_is_told_with_a_caution(run, submission, tmp_path):
    submission("ann")
    submission("bob", adder=ADDER.replace("a", "x").replace("xdd", "add"))
    folder = submission("eve", adder="def add(a, b):\n    return b + b + a - b\n", mixer=None).parent
    write([report(verdict("norm.a"), label=label) for label in ("ann", "bob", "eve")], tmp_path / "results")
    out = " ".join(run("report", tmp_path / "results", "--submissions", folder)[1].split())
    assert "no proof of copying" in out
    assert "adder 2 ann, bob" in out


def test_submissions_of_another_class_are_refused_in_a_sentence(run, submission, results):
    code, _, err = run("report", results, "--submissions", submission("nobody").parent)
    assert (code, err.count("\n")) == (1, 1)


def test_a_file_without_a_report_is_told_and_the_rest_is_shown(run, results):
    (results / "half.json").write_text("{", encoding="utf-8")
    code, out, err = run("report", results)
    assert code == 1
    assert "half.json" in err
    assert "3 submissions" in out


def test_a_page_that_cannot_be_written_is_one_sentence(run, results):
    code, _, err = run("report", results, "--html", results / "ann.json" / "page.html")
    assert (code, err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "words",
    [
        ("report", "results", "--html", "nodir/x.html"),
        ("report", "results", "--csv", "nodir/x.csv"),
        ("feedback", "results/ann.json", "--html", "nodir/x.html"),
        ("gradescope", "nodir/x.zip"),
        ("classroom", "results", "--out", "nodir/x.json"),
        ("junit", "results", "--out", "nodir/x.xml"),
    ],
)
def test_a_file_in_a_folder_that_is_not_there_is_refused_and_no_folder_is_made(run, results, monkeypatch, words):
    monkeypatch.chdir(results.parent)
    code, out, err = run(*words, kit=None if words[0] == "junit" else TOYKIT)  # junit needs no kit
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "there is no folder nodir; make it first" in err
    assert not (results.parent / "nodir").exists()


def test_submissions_that_are_not_there_are_told_as_such(run, results):
    assert run("report", results, "--submissions", results / "nope")[2] == f"{results / 'nope'} is not there; check the path behind --submissions\n"


def test_feedback_is_one_page_about_one_student(run, results, tmp_path):
    code, *_ = run("feedback", results / "ann.json", "--html", tmp_path / "ann.html")
    page = (tmp_path / "ann.html").read_text(encoding="utf-8")
    assert code == 0
    assert EPS.text in page
    assert page.count(EPS.text) == 1
    assert "<script" not in page


def test_feedback_tells_neither_the_seed_nor_the_name_of_a_mistake_nor_other_files_of_the_grader():
    page = html.feedback_page(mixed(), "Kit")
    assert not [secret for secret in ("eps_outside_root", "seed", "0.1.0+abcdef12", "three_four", "own worker gave no result") if secret in page]


def test_feedback_for_a_whole_class_asks_for_one_file(run, results):
    code, _, err = run("feedback", results, "--html", results / "x.html")
    assert (code, "3 reports" in err) == (1, True)


@pytest.mark.parametrize("page", [lambda one: html.feedback_page(one, HOSTILE), lambda one: html.class_page(html_overview(one), HOSTILE)])
def test_no_text_of_a_student_becomes_markup_or_turns_the_reading_direction(page):
    text = page(hostile())
    assert "[bold]" in text
    assert "<b>[bold]" not in text
    assert not {"\u202e", "\x1b", "\x00", "\ud800"} & set(text)


def html_overview(one):
    return overview([one])


def hostile_but_for_its_file():
    """Hostile, with a label that a file can be called by."""
    one = hostile()
    return report(*one.verdicts, label=one.label.replace("\x00", "").replace("/", "").replace("\ud800", ""), notes=one.notes)
