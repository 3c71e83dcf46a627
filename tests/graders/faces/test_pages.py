"""Both pages in a real browser: what works in them, what they fetch, and what an accessibility engine says."""

import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest

from graders.engine.cohort.overview import overview
from graders.engine.cohort.similar import Alike
from graders.faces import html
from graders.model import Outcome
from tests.bench.classes import a_class
from tests.graders.faces.reports import mixed, report, verdict

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e .[dev]")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed: pip install -e .[dev]")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine: apt install chromium")
QUIET = ("gpu", "background-networking", "component-update", "sync")
FLAGS = ["--headless", "--no-sandbox", "--no-first-run", *(f"--disable-{name}" for name in QUIET)]
ATTACK = "<img src=x onerror='window.owned=1'></script><script>window.owned=1</script>"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Open a page of this text; what it fetched and what its console said must be nothing at the end of the test."""
    said, opened = [], []

    def open_(text, scheme="light", place=""):
        file = tmp_path / "page.html"
        file.write_text(text, encoding="utf-8")
        page = browser.new_page(color_scheme=scheme, viewport={"width": 1200, "height": 900})
        page.on("request", lambda request: said.append(request.url) if request.url.split("#")[0] != file.as_uri() else None)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(file.as_uri() + place)
        opened.append(page)
        return page

    yield open_
    for page in opened:
        page.close()
    assert said == []


def some():
    """Four students: one of each outcome, two with a mistake that has no name, one with an attack for a name."""
    failed = [report(verdict("norm.value", Outcome.FAILED, ATTACK), label=label, notes=(ATTACK,)) for label in ("bob", "eve")]
    return [mixed("ann"), *failed, report(verdict("norm.value"), verdict("norm.faint"), label=ATTACK)]


def leaky(words="input 1 is changed"):
    """A report on a check that has a picture."""
    picture = (("", "position 0", "position 1"), ("input 0 is changed", "moved", "moved"), (words, "moved, must stay", "stayed"))
    return report(replace(verdict("heads.causal", Outcome.FAILED, "It moved."), picture=picture))


def faded():
    """A report on a check whose gradient vanishes on its way, and is not finite at its start."""
    sizes = ("at the input", "0.0e+00"), ("after 1 blocks", "1.0e-03"), ("after 2 blocks", "1.0e-01"), ("after 3 blocks", "nan")
    picture = (("", "size of the gradient"), *sizes)
    return report(replace(verdict("stack.grad", Outcome.FAILED, "It fades."), picture=picture))


def class_page(reports):
    alike = (Alike("norm", (1, 2), 40, False),)
    earlier = some()[::-1]
    return html.class_page(overview(reports, earlier, alike), "A lesson")


def labels(page):
    return page.locator("#class tbody tr:visible th").all_inner_texts()


def test_a_number_leads_to_its_students_and_back(visit):
    page = visit(class_page(some()))
    assert len(labels(page)) == 4
    page.locator("#checks ~ div tr", has_text="norm.value").get_by_role("link", name="did not pass norm.value").click()
    assert labels(page) == ["bob", "eve"]
    assert page.locator("#showing").inner_text() == "Only: did not pass norm.value. Show all"
    assert page.evaluate("document.activeElement.id") == "students"
    page.get_by_role("link", name="Show all").click()
    assert len(labels(page)) == 4
    page.go_back()
    assert labels(page) == ["bob", "eve"]


def test_every_number_leads_to_as_many_students_as_it_says(visit):
    page = visit(class_page(some()))
    for link in page.locator('a[href^="#show-"]').all():
        shown = int(link.text_content().split()[0].removesuffix("of"))
        page.evaluate("hash => { location.hash = hash; }", link.get_attribute("href"))
        page.wait_for_function("count => document.querySelectorAll('#class tbody tr:not([hidden])').length === count", arg=shown, timeout=5000)


def test_a_mistake_leads_to_the_checks_it_cost_and_to_who_lost_them(visit):
    page = visit(class_page(some()))
    row = page.locator("#mistakes ~ div tr", has_text="eps_outside_root").first
    row.locator("summary").click()
    row.get_by_role("link", name="lost norm.zero by eps_outside_root").click()
    assert labels(page) == ["ann"]


def test_search_takes_every_word_and_says_how_many_are_left(visit):
    page = visit(class_page(some()))
    page.get_by_label("Search").fill("EPS_outside void")
    assert labels(page) == ["ann"]
    assert page.get_by_role("status").inner_text() == "1 of 4 students"


def test_sorting_by_keyboard_turns_with_each_press_and_is_told(visit):
    page = visit(class_page(some()))
    button = page.locator("#class").get_by_role("button", name="total")
    button.focus()
    page.keyboard.press("Enter")
    heads, totals = page.locator("#class thead th[aria-sort]"), page.locator("#class tbody td.n b")
    assert (totals.all_inner_texts(), heads.get_attribute("aria-sort")) == (["2", "2", "0", "0"], "descending")
    page.keyboard.press("Enter")
    assert (totals.all_inner_texts(), heads.get_attribute("aria-sort")) == (["0", "0", "2", "2"], "ascending")


def test_a_name_opens_the_report_and_escape_closes_it(visit):
    page = visit(class_page(some()))
    page.locator("#class").get_by_role("link", name="ann").click()
    dialog = page.get_by_role("dialog", name="ann")
    assert "answers.py was not handed in." in dialog.inner_text()
    assert dialog.inner_text().count("Hint: Add eps") == 1
    page.keyboard.press("Escape")
    assert dialog.is_hidden()
    page.locator("#class").get_by_role("link", name="ann").click()
    assert dialog.is_visible()


def test_names_messages_and_notes_are_text_whatever_is_written_in_them(visit):
    page = visit(class_page(some()))
    assert ATTACK in labels(page)
    page.locator("#class").get_by_role("link", name="bob").click()
    assert ATTACK in page.get_by_role("dialog", name="bob").inner_text()
    assert page.evaluate("window.owned") is None


def test_the_page_is_whole_without_its_script(browser, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(class_page(some()), encoding="utf-8")
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        assert page.locator("#class tbody tr").count() == 4
        assert "eps_outside_root" in page.locator("main").inner_text()


def test_the_feedback_says_each_outcome_in_words_and_nothing_runs_in_it(visit):
    page = visit(html.feedback_page(mixed(ATTACK), "A lesson"))
    said = page.locator(".outcome").all_inner_texts()
    assert [words.split(" ", 1)[1] for words in said[:5]] == ["failed", "failed", "passed", "unfinished", "crashed"]
    assert ATTACK in page.locator("header").inner_text()
    assert page.locator("script").count() == 0


def test_checks_that_stopped_for_one_reason_are_one_line_of_the_feedback_with_their_names_below(visit):
    page = visit(html.feedback_page(mixed(), "A lesson"))
    line = page.locator("ul.lost > li", has_text="unfinished")
    assert line.count() == 1
    assert "2 checks, for one reason (2 points)" in line.inner_text()
    assert line.inner_text().count("Open exercises/heads.py and write Heads.forward.") == 1
    line.locator("summary").click()
    assert line.locator("details li").all_inner_texts() == ["Try value", "Try causal"]


def test_a_picture_is_a_table_in_signs_for_the_eye_and_in_words_for_a_reader(visit):
    page = visit(html.feedback_page(leaky(ATTACK), "A lesson"))
    row = page.locator("table.moved tbody tr", has_text=ATTACK)
    assert row.locator("td span[aria-hidden]").all_inner_texts() == ["✗", "○"]
    assert row.locator("td .vh").all_text_contents() == ["moved, must stay", "stayed"]
    assert page.locator("table.moved caption").inner_text().endswith("● moved; ○ stayed; ✗ moved, must stay.")
    assert page.evaluate("window.owned") is None


def test_a_gradient_s_way_is_told_in_numbers_with_bars_by_powers_of_ten(visit):
    page = visit(html.feedback_page(faded(), "A lesson"))
    rows = page.locator("table.moved tbody tr")
    assert [text.strip() for text in rows.locator("td").all_inner_texts()] == ["0.0e+00", "1.0e-03", "1.0e-01", "nan"]
    assert [bar.get_attribute("width") for bar in rows.locator("svg .part").all()] == ["33.3", "100.0"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["class", "report of one", "feedback", "picture", "path", "empty list"])
def test_an_accessibility_engine_finds_nothing(visit, kind, scheme):
    feedback = {"feedback": mixed(), "picture": leaky(), "path": faded()}
    text = html.feedback_page(feedback[kind], "A lesson") if kind in feedback else class_page(some())
    page = visit(text, scheme, {"report of one": "#student-0", "empty list": "#show-1"}.get(kind, ""))
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    looked = {"color-contrast"} if kind == "report of one" else {"color-contrast", "landmark-one-main", "page-has-heading-one"}
    assert looked <= {rule["id"] for rule in found.response["passes"]}


def test_in_print_both_pages_leave_out_what_only_a_screen_can_use(visit):
    page = visit(class_page(some()))
    page.emulate_media(media="print")
    assert [page.locator(one).is_visible() for one in ("nav", "#search", "#class")] == [False, False, True]


def test_on_a_narrow_screen_only_tables_scroll_sideways(visit):
    page = visit(class_page(some()))
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_thousand_students_open_and_filter_without_a_pause(visit, browser):
    """In seconds of the page's own thread, which other work on the machine does not lengthen."""
    reports = a_class(1000)
    text = html.class_page(overview(reports, None, None), "A lesson")
    assert len(text) < 2_500_000
    page = visit(text)
    clock = page.context.new_cdp_session(page)
    clock.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent():
        return next(one["value"] for one in clock.send("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")

    def cost(act):
        before = spent()
        act()
        page.evaluate("document.body.offsetHeight")
        return spent() - before

    times = SimpleNamespace(
        open=cost(page.reload),
        search=cost(lambda: page.get_by_label("Search").fill("mei")),
        clear=cost(lambda: page.get_by_label("Search").fill("")),
        sort=cost(lambda: page.locator("#class").get_by_role("button", name="total").click()),
    )
    assert (times.open < 2.0, times.search < 0.3, times.clear < 0.6, times.sort < 1.0) == (True,) * 4, times
    assert page.get_by_role("status").inner_text() == "1000 students"
