"""An instructor's browser: formgrader and the feedback pages of the graded course, in headless Chromium.

With PICTURES=FOLDER the pages are kept as pictures, for the documentation.
"""

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.graders.faces.nbgrader.classroom import LESSON, environment

pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install -e '.[nbgrader]'")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
TABLE = "typeof models === 'object' && models.loaded === true"
CELLS = "typeof formgrader === 'object' && formgrader.grades?.loaded && formgrader.comments?.loaded"


@contextmanager
def served(course):
    """The address and the token of a Jupyter server on the course."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token, address = secrets.token_hex(16), f"http://127.0.0.1:{port}"
    options = [f"--ServerApp.port={port}", f"--ServerApp.root_dir={course}", f"--IdentityProvider.token={token}", "--ServerApp.ip=127.0.0.1"]
    options += ["--no-browser", "--allow-root", "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}"]
    with (course / "server.log").open("w") as log:
        server = subprocess.Popen([sys.executable, "-m", "jupyter_server", *options], cwd=course, env=environment(), stdout=log, stderr=log)
        try:
            wait_for(server, f"{address}/api/status?token={token}")
            yield address, token
        finally:
            server.terminate()
            server.wait(30)


def wait_for(server, url, seconds=120):
    end = time.monotonic() + seconds
    while True:
        try:
            return urllib.request.urlopen(url, timeout=5).close()
        except (urllib.error.URLError, OSError):
            assert server.poll() is None and time.monotonic() < end, "the Jupyter server did not start"
            time.sleep(0.2)  # nothing tells when a port opens


@pytest.fixture(scope="module")
def formgrader(graded):
    """A page of a browser that is signed in, and the server's address. Nothing beyond this machine is asked for."""
    with served(graded.folder) as (address, token), playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_context(viewport={"width": 1300, "height": 1000}).new_page()
        page.set_default_timeout(120_000)
        page.route(lambda url: not url.startswith((address, "file:", "data:", "blob:")), lambda route: route.abort())
        assert page.goto(f"{address}/formgrader?token={token}").status == 200
        yield page, address
        browser.close()


def keep(page, name, **how):
    if "PICTURES" in os.environ:
        page.screenshot(path=Path(os.environ["PICTURES"]) / f"{name}.png", **how)


def open_submissions(page, address):
    """Each student's score in formgrader's table, and the address of the submission."""
    page.goto(f"{address}/formgrader/gradebook/{LESSON}/{LESSON}")
    page.wait_for_function(TABLE)
    rows = page.eval_on_selector_all(
        "#main-table tr",
        "rows => rows.map(r => [[...r.querySelectorAll('.name a')].at(-1).textContent, r.querySelector('.score').textContent, "
        "r.querySelector('.name a').getAttribute('href')])",
    )
    return {name: (float(score.split(" / ")[0]), address + link) for name, score, link in rows}


def test_the_table_of_submissions_shows_the_gradebook_s_scores(formgrader, graded):
    found = open_submissions(*formgrader)
    keep(formgrader[0], "formgrader-class")
    assert set(found) == set(graded.scores)
    for student, cells in graded.scores.items():
        assert found[student][0] == pytest.approx(sum(score or 0 for score in cells.values()), abs=0.01), student


def test_a_submission_shows_points_outcomes_and_a_hint_beside_the_code(formgrader, graded):
    page, address = formgrader
    page.goto(open_submissions(page, address)["two_mistakes"][1])
    page.wait_for_function(CELLS)
    shown = page.eval_on_selector_all("input.score", "boxes => boxes.map(box => box.value || box.placeholder)")
    assert sorted(map(float, shown)) == sorted(graded.scores["two_mistakes"].values())
    hints = page.locator("table em", has_text="Hint: ")
    assert hints.count() >= 2 and hints.first.is_visible()
    page.evaluate('element => element.scrollIntoView({block: "center"})', hints.first.element_handle())
    keep(page, "formgrader-hint")
    assert page.locator("td", has_text=re.compile("^failed$")).first.is_visible()


def test_a_feedback_page_shows_the_same_hint_to_the_student(formgrader, graded):
    page, _ = formgrader
    page.goto((graded.folder / "feedback/two_mistakes" / LESSON / f"{LESSON}.html").as_uri())
    assert "(Score: " in page.locator(".panel-heading h4").first.inner_text()
    hints = page.locator("table em", has_text="Hint: ")
    assert hints.count() >= 2 and hints.first.is_visible()
    page.evaluate('element => element.scrollIntoView({block: "center"})', hints.first.element_handle())
    keep(page, "feedback-hint")


def test_a_submission_that_could_not_be_read_says_why_on_its_page(formgrader, graded):
    page, address = formgrader
    page.goto(open_submissions(page, address)["no_notebook"][1])
    page.wait_for_function(CELLS)
    assert page.get_by_text("is not a notebook that can be read").first.is_visible()
