"""Batches: what one submission, one job or one server does to the others, wherever the jobs run."""

import multiprocessing
import os
import shutil
import signal
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from graders.engine import batch, parcel, pool
from graders.engine.grader import Grader
from graders.engine.kit import read_kit
from graders.engine.submission import find_submissions
from graders.model import KitError, Outcome, Part, Report, Submission, SubmissionError
from tests.conftest import TOYKIT

ADDER = "def add(a, b):\n    return a + b\n"
HOSTILE = {
    "exits": "import os\nos._exit(0)\n",
    "hangs": "while True:\n    pass\n",
    "spoils": "import torch\ntorch.equal = torch.allclose = lambda *a, **k: True\ntorch.Tensor.__add__ = lambda a, b: a\n" + ADDER,
    "eats": "x = bytearray(1 << 33)\n" + ADDER,
    "raises": "raise BaseException\n",
}


@pytest.fixture
def found(tmp_path, kit):
    """Write a class and find it: labels with the text of adder.py, or None for a folder with nothing in it."""

    def write(**texts):
        for label, text in texts.items():
            (tmp_path / label).mkdir()
            if text is not None:
                (tmp_path / label / "adder.py").write_text(text)
        return find_submissions([tmp_path], kit)

    return write


def no_earlier(submission):
    return None


def report(label):
    return Report(label, (), 1, "full", "1", {}, 0.0)


def at_once(work):
    """A pool that does a job when it is handed out."""

    def hand(submission):
        future = Future()
        try:
            future.set_result(work(submission))
        except Exception as error:
            future.set_exception(error)
        return future

    return pool.Pool(hand, 2, "full")


def points(results):
    return {done.label: [(verdict.check.id, verdict.outcome.value, verdict.message) for verdict in done.result.verdicts] for done in results}


def test_what_cannot_be_read_is_told_and_the_rest_is_graded(found, kit):
    results = list(batch.run(found(ann=ADDER, bob=None, cy=ADDER), kit, at_once(lambda one: report(one.label)), no_earlier))
    assert {done.label: type(done.result) for done in results} == {"ann": Report, "bob": SubmissionError, "cy": Report}


def test_a_reader_that_breaks_on_one_submission_loses_no_other(found, kit, monkeypatch):
    def read(one, kit):
        if one.label == "bob":
            raise RuntimeError("never thought of this")
        return Submission(one.label, {})

    monkeypatch.setattr(batch, "read_found", read)
    place = at_once(lambda one: report(one.label))
    results = {done.label: done.result for done in batch.run(found(ann=ADDER, bob=ADDER, cy=ADDER), kit, place, no_earlier)}
    assert isinstance(results["bob"], KitError)
    assert "bob was not graded (the grader itself failed, RuntimeError: never thought of this)" in str(results["bob"])
    assert {label for label, result in results.items() if isinstance(result, Report)} == {"ann", "cy"}


def test_a_job_that_fails_is_tried_once_more_and_then_told(found, kit):
    tries = []

    def work(submission):
        tries.append(submission.label)
        if submission.label == "bob" or tries.count("ann") < 2:
            raise OSError("lost")
        return report(submission.label)

    results = {done.label: done.result for done in batch.run(found(ann=ADDER, bob=ADDER), kit, at_once(work), no_earlier)}
    assert isinstance(results["ann"], Report)
    assert isinstance(results["bob"], KitError)
    assert sorted(tries) == ["ann", "ann", "bob", "bob"]


def test_a_pool_that_takes_no_more_jobs_ends_the_batch_in_a_sentence(found, kit):
    def hand(submission):
        raise RuntimeError("cannot schedule new futures after shutdown")

    with pytest.raises(KitError, match="run the same command again"):
        list(batch.run(found(ann=ADDER), kit, pool.Pool(hand, 1, "full"), no_earlier))


