"""Seccomp: the system calls that a child may make. An allow-list, compiled once by libseccomp, loaded in each child.

Honest code computes, allocates, reads libraries, starts threads, and uses its scratch folder; it needs no process, mount, shared memory
or way to anybody. A pair of sockets, joined to each other for good, is a pipe; asyncio wakes itself with one.
What is not on the list answers "Operation not permitted", which Python raises as PermissionError, and the code goes on.
clone3 answers "not implemented", so that libc falls back to clone, whose flags can be read: only threads are let through.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import struct
from typing import Any

from graders.worker.wall import libc

# fmt: off
ALLOWED = frozenset("""
read write readv writev pread64 pwrite64 close close_range fstat newfstatat stat lstat statx lseek access faccessat faccessat2
open openat readlink readlinkat getdents64 getcwd flock sendfile dup dup2 dup3 pipe pipe2 poll ppoll select pselect6
epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2 recvfrom
mmap munmap mprotect mremap madvise brk membarrier
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack alarm setitimer getitimer pause
getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp getpgid getsid
getrandom clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrusage sysinfo uname getrlimit setrlimit getcpu
futex set_robust_list get_robust_list set_tid_address rseq sched_yield sched_getaffinity sched_getparam sched_getscheduler
sched_get_priority_max sched_get_priority_min getpriority
arch_prctl exit exit_group restart_syscall
chdir fchdir umask mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 symlink symlinkat
ftruncate fallocate fsync fdatasync sync_file_range fadvise64
""".split())  # noqa: SIM905 - a list to be read
# fmt: on
# Safe only in namespaces: there signals reach nobody else, and all but the scratch folder is mounted read-only (landlock has no say on modes).
IN_NAMESPACES = ("kill", "tkill", "tgkill", "chmod", "fchmod", "fchmodat", "fchmodat2", "utimensat", "truncate")
CLONE_THREAD = 0x00010000
# Calls that are allowed with some values of one argument: (call, place of the argument, values).
LIMITED = (
    ("prctl", 0, (15, 16)),  # set and get a thread's name
    ("ioctl", 1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),  # is it a terminal, its size, bytes waiting, blocking, close on exec
    ("fcntl", 1, (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)),  # duplicate, flags, locks, a pipe's size; not who is signalled
    ("prlimit64", 0, (0,)),  # its own limits, which can only go down
    ("socketpair", 0, (1,)),  # AF_UNIX
    ("sendto", 4, (0,)),  # without an address: to the other end only, where a pair of datagram sockets could name a socket of the machine
)


def compile_filter(namespaces: bool) -> bytes:
    """The program for the kernel, a little wider where the child is in namespaces. Raises ImportError or OSError without libseccomp."""
    sc = _libseccomp()
    rules = sc.SyscallFilter(sc.ERRNO(errno.EPERM))
    for name in (*sorted(ALLOWED), *(IN_NAMESPACES if namespaces else ())):
        if sc.resolve_syscall(sc.system_arch(), name) >= 0:  # not every architecture has every call
            rules.add_rule(sc.ALLOW, name)
    rules.add_rule(sc.ALLOW, "clone", sc.Arg(0, sc.MASKED_EQ, CLONE_THREAD, CLONE_THREAD))
    rules.add_rule(sc.ERRNO(errno.ENOSYS), "clone3")
    for name, place, values in LIMITED:
        for value in values:
            rules.add_rule(sc.ALLOW, name, sc.Arg(place, sc.EQ, value))
    with os.fdopen(os.memfd_create("filter"), "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _libseccomp() -> Any:
    """The binding. Its search for the library runs ldconfig or a compiler, which bubblewrap's view does not hold; the loader finds it by name."""
    search = ctypes.util.find_library
    ctypes.util.find_library = lambda name: "libseccomp.so.2" if name == "seccomp" else None
    try:
        import pyseccomp
    finally:
        ctypes.util.find_library = search
    return pyseccomp


def apply(program: bytes) -> None:
    """Filter this process's system calls for good. Needs no_new_privs."""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    libc.prctl(libc.PR_SET_SECCOMP, 2, ctypes.c_char_p(head))
