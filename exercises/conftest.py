"""How `pytest exercises` speaks: a line for each thing that is not written yet, a short place for each thing that is wrong.

Nothing to fill in here, and nothing here judges: the files test_*.py beside it do. Standard library and pytest only.
"""

from __future__ import annotations

import contextlib
import importlib.util
import re
import shutil
import sys
import textwrap
import traceback
from functools import partial
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))  # so that `exercises` and `tiny_lm` are found wherever pytest was started


def pytest_configure(config):
    """In a run of this folder alone: no warnings, no list that says failures twice, and one broken file does not stop the others."""
    if all(HERE in (path, *path.parents) for path in targets(config)):
        if importlib.util.find_spec("torch") is None:
            raise pytest.UsageError(words().lacking("torch"))
        config.addinivalue_line("filterwarnings", "ignore")
        config.option.continue_on_collection_errors = True
        config.pluginmanager.set_blocked("hypothesispytest")  # where installed, its summary alone takes a second; nothing here needs it
        if config.option.reportchars == "fE":  # pytest's default: nobody asked for the list
            config.option.reportchars = ""


def pytest_collection_modifyitems(items):
    """Put the tests in the order of the exercises, not of the alphabet."""
    items.sort(key=lambda item: number(part_of(item.path)) if is_own(item.path) else 0)


@pytest.hookimpl(tryfirst=True)
def pytest_make_collect_report(collector):
    """Do not start the tests of a file that is gone: wherever else its name is found, that is not the student's."""
    if isinstance(collector, pytest.Module) and is_own(collector.path) and words().is_part(part := part_of(collector.path)) and not part.exists():
        collector.collect = partial(gone, part)


def gone(part):
    """Stands in for the reading of tests."""
    raise pytest.Collector.CollectError(words().missing(part))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Say in a test's report what is unfinished, or where in these files it went wrong."""
    report = yield
    report.opens = ""  # marks a report about this folder; one run may hold tests of other folders as well
    if report.failed and call.excinfo:
        report.opens = opens(call.excinfo.value, item.path)
        report.unfinished = unwritten(call.excinfo.value) or blank(item)
        if report.unfinished:
            report.longrepr = report.unfinished
        elif isinstance(call.excinfo.value, SyntaxError):
            report.longrepr = words().place(call.excinfo.value)
        elif item.config.option.tbstyle == "auto":
            report.longrepr = call.excinfo.getrepr(style="short", tbfilter=own_frames, chain=False)
            words().told(report.longrepr, call.excinfo)
    return report


def pytest_exception_interact(call, report):
    """When a test file cannot even be read: file, line and message of what stopped it."""
    if isinstance(report, pytest.CollectReport):
        error = call.excinfo.value.__cause__ or call.excinfo.value  # pytest wraps what it met
        report.opens = opens(error, HERE / Path(report.nodeid).name)
        report.longrepr = words().place(error) if Path(report.opens).exists() else words().missing(report.opens)


def pytest_report_teststatus(report):
    """An unfinished test is a kind of its own: it still counts as not passed, but needs no traceback."""
    return ("unfinished", "u", "UNFINISHED") if getattr(report, "unfinished", "") else None


