"""A real Dask cluster on this machine: a scheduler and workers as processes of their own, over TCP."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'residual-kit[cluster]'")

from graders.engine import batch, cluster, parcel, pool, written
from graders.engine.submission import find_submissions
from graders.model import KitError, Report
from tests.conftest import TOYKIT

ROOT = Path(__file__).parents[3]
TEXTS = ("def add(a, b):\n    return a + b\n", "def add(a, b):\n    return a - b\n", "import os\nos._exit(0)\n")


@pytest.fixture
def start():
    """Start `python -m dask` with these words; all of it is ended with the test."""
    with ExitStack() as held:

        def run(*words):
            command = [sys.executable, "-m", "dask", *words]
            quiet = {**os.environ, "OMP_NUM_THREADS": "1", "DASK_LOGGING__DISTRIBUTED": "error"}
            process = held.enter_context(subprocess.Popen(command, cwd=ROOT, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            held.callback(process.kill)
            return process

        yield run


@pytest.fixture
def address(start):
    """The address of a scheduler."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-jupyter")
    return f"tcp://127.0.0.1:{port}"


@pytest.fixture
def found(tmp_path, kit):
    for number in range(24):
        (tmp_path / f"s{number:02}").mkdir()
        (tmp_path / f"s{number:02}/adder.py").write_text(TEXTS[number % len(TEXTS)])
    return find_submissions([tmp_path], kit)


def worker(start, address):
    return start("worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard")


def said(report):
    """What a report says, but for the time it took."""
    verdicts = [(verdict.check.id, verdict.outcome, verdict.points, verdict.message, verdict.hint) for verdict in report.verdicts]
    return report.label, report.seed, report.isolation, report.kit_version, report.graded, verdicts


def test_a_lost_worker_costs_time_and_no_grade(start, address, kit, found, tmp_path_factory):
    """The command itself, on two workers, one of them killed as soon as reports come: every grade is the one that this machine gives."""
    out = tmp_path_factory.mktemp("results")
    lost, stays = worker(start, address), worker(start, address)
    command = [sys.executable, "-m", "graders", "grade", str(found[0].path.parent), "--kit", str(TOYKIT), "--seed", "5", "--cluster", address]
    with subprocess.Popen([*command, "--out", str(out)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 120
        while len(list(out.glob("*.json"))) < 3:
            assert time.monotonic() < end
            time.sleep(0.01)
        lost.send_signal(signal.SIGKILL)
        left = len(found) - len(list(out.glob("*.json")))
        _, trouble = process.communicate(timeout=120)
    assert (process.returncode, trouble) == (0, "")
    assert left > 0
    assert stays.poll() is None
    with pool.here(kit, 5, "auto", 1) as place:
        expected = {done.label: said(done.result) for done in batch.run(found, kit, place, lambda submission: None)}
    assert {file.stem: said(written.read(file.read_text())) for file in out.glob("*.json")} == expected


def test_when_all_workers_are_lost_the_batch_goes_on_with_a_new_one(start, address, kit, found):
    lost = worker(start, address)
    results = []
    with cluster.on_cluster(address, parcel.pack(kit, 5, "auto")) as place:
        for done in batch.run(found[:6], kit, place, lambda submission: None):
            results.append(done)
            if len(results) == 1:
                lost.kill()
                lost.wait()
                worker(start, address)
    assert len(results) == 6
    assert all(isinstance(done.result, Report) and not done.result.needs_human for done in results)


def test_a_cluster_grades_the_same_lesson_as_this_machine(start, address, tmp_path):
    toys = shutil.copytree(TOYKIT, tmp_path / "toys")
    (toys / "sums.md").write_text("<!-- exercise: adder -->\n")
    with (toys / "grading.toml").open("a") as file:
        file.write('\n[lesson.sums]\ntext = "sums.md"\n')
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann/adder.py").write_text(TEXTS[1])
    worker(start, address)
    command = [sys.executable, "-m", "graders", "grade", str(tmp_path / "ann"), "--kit", str(toys), "--seed", "5", "--lesson", "sums", "--json"]
    there, here = (subprocess.run([*command, *words], cwd=ROOT, capture_output=True, text=True, check=True) for words in (("--cluster", address), ()))
    assert said(written.read(there.stdout)) == said(written.read(here.stdout))
    assert written.read(there.stdout).possible == 4


def test_no_scheduler_is_one_sentence(kit, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    for wrong in (address, "nonsense://here"):
        with pytest.raises(KitError, match="no Dask scheduler answers at"), cluster.on_cluster(wrong, parcel.pack(kit, 5, "auto")):
            pass


def test_code_behind_a_wall_that_leaves_the_network_open_is_not_taken_to_a_cluster_unasked():
    """Whoever reaches a scheduler runs what they like on all its workers."""
    with pytest.raises(KitError, match="reach the cluster's scheduler"):
        cluster._demand_closed("auto", "basic")
    for asked, got in (("auto", "full"), ("auto", "partial: without namespaces"), ("basic", "basic")):
        cluster._demand_closed(asked, got)


def test_a_lost_scheduler_ends_the_batch_in_a_sentence(start, kit, found):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-jupyter")
    worker(start, address)
    results = []
    with pytest.raises(KitError, match="run the same command again"), cluster.on_cluster(address, parcel.pack(kit, 5, "auto")) as place:
        for done in batch.run(found, kit, place, lambda submission: None):
            results.append(done)
            scheduler.kill()
    assert len(results) < len(found)