def test_no_more_jobs_are_out_than_the_pool_wants_and_what_still_holds_is_none(found, kit):
    out, most = [], []

    class Later(Future):
        """Done when somebody waits and nothing else is left to hand out."""

        def __init__(self, label):
            super().__init__()
            self.label = label

    def hand(submission):
        future = Later(submission.label)
        out.append(future)
        most.append(sum(not one.done() for one in out))
        if most[-1] == 3:
            for one in out:
                if not one.done():
                    one.set_result(report(one.label))
        return future

    def earlier(submission):
        return report(submission.label) if submission.label in "abc" else None

    names = dict.fromkeys("abcdefghi", ADDER)
    results = list(batch.run(found(**names), kit, pool.Pool(hand, 3, "full"), earlier))
    assert {done.label for done in results if done.kept} == set("abc")
    assert sorted(done.label for done in results) == sorted(names)
    assert [one.label for one in out] == list("defghi")
    assert max(most) == 3


@pytest.fixture(scope="module")
def alone(kit):
    """The verdicts on a right and on a wrong adder, without neighbours."""
    grader = Grader(kit, 5)
    texts = {"right": ADDER, "wrong": "def add(a, b):\n    return a - b\n"}
    yield {label: grader.grade(Submission(label, {"adder": Part("adder", text)})) for label, text in texts.items()}
    grader.close()


@pytest.mark.parametrize(("jobs", "order"), [(1, "first"), (2, "last")])
def test_hostile_neighbours_change_no_grade_in_any_order_with_one_or_two_workers(found, kit, alone, jobs, order):
    hostile = {f"{'a' if order == 'first' else 'z'}-{name}": text for name, text in HOSTILE.items()}
    folders = found(**{"m-right": ADDER, "m-wrong": "def add(a, b):\n    return a - b\n"}, **hostile)
    with pool.here(kit, 5, "auto", jobs) as place:
        results = list(batch.run(folders, kit, place, no_earlier))
    assert len(results) == len(folders)
    seen = {done.label: done.result for done in results}
    for name, expected in alone.items():
        assert [(verdict.check, verdict.outcome, verdict.hint) for verdict in seen[f"m-{name}"].verdicts] == [
            (verdict.check, verdict.outcome, verdict.hint) for verdict in expected.verdicts
        ]
    assert not any(done.result.needs_human for done in results)


def inner(process):
    """The last of a line of processes: the server, while no job runs."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return inner(int(children[0])) if children else process


def test_a_server_that_dies_twice_at_one_job_costs_that_job_only_and_asks_for_a_human(kit, monkeypatch):
    grader = Grader(kit, 5)
    grader.ready()
    [observer] = grader._opened
    running, deaths = observer._running, []

    def dies():
        server = running()
        if len(deaths) < 2:
            deaths.append(server)
            os.kill(inner(server.process.pid), signal.SIGKILL)
        return server

    monkeypatch.setattr(observer, "_running", dies)
    lost, after = (grader.grade(Submission(label, {"adder": Part("adder", ADDER)})) for label in ("bob", "cy"))
    grader.close()
    assert {verdict.outcome for verdict in lost.verdicts if verdict.check.takes == ("adder",)} == {Outcome.VOID}
    assert lost.needs_human
    assert "failed" in lost.verdicts[0].message
    assert {verdict.outcome for verdict in after.verdicts if verdict.check.takes == ("adder",)} == {Outcome.PASSED}


def test_any_executor_will_do_even_one_whose_workers_share_nothing_with_us(found, kit, alone, tmp_path_factory):
    """A process pool that starts Python anew, and a kit that is gone before the first job: what a worker knows, it got from the parcel."""
    copy = tmp_path_factory.mktemp("kit") / "toykit"
    shutil.copytree(TOYKIT, copy)
    packed = parcel.pack(read_kit(copy), 5, "auto")
    shutil.rmtree(copy)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        [done] = batch.run(found(right=ADDER), kit, pool.elsewhere(executor, packed, 2), no_earlier)
    assert replace(done.result, seconds=0) == replace(alone["right"], seconds=0)


def test_a_parcel_for_another_release_is_refused(kit):
    with pytest.raises(KitError, match="install the same one everywhere"):
        parcel.grade_there(replace(parcel.pack(kit, 5, "auto"), version="0.0.9+00000000"), Submission("ann", {}))