def pytest_terminal_summary(terminalreporter):
    """One line for each unfinished test."""
    reports = terminalreporter.stats.get("unfinished", [])
    if reports:
        terminalreporter.write_sep("=", "not written yet")
    names = [report.nodeid.split("::", 1)[-1] for report in reports]
    room = max(40, shutil.get_terminal_size().columns - 2 - max((len(report.unfinished) for report in reports), default=0))
    width = min(room, max(map(len, names), default=0))
    for name, report in zip(names, reports, strict=True):
        fitting = name if len(name) <= width else f"{name[: width - 3]}..."
        terminalreporter.write_line(f"{fitting:<{width}}  {report.unfinished}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    """After everything else: what the first part with a mistake behaves like, where a release can tell, and one plain sentence."""
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not session.config.option.collectonly:
        session.config.hint = hint(reporter.stats)
        for line in session.config.hint.values():
            reporter.write_line(f"\n{textwrap.fill(line, min(100, shutil.get_terminal_size().columns), break_on_hyphens=False)}\n")
        reporter.write_line(closing(reporter.stats, whole(session.config, reporter.stats)))
    return result


def hint(stats):
    """A line by the name of the first part that does something else than its visible tests ask for, where a known mistake does the same."""
    left = sorted((Path(report.opens) for report in stats.get("failed", []) if getattr(report, "opens", "")), key=number)
    told = importlib.import_module(f"{HERE.name}._hints").hint(left[0].stem) if left and left[0].exists() else ""
    return {left[0].name: told} if told else {}


def closing(stats, everything):
    """How many visible tests pass, and the first file in the lesson's order that needs work."""
    kinds = {kind: [report for report in stats.get(kind, []) if hasattr(report, "opens")] for kind in ("passed", "unfinished", "failed", "error")}
    passed, total = len(kinds["passed"]), sum(len(kinds[kind]) for kind in ("passed", "unfinished", "failed"))
    left = kinds["unfinished"] + kinds["failed"] + kinds["error"]
    if left:
        stuck = [Path(report.nodeid).name for report in kinds["error"]]
        return words().closing(passed, total, stuck, min((Path(report.opens) for report in left), key=number))
    if not total:
        return "No visible test ran."
    return "All visible tests pass; hidden checks remain." if everything else f"The visible tests you chose pass ({total})."


def whole(config, stats):
    """True where nobody asked for some of the tests only."""
    return all(path.is_dir() for path in targets(config)) and not stats.get("deselected")


def targets(config):
    """The files and folders that pytest was asked for; in exercises/test_a.py::test_b the test is the last part of the path."""
    return [(config.invocation_params.dir / argument).resolve() for argument in config.args]


def is_own(file):
    """True for a file of this folder."""
    return Path(file or "").resolve().parent == HERE


def unwritten(error):
    """The sentence of a stub that was reached, else nothing."""
    frames = traceback.extract_tb(error.__traceback__)
    if not isinstance(error, NotImplementedError) or not frames or not is_own(frames[-1].filename):
        return ""
    return str(error) or f"Open {words().short(frames[-1].filename)} and write {frames[-1].name}."


def blank(item):
    """The sentence for a name that this test reads and that is still `...`, else nothing."""
    if not isinstance(item, pytest.Function):
        return ""
    part = part_of(item.path)
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    names = [name for name in (*item.function.__code__.co_names, *given) if isinstance(name, str)]
    left = [name for name in names if getattr(sys.modules.get(f"{HERE.name}.{part.stem}"), name, None) is ...]
    return f"Open {words().short(part)} and write {left[0]}." if left else ""


def opens(error, test):
    """The file to open for an error: the last of these files that it passed through; if that is a test, the part tested."""
    if isinstance(error, SyntaxError) and is_own(error.filename):
        return error.filename
    if isinstance(error, pytest.Collector.CollectError):
        return str(part_of(test))
    if isinstance(error, ModuleNotFoundError) and words().is_part(lost := HERE / f"{(error.name or '').removeprefix(f'{HERE.name}.')}.py"):
        return str(lost)
    frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__) if is_own(frame.filename)]
    return str(part_of(Path(frames[-1] if frames else test)))


def own_frames(excinfo):
    """A traceback without the frames of pytest, torch and Python."""
    own = excinfo.traceback.filter(lambda entry: is_own(entry.path))
    return own or excinfo.traceback


def words():
    """_told.py, which says things."""
    return importlib.import_module(f"{HERE.name}._told")


def part_of(test):
    """exercises/rmsnorm.py for exercises/test_rmsnorm.py."""
    return test.with_name(test.name.removeprefix("test_"))


def number(file):
    """The number of an exercise: the first line of its tests says it, or its own. One without a number comes last."""
    for place in (file.with_name(f"test_{file.name}"), file):
        with contextlib.suppress(OSError):
            if found := re.search(r"[Ee]xercise (\d+)", place.read_text(encoding="utf-8", errors="replace")[:200]):
                return int(found[1])
    return sys.maxsize
