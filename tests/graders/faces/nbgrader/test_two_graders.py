"""Two people grade at once: no grade is lost, in nbgrader's own SQLite file and in a PostgreSQL server of the test's own."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.graders.faces.nbgrader.classroom import EPS, LESSON, SECOND_NORM, Paper, environment, files, full, lay, nbgrader, scores

pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install -e '.[nbgrader]'")
PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1:]
STUDENTS = 8


def fill(course):
    """A class in which neighbours have different scores; what each should have."""
    paper = Paper(course)
    kinds = [{}, {"rmsnorm": [EPS]}, {"block": [SECOND_NORM]}, {"rmsnorm": [EPS], "block": [SECOND_NORM]}]
    for number in range(STUDENTS):
        lay(course, f"s{number}", files(paper.filled(**kinds[number % 4])))


def grade_at_once(course, *more):
    """Two processes, each with every second student."""
    words = [sys.executable, "-m", "nbgrader", "autograde", LESSON, *more]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    running = [subprocess.Popen([*words, "--student", who], cwd=course, env=environment(), **pipes) for who in ("s[02468]", "s[13579]")]
    for process in running:
        said, _ = process.communicate(timeout=300)
        assert process.returncode == 0, said.decode()[-3000:]


def totals(course, url=""):
    return [sum(score or 0 for score in cells.values()) for _, cells in sorted(scores(course, url).items())]


def as_expected(found):
    return found == found[:4] * 2 and len(found) == STUDENTS and found[0] == sum(full().values()) > found[1] > found[3] and found[2] > found[3]


def test_two_graders_at_once_lose_no_grade_in_sqlite(written, tmp_path):
    course = shutil.copytree(written, tmp_path / "course")
    fill(course)
    grade_at_once(course)
    assert as_expected(totals(course)), totals(course)


@pytest.mark.skipif(not PROGRAMS, reason="PostgreSQL is not installed: apt-get install postgresql")
def test_two_graders_at_once_lose_no_grade_in_postgresql(written, tmp_path):
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'psycopg[binary]'")
    course = shutil.copytree(written, tmp_path / "course", ignore=shutil.ignore_patterns("gradebook.db"))
    fill(course)
    with postgresql() as url:
        options = (f"--db={url}", "--course=kit")  # unlike SQLite, PostgreSQL insists on a course's name
        nbgrader(course, "generate_assignment", LESSON, "--force", *options)
        grade_at_once(course, *options)
        nbgrader(course, "export", *options)
        found = totals(course, url)
    assert as_expected(found), found
    assert not (course / "gradebook.db").exists()
    assert (course / "grades.csv").read_text().count(LESSON) == STUDENTS


@contextmanager
def postgresql():
    """The address of a server on a free loopback port, with its data in a scratch folder; both are gone afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="gradebook-"))
    as_user = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(folder, "postgres", "postgres")
        as_user = ["runuser", "-u", "postgres", "--"]

    def run(program, *words):
        command = [*as_user, str(PROGRAMS[0] / program), *map(str, words)]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=120)

    try:
        run("initdb", "-D", folder / "data", "-U", "kit", "-A", "trust", "-N")
        options = f"-h 127.0.0.1 -p {port} -k {folder} -F"
        run("pg_ctl", "-D", folder / "data", "-l", folder / "log", "-o", options, "-w", "start")
        try:
            run("createdb", "-h", "127.0.0.1", "-p", port, "-U", "kit", "gradebook")
            yield f"postgresql+psycopg://kit@127.0.0.1:{port}/gradebook"
        finally:
            run("pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)
