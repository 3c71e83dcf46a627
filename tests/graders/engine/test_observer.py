"""The Observer with a real server: what it promises about results, about replacing what died, and about leaving nothing behind."""

import dataclasses
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from graders.engine import attempt, server
from graders.engine.observer import Observer
from graders.model import KitError, Outcome, Part
from tests.conftest import TOYKIT

ROOT = Path(__file__).parents[3]
PROBES = ("adder.value", "adder.zeros", "mixer.half", "mixer.ends", "together.chain", "adder.rule_short")


def family(pid):
    """A process and all its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in family(int(child)))]


def inner(observer):
    """The server itself: the innermost process while no job runs."""
    return family(observer._server.process.pid)[-1]


def gone(descriptors, seconds=10.0):
    """Whether all these processes end in time."""
    end = time.monotonic() + seconds
    while descriptors and time.monotonic() < end:
        ended, _, _ = select.select(descriptors, [], [], max(0.0, end - time.monotonic()))
        descriptors = [descriptor for descriptor in descriptors if descriptor not in ended]
    return not descriptors


def test_every_probe_asked_for_is_answered_in_the_order_asked(observer, kit):
    seen = observer.observe(kit.reference.parts, PROBES, 1)
    assert list(seen) == list(PROBES)
    assert [probe for probe, observation in seen.items() if observation.fault] == []
    np.testing.assert_array_equal(seen["adder.zeros"].arrays["y"], seen["adder.zeros"].arrays["a"])
    assert seen["adder.rule_short"].arrays["short"]


def test_one_seed_gives_the_same_bits_and_another_seed_others(observer, kit):
    one, again, other = (observer.observe(kit.reference.parts, PROBES, seed) for seed in (1, 1, 2))
    for probe in PROBES:
        for name, array in one[probe].arrays.items():
            np.testing.assert_array_equal(array, again[probe].arrays[name])
    assert not np.array_equal(one["adder.value"].arrays["y"], other["adder.value"].arrays["y"])


def test_a_probe_gives_the_same_alone_as_in_company(observer, kit):
    together = observer.observe(kit.reference.parts, PROBES, 3)
    alone = observer.observe(kit.reference.parts, ("mixer.half",), 3)
    np.testing.assert_array_equal(alone["mixer.half"].arrays["y"], together["mixer.half"].arrays["y"])


def test_no_probes_no_work(observer):
    assert observer.observe({}, (), 1) == {}


def test_a_part_that_was_not_handed_in_is_missing(observer):
    seen = observer.observe({}, ("adder.value",), 1)
    assert seen["adder.value"].fault.outcome is Outcome.MISSING
    assert seen["adder.value"].fault.text == "adder.py was not handed in"


def test_after_two_hangs_the_rest_of_a_group_is_not_tried_and_other_groups_are(observer, kit):
    loop = Part("mixer", "while True:\n    pass")
    probes = ("mixer.half", "mixer.ends", "mixer.half2", "adder.value", "adder.zeros")
    seen = observer.observe({**kit.reference.parts, "mixer": loop}, probes, 1)
    assert [seen[probe].fault.text for probe in probes[:3]] == ["did not finish within 1.5 s"] * 2 + [
        "not tried, because other checks of mixer did not finish"
    ]
    assert seen["adder.value"].fault is None
    assert seen["adder.zeros"].fault is None


def test_when_the_time_of_a_job_is_used_up_the_rest_is_not_tried(kit, observer):
    short = dataclasses.replace(kit, limits=dataclasses.replace(kit.limits, job_seconds=0.5))
    observer._kit, whole = short, observer._kit
    loop = Part("adder", "while True:\n    pass")
    try:
        seen = observer.observe({**kit.reference.parts, "adder": loop}, ("adder.value", "adder.zeros"), 1)
    finally:
        observer._kit = whole
    assert seen["adder.value"].fault.text == "did not finish: all checks together have 0.5 s"
    assert seen["adder.zeros"].fault.text == "not tried: all checks together have 0.5 s, and earlier ones used them up"
    assert {observation.fault.outcome for observation in seen.values()} == {Outcome.TIMED_OUT}


def test_a_server_that_died_is_replaced(observer, kit):
    os.kill(inner(observer), signal.SIGKILL)
    seen = observer.observe(kit.reference.parts, PROBES, 1)
    assert [probe for probe, observation in seen.items() if observation.fault] == []


def test_a_server_that_is_stuck_is_replaced(observer, kit, monkeypatch):
    monkeypatch.setattr(attempt, "READY_SECONDS", 1.0)
    os.kill(inner(observer), signal.SIGSTOP)
    seen = observer.observe(kit.reference.parts, ("adder.value",), 1)
    assert seen["adder.value"].fault is None


def test_a_server_that_gets_stuck_during_a_job_costs_the_job_only_time(observer, kit, monkeypatch):
    monkeypatch.setattr(server, "ANSWER_SECONDS", 1.0)
    stop = threading.Timer(0.5, os.kill, (inner(observer), signal.SIGSTOP))
    slow = Part("adder", "import time\ndef add(a, b):\n    time.sleep(1)\n    return a + b")
    stop.start()
    seen = observer.observe({"adder": slow}, ("adder.value",), 1)
    stop.join()
    assert seen["adder.value"].fault is None


def test_a_kit_whose_server_cannot_start_says_so(kit, tmp_path):
    (tmp_path / "graders/probes").mkdir(parents=True)
    (tmp_path / "graders/probes/broken.py").write_text("import nonexistent_library\n")
    with pytest.raises(KitError, match="No module named 'nonexistent_library'"):
        Observer(dataclasses.replace(kit, root=tmp_path))


def test_two_observers_work_side_by_side(kit):
    results = []

    def work():
        with Observer(kit) as own:
            results.extend(own.observe(kit.reference.parts, PROBES, 1)["mixer.half"].arrays["y"] for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 10
    assert all(np.array_equal(result, results[0]) for result in results)


def test_closing_leaves_no_process(kit):
    observer = Observer(kit)
    observer.observe(kit.reference.parts, PROBES, 1)
    watched = [os.pidfd_open(pid) for pid in family(observer._server.process.pid)]
    observer.close()
    assert gone(watched, 0.5)


ENGINE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from graders.engine.kit import read_kit
from graders.engine.observer import Observer
from graders.model import Part
kit = read_kit({str(TOYKIT)!r})
observer = Observer(kit, sys.argv[1])
assert "torch" not in sys.modules
print("ready", flush=True)
observer.observe({{"adder": Part("adder", "while True:\\n    pass")}}, ("adder.value",), 1)
"""


