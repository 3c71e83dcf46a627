"""A student's time is not spent by a busy machine."""

import dataclasses
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from graders.engine import attempt, starved
from graders.engine.endings import Cause
from graders.engine.observer import Observer
from graders.model import Limits, Outcome, Part

SPIN = "import sys, time; print(flush=True); end = time.process_time() + 30\nwhile time.process_time() < end: pass"


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this system does not tell how long a process waited")
def test_waiting_for_a_processor_is_seen_and_sleeping_is_not():
    """Two loops share one processor: each waits for about as long as the other runs."""
    cores = sorted(os.sched_getaffinity(0))[:1]
    sleeper = subprocess.Popen([sys.executable, "-c", "print(flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    spin = [sys.executable, "-c", f"import os; os.sched_setaffinity(0, {cores})\n{SPIN}"]
    loops = [subprocess.Popen(spin, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for process in (sleeper, *loops):
            process.stdout.readline()
        deadline = time.monotonic() + 20
        while starved.waited(loops[0].pid) < 0.3 and time.monotonic() < deadline:
            pass
        assert starved.waited(loops[0].pid) >= 0.3
        assert starved.waited(sleeper.pid) < 10
    finally:
        for process in (sleeper, *loops):
            process.kill()
            process.wait()


def test_a_process_that_is_gone_has_waited_for_nothing():
    assert starved.waited(2**22 + 1) == 0.0


def test_waiting_is_forgiven_once(monkeypatch):
    monkeypatch.setattr(starved, "waited", lambda pid: 100.0)
    clock = attempt._Clock(1, Limits(probe_seconds=0.0, job_seconds=1000.0), 1000.0)
    left, _ = clock.left()
    assert 99 < left <= 100
    clock.since -= 200
    assert clock.left() == (pytest.approx(-100, abs=1), Cause.LATE)


def test_a_crowd_of_its_own_making_is_forgiven_only_so_long(monkeypatch):
    monkeypatch.setattr(starved, "waited", lambda pid: 1e6)
    clock = attempt._Clock(1, Limits(probe_seconds=0.0, job_seconds=10.0), 10.0)
    assert clock.left()[0] <= attempt.FORGIVEN * 10 + 10


def test_a_child_that_only_sleeps_is_late(monkeypatch):
    monkeypatch.setattr(starved, "waited", lambda pid: 0.0)
    clock = attempt._Clock(1, Limits(probe_seconds=0.0), 1000.0)
    left, cause = clock.left()
    assert left <= 0 and cause is Cause.LATE


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not let a process choose its processor")
def test_a_loop_on_a_busy_processor_is_out_of_time_and_no_crash(kit):
    """The kernel ends it by what it counts in ticks; what the process is said to have used then may be less."""
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(ours)})  # for all that is started from here on
    loops = [subprocess.Popen([sys.executable, "-c", SPIN], stdout=subprocess.DEVNULL) for _ in range(4)]
    limits = dataclasses.replace(kit.limits, probe_seconds=60.0, job_seconds=60.0, cpu_seconds=2.0)
    try:
        with Observer(dataclasses.replace(kit, limits=limits)) as observer:
            seen = observer.observe({"adder": Part("adder", "while True:\n    pass\n")}, ("adder.value",), 1)
    finally:
        os.sched_setaffinity(0, ours)
        for process in loops:
            process.kill()
            process.wait()
    fault = seen["adder.value"].fault
    assert (fault.outcome, fault.text) == (Outcome.TIMED_OUT, "used more than 2 s of processor time")
