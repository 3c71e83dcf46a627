"""The commands that make something to read of submissions and reports. `add` hands them to the command line."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from graders.engine import cache
from graders.engine.cohort.overview import Overview, overview
from graders.engine.cohort.records import Results, read_results
from graders.engine.cohort.similar import Alike, alike
from graders.engine.evidence import gather
from graders.engine.key import AnswerKey
from graders.engine.kit import read_kit
from graders.engine.narrow import for_lessons
from graders.engine.observer import Observer
from graders.engine.submission import Found, find_one, find_submissions, read_found
from graders.faces import cohort, html, item_table
from graders.faces import explain as explain_
from graders.faces.options import HERE, WALLS, KitFolder, Lessons, Seed, Wall
from graders.faces.output import has_folder, save, show, tell
from graders.faces.text import clean
from graders.model import Kit, Submission, SubmissionError
from graders.publish.stubs import cut

Page = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no network.")]


def add(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("explain")(explain)
    app.command("report")(report)
    app.command("feedback")(feedback)


def explain(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="One submission.")],
    check: Annotated[str, typer.Argument(metavar="CHECK", help="The check as in a report, such as part.name.")],
    seed: Seed = None,
    isolation: Wall = WALLS[0],
    lesson: Lessons = None,
    kit: KitFolder = HERE,
) -> None:
    """Show all that defends one point. For the instructor: it shows right outputs."""
    content = for_lessons(read_kit(kit), lesson or ())
    submission = find_one(path, content, "name one of them")
    key = AnswerKey(content, secrets.randbelow(2**31) if seed is None else seed, cache.default_folder())
    with Observer(content, isolation=isolation) as observer:
        show(explain_.render(gather(submission, content, check, key, observer)))


def report(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="The folder that `grade --out` wrote, or a file that `grade --json` wrote.")],
    page: Page = None,
    table: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the item analysis: a line a check.")] = None,
    against: Annotated[Path | None, typer.Option(metavar="RESULTS", help="An earlier run: tell who changed, and why.")] = None,
    submissions: Annotated[list[Path] | None, typer.Option(metavar="DIR", help="What was graded: tell who has the same code.")] = None,
    kit: KitFolder = HERE,
) -> None:
    """Show a class at a glance. For the instructor: it names students. Exit code 1 if some file held no report."""
    for file in filter(None, (page, table)):
        has_folder(file)
    gone = next((path for path in submissions or () if not path.exists()), None)
    if gone:
        raise SubmissionError(f"{gone} is not there; check the path behind --submissions")
    content = read_kit(kit)
    now, earlier = _read(results), _read(against) if against else None
    labels = [report.label for report in now.reports]
    same = _alike(labels, find_submissions(submissions, content), content) if submissions else None
    hints = {mistake.id: mistake.hint for mistake in content.misconceptions}
    found = overview(now.reports, earlier.reports if earlier else None, same, hints)
    _hand_out(found, content.title, page, table)
    raise typer.Exit(1 if now.problems or (earlier and earlier.problems) else 0)


def feedback(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="One JSON report.")],
    page: Annotated[Path, typer.Option("--html", metavar="FILE", help="The page to write; it needs no network.")],
    kit: KitFolder = HERE,
) -> None:
    """Write the page that a student can be sent."""
    found = _read(result).reports
    if len(found) != 1:
        raise SubmissionError(f"{result} holds {len(found)} reports; name the file of one")
    _write(page, html.feedback_page(found[0], read_kit(kit).title))


def _hand_out(found: Overview, title: str, page: Path | None, table: Path | None) -> None:
    """To the files that were named, else to the terminal."""
    if page:
        _write(page, html.class_page(found, title))
    if table:
        _write(table, item_table.render(found.items, found.mistakes))
    if not page and not table:
        show(cohort.render(found))


def _read(path: Path) -> Results:
    """The results, with a sentence on stderr for each file that is none."""
    found = read_results(path)
    for problem in found.problems:
        tell(problem)
    return found


def _alike(labels: Iterable[str], places: Iterable[Found], kit: Kit) -> tuple[Alike, ...]:
    """Submissions belong to the reports with their labels."""
    by_label = {_text(place.label): place for place in places}
    found = [_submission(by_label.get(label), kit) for label in labels]
    if not any(found):
        raise SubmissionError("none of these submissions has a report of its label; name the paths that were graded")
    solutions = {name: part.text for name, part in kit.reference.parts.items()}
    return alike(found, {part: cut(solutions[part], part) for part in kit.parts}, solutions)


def _submission(place: Found | None, kit: Kit) -> Submission | None:
    try:
        return read_found(place, kit) if place else None
    except SubmissionError:
        return None  # the run that graded it has told why


def _text(label: str) -> str:
    """As a report's file holds it: half a surrogate pair is not text that every reader of JSON takes."""
    return label.encode("utf-8", "replace").decode()


def _write(file: Path, text: str) -> None:
    save(file, text.encode("utf-8"))
    show(Text(f"Written: {clean(str(file))}"))
