"""Code that reaches for what is not its own: files, secrets, processes, the network, more rights. It gets nothing.

Each test needs the layers it names; where this machine lacks them it is skipped, and the doctor says so.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from graders.model import Part

ROOT = Path(__file__).parents[2]
LIBC = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"


@pytest.fixture(autouse=True)
def _walled(observer):
    if not observer.isolation.startswith("full"):
        pytest.skip(f"isolation here is {observer.isolation}")


def test_the_trial_itself_can_succeed(tries):
    """Without this, a test below could pass because `tries` is always False."""
    assert tries("def attempt():\n    return open(__import__('torch').__file__).read(10)")


FILES = [
    "/etc/passwd",
    "/etc/hostname",
    "/proc/1/environ",
    "/proc/self/maps",
    "/proc/self/mem",
    "/proc/cpuinfo",
    "/sys/kernel/hostname",
    str(ROOT / "grading.toml"),
    str(ROOT / "solutions/rmsnorm.py"),
    str(ROOT / "graders/engine/judge.py"),
    str(ROOT / "graders/model.py"),
    str(ROOT / "tests/toykit/solutions/adder.py"),
    str(ROOT / "tests/toykit/graders/probes/adder.py"),
    "/kit/probes/adder.py",
    "/kit/graders/worker/child.py",
    str(Path.home() / ".bashrc"),
]


@pytest.mark.parametrize("path", FILES)
def test_it_cannot_read(tries, path):
    assert not tries(f"def attempt():\n    return open({path!r}, 'rb').read(1)")


@pytest.mark.parametrize("folder", ["/", "/etc", "/home", "/root", "/tmp", "/proc", "/kit", "/kit/graders", str(ROOT), str(ROOT / "solutions")])
def test_it_cannot_list(tries, folder):
    assert not tries(f"import os\ndef attempt():\n    return os.listdir({folder!r}) is not None")


def test_the_kit_and_other_submissions_are_not_even_there_to_be_asked_about(tries, observer):
    if observer.isolation != "full":
        pytest.skip("needs bubblewrap")
    for path in (ROOT / "solutions", ROOT / "grading.toml", ROOT / "graders/engine", Path("/home"), Path("/etc/passwd")):
        assert not tries(f"import os\ndef attempt():\n    return os.path.lexists({str(path)!r})")


def test_it_cannot_import_the_reference_or_the_engine(tries):
    for name in ("solutions.adder", "solutions", "graders.engine.judge", "graders.engine", "graders.faces.text"):
        assert not tries(f"import importlib\ndef attempt():\n    return importlib.import_module({name!r})")


def test_it_finds_no_secret_in_its_environment(tries, monkeypatch):
    allowed = {"HOME", "LANG", "LC_CTYPE", "PATH", "PWD", "TMPDIR", "USER", "LOGNAME", "LD_LIBRARY_PATH"}
    prefixes = ("OMP_", "MKL_", "PYTHON", "CUDA_", "MALLOC_", "OBJC_", "KMP_", "TORCH")
    code = f"import os\ndef attempt():\n    return [n for n in os.environ if n not in {allowed!r} and not n.startswith({prefixes!r})]"
    assert not tries(code)


@pytest.mark.parametrize("folder", ["/tmp", "/", "/var/tmp", "/dev", "/dev/shm", "/kit", str(ROOT), str(Path(sys.executable).parent)])
def test_it_cannot_write_outside_its_scratch_folder(tries, folder):
    assert not tries(f"def attempt():\n    open({folder!r} + '/left-by-a-student', 'w').write('x')\n    return True")
    assert not Path(folder, "left-by-a-student").exists()


def test_its_scratch_folder_is_an_ordinary_small_folder_that_the_next_job_finds_empty(tries):
    use = """
import os, tempfile
def attempt():
    assert os.listdir('.') == []
    os.mkdir('a')
    with open('a/f', 'w') as file:
        file.write('kept')
    os.rename('a/f', 'a/g')
    with tempfile.NamedTemporaryFile() as other:
        other.write(b'x')
    ok = open('a/g').read() == 'kept'
    os.symlink('/etc/passwd', 'link')
    os.chdir('a')
    os.chdir('..')
    return ok
"""
    assert tries(use)
    assert tries(use)


def test_libraries_that_copy_save_and_lock_files_work_in_it(tries):
    code = """
import fcntl, shutil, tempfile, torch, numpy, sqlite3, zipfile
def attempt():
    torch.save(torch.ones(2), 't.pt')
    numpy.save('n.npy', numpy.ones(2))
    shutil.copy('t.pt', 'copy.pt')
    with zipfile.ZipFile('z.zip', 'w') as archive:
        archive.write('n.npy')
    with open('lock', 'w') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
    with sqlite3.connect('db') as base:
        base.execute('create table t (x)')
    with tempfile.TemporaryDirectory() as folder:
        shutil.move('copy.pt', folder)
        return bool(torch.load(folder + '/copy.pt').sum() == 2)
