"""The command `grade`: from paths to results in a folder, on the terminal or as lines of JSON. The only file but cli.py that joins faces.

However many submissions there are, of each that is done only a few numbers stay in memory.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from rich.text import Text

from graders.engine import cache, parcel, written
from graders.engine.batch import Done, run
from graders.engine.cluster import on_cluster
from graders.engine.kit import read_kit
from graders.engine.launch import Beginning
from graders.engine.narrow import for_lessons
from graders.engine.pool import Pool, here
from graders.engine.resume import Scope, change, holds, scope
from graders.engine.submission import Found, find_submissions
from graders.faces import changes, csv, json, terminal
from graders.faces.folder import Folder, held
from graders.faces.output import show, stop, tell
from graders.faces.progress import progress
from graders.faces.text import clean, other_lessons
from graders.model import Kit, KitError, Report, Submission, SubmissionError

MANY = 400  # students; of more than these the terminal shows the average, and those who need a human
TABLE = "grades.csv"


@dataclass(frozen=True)
class Wish:
    """What the command line was asked for."""

    paths: Sequence[Path]
    kit: Path
    out: Path | None
    as_json: bool
    seed: int | None
    jobs: int
    isolation: str
    cluster: str
    lessons: Sequence[str] = ()


@dataclass
class Tally:
    """What stays of those that are done."""

    total: int
    kept: int = 0
    unread: int = 0
    ours: int = 0  # failures of the grader itself
    last: Report | None = None
    sums: terminal.Row | None = None
    rows: dict[int, terminal.Row] = field(default_factory=dict)
    graded: set[int] = field(default_factory=set)
    told: set[Scope] = field(default_factory=set)  # of other lessons than the earlier reports': once for all students

    def count(self, done: Done) -> None:
        """Take one more into account."""
        self.kept += done.kept
        self.unread += isinstance(done.result, SubmissionError)
        if not isinstance(done.result, Report):
            self.ours += isinstance(done.result, KitError)
            return
        row = terminal.summary(done.result)
        self.graded.add(done.index)
        self.ours += done.result.needs_human
        self.last, self.sums = done.result, terminal.added(self.sums, row)
        if self.total <= MANY or (done.result.needs_human and len(self.rows) < MANY):
            self.rows[done.index] = row

    @property
    def code(self) -> int:
        """The exit code: our own failure weighs more than a file that cannot be read."""
        return 2 if self.ours else int(self.unread > 0)


def grade(wish: Wish, beginning: Beginning | None) -> int:
    """Do it, with a server that is on its way already, or on the cluster.

    The exit code; raises KitError where nothing can be graded, or where results cannot be written.
    """
    kit = for_lessons(read_kit(wish.kit), wish.lessons)
    found = _besides(find_submissions(wish.paths, kit), wish.out)
    tally = Tally(len(found))
    with held(wish.out) if wish.out else nullcontext() as folder:
        seed = _seed(wish.seed, folder)
        try:
            with _pool(wish, kit, seed, len(found), beginning) as pool:
                _batch(found, kit, seed, pool, folder, wish.as_json, tally)
        except KeyboardInterrupt:
            stop(f"Interrupted: {len(tally.graded)} of {len(found)} submissions were graded.", 130)
        finally:
            if folder and tally.graded:
                folder.write(TABLE, csv.lines([check.id for check in kit.checks], _reports(folder, found, tally.graded)))
        if not wish.as_json:
            _conclude(tally, folder)
    return tally.code


def _besides(found: Sequence[Found], out: Path | None) -> list[Found]:
    """All but the folder of results, which may lie among the submissions."""
    place = out.resolve() if out else None
    return [one for one in found if place is None or one.path.name != place.name or one.path.resolve() != place]


def _seed(asked: int | None, folder: Folder | None) -> int:
    """The seed asked for, else that of the newest report in the folder, else a new one."""
    if asked is not None:
        return asked
    earlier = (_earlier(folder, name) for name in folder.reports()) if folder else iter(())
    return next((report.seed for report in earlier if report), secrets.randbelow(2**31))


def _pool(wish: Wish, kit: Kit, seed: int, count: int, beginning: Beginning | None) -> AbstractContextManager[Pool]:
    if wish.cluster:
        return on_cluster(wish.cluster, parcel.pack(kit, seed, wish.isolation, wish.lessons))
    return here(kit, seed, wish.isolation, max(1, min(wish.jobs, count)), cache.default_folder(), beginning)


def _batch(found: Sequence[Found], kit: Kit, seed: int, pool: Pool, folder: Folder | None, as_json: bool, tally: Tally) -> None:
    def kept(submission: Submission) -> Report | None:
        earlier = _earlier(folder, f"{submission.label}.json")
        return earlier if earlier and holds(earlier, submission, kit, seed, pool.isolation) else None

    lines = _InOrder()
    with closing(run(found, kit, pool, kept)) as batch, progress(len(found), lines_between=not as_json) as step:
        for done in batch:
            if not isinstance(done.result, Report):
                tell(str(done.result))
            elif folder and not done.kept:
                _keep(folder, done.result, tell if as_json else print, tally)
            tally.count(done)
            if as_json:
                lines.put(done)
            step(done.label)


def _earlier(folder: Folder | None, name: str) -> Report | None:
    """The report in a file of the folder, or None where there is none that is whole."""
    try:
        return written.read(folder.read(name) or "") if folder else None
    except ValueError:
        return None


def _keep(folder: Folder, report: Report, say: Callable[[str], None], tally: Tally) -> None:
    """Tell what a report changes, then put it in the place of the earlier one: ended in between, the next run tells it again."""
    earlier = _earlier(folder, f"{report.label}.json")
    others, changed = (scope(earlier, report), change(earlier, report)) if earlier else (None, None)
    if others and others not in tally.told:
        tally.told.add(others)
        say(other_lessons(others))
    if changed:
        say(changes.sentence(report.label, changed))
    folder.write(f"{report.label}.json", [json.render(report), "\n"])


def _reports(folder: Folder, found: Sequence[Found], graded: set[int]) -> Iterator[Report]:
    """The reports of this run from their files, one at a time, in the order of the submissions."""
    for index, place in enumerate(found):
        report = _earlier(folder, f"{place.label}.json") if index in graded else None
        if report:
            yield report


class _InOrder:
    """Prints reports as lines of JSON in the order of the submissions, each as soon as its turn has come."""

    def __init__(self) -> None:
        self.next, self.waiting = 0, dict[int, str]()

    def put(self, done: Done) -> None:
        self.waiting[done.index] = json.render(done.result) + "\n" if isinstance(done.result, Report) else ""
        while self.next in self.waiting:
            print(end=self.waiting.pop(self.next), flush=True)
            self.next += 1


def _conclude(tally: Tally, folder: Folder | None) -> None:
    """The table, and where the rest is."""
    if tally.last is None or tally.sums is None:
        return
    count, rows = len(tally.graded), [tally.rows[index] for index in sorted(tally.rows)]
    if tally.total > MANY:
        rows.append(terminal.average(tally.sums, count))
    show(terminal.detail(tally.last) if tally.total == 1 else terminal.overview(rows, count))
    if folder:
        kept = f" {tally.kept} of {count} still held and were not graded again." if tally.kept else ""
        others = len(folder.reports()) - count
        left = f" {others} more {'report' if others == 1 else 'reports'} there of earlier runs: left alone." if others > 0 else ""
        show(Text(f"Written to {clean(str(folder.path))}: a JSON file for each report, and {TABLE}.{kept}{left}"))
