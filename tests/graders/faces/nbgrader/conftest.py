"""One course, driven once through nbgrader's own commands; the tests look at what it left."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.graders.faces.nbgrader.classroom import LESSON, Paper, broken, graders, honest, hostile, lay, nbgrader, reports, scores, zipped

LATE = "2041-01-01 12:00:00 UTC"


@dataclass(frozen=True)
class Graded:
    """A graded course: what each student handed in, the gradebook's scores, and the command line's points on the same files."""

    folder: Path
    paper: Paper
    handed_in: dict
    scores: dict
    points: dict


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """A course that was written and whose assignment was made, with an empty class."""
    folder = tmp_path_factory.mktemp("nbgrader") / "course"
    graders("notebook", folder)
    nbgrader(folder, "generate_assignment", LESSON)
    nbgrader(folder, "db", "assignment", "add", LESSON, "--duedate", "2040-01-01 12:00:00 UTC")
    return folder


@pytest.fixture(scope="session")
def graded(written, tmp_path_factory):
    """The same course with its class: collected through the exchange and from an archive, graded, with feedback and export."""
    folder = shutil.copytree(written, tmp_path_factory.mktemp("graded") / "course")
    paper = Paper(folder)
    handed_in = {**honest(paper), **broken(paper), **hostile(paper)}
    through_exchange(folder, tmp_path_factory.mktemp("exchange"), handed_in["right"])
    from_archive(folder, handed_in)
    handed_in["late"] = {**handed_in["no_eps"], "timestamp.txt": LATE.encode()}
    lay(folder, "late", handed_in["late"])
    nbgrader(folder, "autograde", LESSON, "--LateSubmissionPlugin.penalty_method=zero")
    nbgrader(folder, "generate_feedback", LESSON)
    nbgrader(folder, "export")
    return Graded(folder, paper, handed_in, scores(folder), reports(folder / "submitted"))


def through_exchange(folder, exchange, content):
    """The system's own user fetches the assignment, works on it and submits."""
    exchange.chmod(0o777)
    place, options = exchange.parent / "student", (f"--Exchange.root={exchange}", "--course", "course")
    place.mkdir()
    nbgrader(folder, "release_assignment", LESSON, *options)
    nbgrader(place, "fetch_assignment", LESSON, *options)
    (place / LESSON / f"{LESSON}.ipynb").write_bytes(content[f"{LESSON}.ipynb"])
    nbgrader(place, "submit", LESSON, *options)
    nbgrader(folder, "collect", LESSON, *options)


def from_archive(folder, students):
    """A class as a learning platform gives it."""
    archive = folder / "downloaded" / LESSON / "archive"
    archive.mkdir(parents=True)
    (archive / "class.zip").write_bytes(zipped(students))
    match = "--FileNameCollectorPlugin.named_regexp=.*/extracted/class/(?P<student_id>[^/]+)/(?P<file_id>.+)"
    nbgrader(folder, "zip_collect", LESSON, match, "--FileNameCollectorPlugin.valid_ext=['.ipynb', '.py']")