"""
    assert tries(code)


def test_it_cannot_fill_the_disk(tries):
    fill = "def attempt():\n    for n in range(40):\n        open(f'f{n}', 'wb').write(bytes(4 << 20))\n    return True"
    many = "def attempt():\n    for n in range(10000):\n        open(f'g{n}', 'w').close()\n    return True"
    assert not tries(fill)
    assert not tries(many)
    assert tries("import os\ndef attempt():\n    return not os.listdir('.')")


def test_it_cannot_fill_the_machine_with_threads(tries, observer):
    if "identity" in observer.isolation:
        pytest.skip("the machine's root has no limit on threads")
    threads = "import threading\nthreading.stack_size(32768)\ngate = threading.Event()\n"
    start = "def attempt():\n    for _ in range({}):\n        threading.Thread(target=gate.wait, daemon=True).start()\n    return True"
    assert tries(threads + start.format(64))
    assert not tries(threads + start.format(400))


def test_it_is_not_the_machines_root(tries, observer):
    if "identity" in observer.isolation:
        pytest.skip("this machine's root cannot become nobody here")
    inside = observer._server.process.pid
    while children := Path(f"/proc/{inside}/task/{inside}/children").read_text().split():
        inside = int(children[0])
    assert Path(f"/proc/{inside}").stat().st_uid != 0


def test_it_cannot_talk_over_the_network(tries):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        assert not tries(f"import socket\ndef attempt():\n    return socket.create_connection(('127.0.0.1', {port}), 1)")
        listener.settimeout(0.05)
        with pytest.raises(TimeoutError):
            listener.accept()


@pytest.mark.parametrize("kind", ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"])
def test_it_cannot_even_make_a_socket(tries, kind):
    assert not tries(f"import socket\ndef attempt():\n    return socket.socket(socket.{kind}, socket.SOCK_DGRAM)")


def test_a_loop_of_asyncio_with_threads_and_timeouts_runs_when_imported_and_when_called(observer):
    code = """
import asyncio, torch
async def wait(seconds, value):
    await asyncio.sleep(seconds)
    return value
async def main():
    first, second = await asyncio.gather(wait(0, 1), asyncio.to_thread(lambda: 2))
    try:
        await asyncio.wait_for(wait(60, 0), 0.01)
    except TimeoutError:
        return first + second
AT_IMPORT = asyncio.run(main())
def add(a, b):
    return torch.tensor([AT_IMPORT, asyncio.run(main())])