@pytest.mark.parametrize("isolation", ["auto", "basic"])
def test_an_engine_that_is_killed_leaves_no_process(isolation):
    engine = subprocess.Popen([sys.executable, "-c", ENGINE, isolation], stdout=subprocess.PIPE)
    assert engine.stdout.readline() == b"ready\n"
    end = time.monotonic() + 5
    before = len(family(engine.pid))
    while len(family(engine.pid)) == before and time.monotonic() < end:
        pass  # until the child is there
    watched = [os.pidfd_open(pid) for pid in family(engine.pid)]
    assert len(watched) > before
    engine.kill()
    engine.wait()
    assert gone(watched, 5)


def memory_holds(pid, text):
    """Whether the readable private memory of a process holds a text."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights, *_ = line.split()
            if rights.startswith("rw"):
                first, last = (int(address, 16) for address in span.split("-"))
                memory.seek(first)
                if text in memory.read(last - first):
                    return True
    return False


def test_the_server_never_holds_a_line_of_a_submission(observer, kit):
    """Its children inherit its memory: what it had read once, the next submission could find."""
    word = f"marker-{time.monotonic_ns()}"
    text = f"def add(a, b):\n    return a + b  # {word}"
    for _ in range(2):
        assert observer.observe({"adder": Part("adder", text)}, ("adder.value",), 1)["adder.value"].fault is None
    try:
        assert memory_holds(inner(observer), b"graders.worker")  # the search itself works
        assert not memory_holds(inner(observer), word.encode())
    except PermissionError:
        pytest.skip("this user may not read the memory of the server")


def test_many_jobs_leave_no_descriptor_open(observer, kit):
    counts = []
    for _ in range(2):
        for _ in range(20):
            observer.observe(kit.reference.parts, PROBES, 1)
        counts.append([len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in ("self", inner(observer))])
    assert counts[0] == counts[1]
