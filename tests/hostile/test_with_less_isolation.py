"""Machines that lack a layer: without bubblewrap it is still full isolation, without user namespaces what is left still holds."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NO_NAMESPACES = ["unshare", "--user", "--map-root-user", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh"]
ENGINE = f"""
import json, sys
sys.path.insert(0, {str(ROOT)!r})
from graders.engine.kit import read_kit
from graders.engine.observer import Observer
from graders.model import Part
kit = read_kit({str(ROOT / "tests/toykit")!r})
results = {{}}
with Observer(kit) as observer:
    for name, code in json.loads(sys.argv[1]).items():
        text = f"import torch\\ndef attempt():\\n    {{code}}\\ndef add(a, b):\\n    try:\\n        return torch.tensor(bool(attempt()))\\n"
        seen = observer.observe({{"adder": Part("adder", text + "    except Exception:\\n        return torch.tensor(False)")}}, ("adder.value",), 1)
        fault = seen["adder.value"].fault
        results[name] = fault.text if fault else bool(seen["adder.value"].arrays["y"])
print(json.dumps([observer.isolation, results]))
"""
HONEST = {
    "compute": "return (torch.ones(2) + 1).sum() == 4",
    "use the scratch folder": "open('f', 'w').write('x'); import os; os.mkdir('d'); os.rename('f', 'd/g'); return open('d/g').read() == 'x'",
    "find it empty again": "import os; return os.listdir('.') == []",
}


def forbidden(tmp_path, bystander):
    mine = tmp_path / "mine"
    mine.write_text("x")
    mine.chmod(0o600)
    return {
        "read an answer": f"return open({str(ROOT / 'tests/toykit/solutions/adder.py')!r}).read()",
        "read a password file": "return open('/etc/passwd').read()",
        "read about itself": "return open('/proc/self/environ').read()",
        "list the root": "import os; return os.listdir('/')",
        "write elsewhere": f"open({str(tmp_path / 'left')!r}, 'w'); return True",
        "change a mode": f"import os; os.chmod({str(mine)!r}, 0o777); return True",
        "remove a file": f"import os; os.unlink({str(mine)!r}); return True",
        "fork": "import os; return os.fork() or os._exit(0)",
        "make a socket": "import socket; return socket.socket()",
        "send to a socket of the machine": (
            "import socket; a, b = socket.socketpair(type=socket.SOCK_DGRAM); "
            f"return a.sendto(b'x', {str(tmp_path / 'socket')!r})"
        ),
        "signal its parent": "import os; parent = os.getppid(); return bool(parent) and os.kill(parent, 0) is None",
        "signal a bystander": f"import os; os.kill({bystander}, 0); return True",
        "lift its limits": "import resource as r; r.setrlimit(r.RLIMIT_CPU, (-1, -1)); return True",
    }


@pytest.fixture
def grade(tmp_path):
    """Run attempts with a command in front of the engine and another PATH; what isolation ran, and what came of each attempt."""

    def run(before, path):
        tmp_path.chmod(0o755)
        bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        service = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        service.bind(str(tmp_path / "socket"))
        (tmp_path / "socket").chmod(0o777)
        attempts = {**HONEST, **forbidden(tmp_path, bystander.pid)}
        done = subprocess.run(
            [*before, sys.executable, "-c", ENGINE, json.dumps(attempts)],
            env={**os.environ, "PATH": path},
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr.decode()
        bystander.communicate(b"\n")
        service.close()
        isolation, results = json.loads(done.stdout)
        return isolation, [name for name in HONEST if results[name] is not True], [name for name in attempts if name not in HONEST and results[name]]

    return run


def test_without_bubblewrap_nothing_more_is_allowed(grade, tmp_path):
    isolation, lost, gained = grade([], str(tmp_path))
    if not isolation.startswith("full"):
        pytest.skip(f"isolation here is {isolation}")
    assert isolation.startswith("full: without view")
    assert lost == []
    assert gained == []


def test_without_user_namespaces_files_signals_and_processes_are_still_closed(grade, tmp_path):
    if shutil.which("unshare") is None or subprocess.run([*NO_NAMESPACES, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine cannot make a place without user namespaces")
    before = set(Path("/tmp").glob("scratch-*"))
    isolation, lost, gained = grade(NO_NAMESPACES, os.environ["PATH"])
    if "landlock" in isolation or "seccomp" in isolation:
        pytest.skip(f"isolation here is {isolation}")
    assert isolation.startswith("partial: without view, namespaces")
    assert lost == []
    assert gained == []
    assert set(Path("/tmp").glob("scratch-*")) <= before
