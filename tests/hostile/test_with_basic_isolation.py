"""Without namespaces, landlock and seccomp little is promised. This much is: grades stay right, and nothing is left running."""

import os
import select
from pathlib import Path

import pytest

from graders.engine.observer import Observer
from graders.model import Outcome, Part


@pytest.fixture(scope="module")
def observer(kit):
    with Observer(kit, isolation="basic") as running:
        yield running


def test_its_name_is_basic(observer):
    assert observer.isolation == "basic"


def test_a_copy_that_the_code_forks_does_not_answer_too(observe, clean):
    seen = observe("import os\nos.fork()\ndef add(a, b):\n    return a + b")
    assert (seen["adder.value"].arrays["y"] == clean["adder.value"].arrays["y"]).all()
    assert seen["adder.zeros"].fault is None


def test_a_daemon_does_not_outlive_its_job(observe, tmp_path):
    note = tmp_path / "pid"
    daemon = (
        "import os, time, signal\n"
        "if os.fork() == 0:\n    os.setsid()\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    if os.fork() == 0:\n"
        f"        open({str(note)!r}, 'w').write(str(os.getpid()))\n        time.sleep(60)\n    time.sleep(60)\n"
        f"while not os.path.exists({str(note)!r}) or not open({str(note)!r}).read():\n    pass\n"
        "def add(a, b):\n    return a + b"
    )
    seen = observe(daemon)
    assert seen["adder.value"].fault is None
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


def test_fifty_forks_are_gone_with_their_job(observe, observer):
    observe("import os, time\nfor _ in range(50):\n    if os.fork() == 0:\n        time.sleep(60)\ndef add(a, b):\n    return a + b")
    pid = observer._server.process.pid
    assert Path(f"/proc/{pid}/task/{pid}/children").read_text() == ""


def test_killing_the_server_gains_nothing_but_a_humans_eye(observe, observer):
    """Only code that cannot be walled off can do this. It is told as the kit's own failure, and the next submission has a new server."""
    before = [Path(observer._server.scratch)]
    watched = os.pidfd_open(observer._server.process.pid)
    parts = "import os, signal\ndef add(a, b):\n    os.kill(os.getppid(), signal.SIGKILL)\n    return a + b"
    seen = observer.observe({"adder": Part("adder", parts)}, ("adder.value", "adder.zeros"), 1)
    assert {observation.fault.outcome for observation in seen.values()} == {Outcome.VOID}
    assert select.select([watched], [], [], 1)[0]
    assert not [folder for folder in before if folder.exists()]
    assert observe("def add(a, b):\n    return a + b")["adder.value"].fault is None
