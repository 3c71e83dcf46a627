"""The hidden checks as pytest items: one a check, named as in grading.toml.

A failed check is a failure, a void one an error. The submission is read as text and runs in the worker;
pytest itself collects and imports nothing of it.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graders.engine import cache
from graders.engine.grade import grade
from graders.engine.key import AnswerKey
from graders.engine.kit import read_kit
from graders.engine.narrow import for_lessons
from graders.engine.observer import Observer
from graders.engine.submission import find_one
from graders.faces.text import OUTCOMES, by_group, clean, earned, number, possible, title
from graders.model import Check, Kit, KitError, Outcome, Report, Submission, SubmissionError, Verdict

FOLDER = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Desk:
    """What this run grades, and how."""

    kit: Kit
    submission: Submission
    seed: int
    isolation: str


DESK = pytest.StashKey[Desk]()
REPORT = pytest.StashKey[Report]()


class NotPassed(Exception):  # noqa: N818 - an outcome of the student's, not an error of ours
    """Carries a verdict to the item that shows it."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.check.id)
        self.verdict = verdict


def install(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the options and this face's hooks, while pytest loads graders/conftest.py.

    At that moment pytest does not know the options yet and takes the submission's path for a folder of tests, whose conftest.py
    it would load next: a student's code in the grader's process. So no conftest.py is loaded until the options are known.
    """
    options = parser.getgroup("graders", "grading a submission")
    options.addoption("--submission", metavar="PATH", help="a folder, an archive or a notebook (default: exercises); give it after `graders`")
    options.addoption("--seed", type=int, metavar="N", help="repeat the inputs of an earlier run")
    options.addoption("--isolation", choices=("auto", "full", "basic"), default="auto", help="how strong the wall must be (default: auto)")
    options.addoption("--lesson", action="append", default=[], metavar="NAME", help="only the checks of this lesson; may be said more than once")
    options.addoption("--kit", metavar="DIR", default=str(FOLDER.parent), help="the kit's folder (default: this one)")
    pluginmanager.register(_Guard(pluginmanager), "graders-guard")
    pluginmanager.register(sys.modules[__name__], "graders-face")


class _Guard:
    """Keeps pytest from loading any further conftest.py before it has read its command line."""

    def __init__(self, pluginmanager: Any) -> None:
        self.manager, self.before = pluginmanager, pluginmanager._noconftest
        pluginmanager._noconftest = True

    def pytest_configure(self) -> None:
        """The command line is read: `--submission` has its value, and that is no folder of tests."""
        self.manager._noconftest = self.before


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Read kit and submission before anything is collected, so that what is wrong with them is one sentence."""
    config = session.config
    path = config.getoption("submission") or Path(config.getoption("kit")) / "exercises"
    seed = config.getoption("seed")
    try:
        kit = for_lessons(read_kit(Path(config.getoption("kit"))), config.getoption("lesson"))
        submission = find_one(config.invocation_params.dir / path, kit, "name one, or use `python -m graders grade` for all")
    except (KitError, SubmissionError) as error:
        raise pytest.UsageError(clean(str(error))) from None
    config.stash[DESK] = Desk(kit, submission, secrets.randbelow(2**31) if seed is None else seed, config.getoption("isolation"))


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """In place of the Python files of graders/, its checks."""
    if path.resolve() != FOLDER or DESK not in parent.config.stash:
        return None
    checks: pytest.Collector = Checks.from_parent(parent, path=path)
    return checks


class Checks(pytest.Directory):
    """The folder graders/ as pytest sees it."""

    def collect(self) -> Iterator[pytest.Collector]:
        """A group for each table of grading.toml."""
        for name in dict.fromkeys(check.id.split(".")[0] for check in self.config.stash[DESK].kit.checks):
            yield Group.from_parent(self, name=name, nodeid=name)


class Group(pytest.Collector):
    """The checks of one table."""

    def collect(self) -> Iterator[pytest.Item]:
        """An item a check."""
        for check in self.config.stash[DESK].kit.checks:
            group, name = check.id.split(".")
            if group == self.name:
                yield CheckItem.from_parent(self, name=name, check=check)


class CheckItem(pytest.Item):
    """One check of the submission."""

    def __init__(self, *, check: Check, **rest: Any) -> None:
        super().__init__(**rest)
        self.check = check

    @property
    def verdict(self) -> Verdict:
        """What the report says of this check."""
        return next(verdict for verdict in self.config.stash[REPORT].verdicts if verdict.check.id == self.check.id)

    def setup(self) -> None:
        """A void check stops here: pytest calls what fails before the test an error."""
        self.user_properties += [("points", number(self.verdict.points)), ("possible", number(self.verdict.possible))]
        if self.verdict.outcome is Outcome.VOID:
            raise NotPassed(self.verdict)

    def runtest(self) -> None:
        """Fail where the check is not passed."""
        if self.verdict.outcome is not Outcome.PASSED:
            raise NotPassed(self.verdict)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Outcome with message, what was tried, hint: no traceback, for there is no line of the grader's to look at."""
        if not isinstance(excinfo.value, NotPassed):
            return super().repr_failure(excinfo, style)
        verdict = excinfo.value.verdict
        lines = [f"{OUTCOMES[verdict.outcome]}: {clean(verdict.message)}".rstrip(": ")]
        if verdict.outcome not in (Outcome.UNFINISHED, Outcome.MISSING):
            lines.append(f"Tried: {title(verdict.check)}")
        return "\n".join(lines + ([f"Hint: {clean(verdict.hint.text)}"] if verdict.hint else []))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The id as in grading.toml is the headline of a failure."""
        return self.path, None, self.check.id


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Grade once, before the first item; the items only tell what came out."""
    if session.config.option.collectonly or not any(isinstance(item, CheckItem) for item in session.items):
        return
    desk = session.config.stash[DESK]
    try:
        with Observer(desk.kit, isolation=desk.isolation) as observer:
            session.config.stash[REPORT] = grade(desk.submission, desk.kit, AnswerKey(desk.kit, desk.seed, cache.default_folder()), observer)
    except KitError as error:
        raise pytest.UsageError(clean(str(error))) from None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Points by group and in total, and how to repeat the run."""
    report = config.stash.get(REPORT, None)
    if report is None:
        return
    terminalreporter.section(f"points of {clean(report.label, 60)}")
    for note in report.notes:
        terminalreporter.line(clean(note))
    for group, verdicts in by_group(report.verdicts).items():
        terminalreporter.line(f"{group:<16} {number(earned(verdicts)):>5} of {number(possible(verdicts))}")
    terminalreporter.line(f"{'total':<16} {number(report.points):>5} of {number(report.possible)}", bold=True)
    if report.needs_human:
        terminalreporter.line("The grader itself failed at some checks (errors above): a human must look.", yellow=True)
    terminalreporter.line(f"seed {report.seed}, isolation {clean(report.isolation)}, kit {clean(report.kit_version)}")