"""
    seen = observer.observe({"adder": Part("adder", code)}, ("adder.value",), 1)["adder.value"]
    assert seen.fault is None
    assert seen.arrays["y"].tolist() == [3, 3]
    assert seen.noticed == ()


PAIR = "import os, socket\ndef attempt():\n    a, b = socket.socketpair({})\n    {}\n"


@pytest.mark.parametrize("kind", ["STREAM", "DGRAM", "SEQPACKET"])
def test_two_sockets_that_are_joined_to_each_other_are_a_pipe(tries, kind):
    assert tries(PAIR.format(f"type=socket.SOCK_{kind}", "a.send(b'x')\n    return b.recv(1) == b'x'"))


# What a pair could do beyond itself; each is refused as not permitted.
BEYOND = {
    "name another receiver": "a.sendto(b'x', '/dev/log')",
    "name one that has no file": "a.sendto(b'x', '\\0bus')",
    "join somebody else": "a.connect('/dev/log')",
    "be found": "a.bind('here')",
    "listen": "a.listen()",
    "hand over a descriptor": "socket.send_fds(a, [b'x'], [0])",
    "ask who is there": "a.getsockopt(socket.SOL_SOCKET, 17, 12)",
}


@pytest.mark.parametrize("what", BEYOND)
def test_a_pair_of_sockets_cannot(tries, what):
    refused = "    try:\n        {}\n    except PermissionError:\n        return True"
    assert tries(PAIR.format("type=socket.SOCK_DGRAM", "pass") + refused.format(BEYOND[what]))


@pytest.mark.parametrize("kind", ["AF_INET", "AF_NETLINK"])
def test_only_the_local_kind_comes_in_pairs(tries, kind):
    made = "import socket\ndef attempt():\n    try:\n        socket.socketpair(socket.{})\n    except PermissionError:\n        return True"
    assert tries(made.format(kind))


STARTS = {
    "fork": "import os\ndef attempt():\n    pid = os.fork()\n    return pid or os._exit(0)",
    "a shell": "import os\ndef attempt():\n    return os.system('true') == 0",
    "a program": "import subprocess\ndef attempt():\n    return subprocess.run(['/bin/true']).returncode == 0",
    "another Python": "import subprocess, sys\ndef attempt():\n    return subprocess.run([sys.executable, '-c', '']).returncode == 0",
    "posix_spawn": "import os\ndef attempt():\n    return os.posix_spawn('/bin/true', ['true'], {})",
    "vfork": LIBC + "def attempt():\n    pid = libc.vfork()\n    return pid > 0 or pid == 0 and os._exit(0)",
    "exec": "import os, sys\ndef attempt():\n    os.execv(sys.executable, [sys.executable, '-c', ''])",
    "multiprocessing": "import multiprocessing as m\ndef attempt():\n    m.get_context('fork').Process(target=print).start()\n    return True",
    "a daemon": "import os\ndef attempt():\n    if os.fork() == 0:\n        os.setsid()\n        __import__('time').sleep(30)\n    return True",
    "fifty forks": "import os\ndef attempt():\n    for _ in range(50):\n        os.fork()\n    return True",
}


@pytest.mark.parametrize("what", STARTS)
def test_it_cannot_start(tries, what):
    assert not tries(STARTS[what])


# Each is refused as not permitted, which is the filter's word: a wrong argument or a missing file would give another.
CALLS = {
    "trace its parent": "ptrace(16, os.getppid(), 0, 0)",
    "be traced": "ptrace(0, 0, 0, 0)",
    "read another's memory": "process_vm_readv(os.getppid(), None, 0, None, 0, 0)",
    "make namespaces": "unshare(0x10000000)",
    "enter namespaces": "setns(3, 0)",
    "mount": "mount(b'none', b'.', b'tmpfs', 0, None)",
    "unmount": "umount2(b'.', 2)",
    "change root": "chroot(b'.')",
    "share memory": "shmget(0, 4096, 0o1600)",
    "queue messages": "msgget(0, 0o1600)",
    "make a process by an old call": "syscall(58)",
    "load a kernel filter": "syscall(321, 0, None, 0)",
    "use io_uring": "syscall(425, 1, ctypes.create_string_buffer(256))",
    "use a key ring": "syscall(250, 0, -3, 1)",
    "open by handle": "syscall(304, -100, None, 0)",
    "handle page faults": "syscall(323, 0)",
    "count events": "syscall(298, None, 0, 0, 0, 0)",
    "get a descriptor of a process": "syscall(434, 1, 0)",
    "undo its own rules": "prctl(22, 0, 0, 0, 0)",
    "have another process signalled": "fcntl(1, 8, 1)",
    "limit another process": "prlimit(2, 0, None, ctypes.create_string_buffer(16))",
    "outlive its parent": "prctl(1, 0, 0, 0, 0)",
}


@pytest.mark.parametrize("what", CALLS)
def test_the_kernel_does_not_let_it(tries, what):
    assert not tries(LIBC + f"def attempt():\n    return libc.{CALLS[what]} >= 0 or ctypes.get_errno() != 1")


POWERS = {
    "become root": "os.setuid(0)",
    "lift its memory": "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "lift its time": "resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))",
    "lift the size of its files": "resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))",
    "write a core file": "resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))",
    "raise its priority": "os.nice(-5)",
    "hide a file in memory": "os.memfd_create('x')",
    "set the host's name": "socket.sethostname('owned')",
    "make a device": "os.mknod('null', 0o20666, os.makedev(1, 3))",
    "make a pipe with a name": "os.mkfifo('pipe')",
    "change a library's mode": "os.chmod(torch.__file__, 0o777)",
    "touch a library": "os.utime(torch.__file__)",
    "link to a library": "os.link(torch.__file__, 'mine')",
}


@pytest.mark.parametrize("what", POWERS)
def test_it_cannot(tries, what):
    assert not tries(f"import os, resource, socket, torch\ndef attempt():\n    {POWERS[what]}\n    return True")


@pytest.mark.parametrize("target", ["os.getppid()", "-1", "0", "1", str(os.getpid())])
def test_no_signal_of_its_leaves_the_wall(tries, target):
    """It is alone in its world: there is nobody else for a signal to reach, and a first process cannot kill itself with one."""
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    tries(f"import os\ndef attempt():\n    os.kill({target}, 9)\n    os.kill({bystander.pid}, 9)")
    assert bystander.poll() is None
    bystander.communicate(b"\n")
    assert bystander.returncode == 0


def test_a_file_name_or_a_process_number_of_the_machine_means_nothing_inside(tries):
    assert not tries("import os\ndef attempt():\n    return os.getpid() != 1")
    assert not tries(f"import os\ndef attempt():\n    os.kill({os.getpid()}, 0)\n    return True")
    assert not tries(f"import os\ndef attempt():\n    return os.uname().nodename == {os.uname().nodename!r}")
