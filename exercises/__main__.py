"""`python -m exercises`: what is done, what comes next, which file to open. With --watch: again after each save. Nothing to fill in here."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from contextlib import closing

from ._run import CAN_FORK, HERE, Runner
from ._say import screen, short
from ._told import lacking

LOOK = 0.03  # seconds between two looks at the files


def main():
    """0: all visible tests pass, or the watch was ended; 1: some work is left; 2: something is not installed."""
    parser = argparse.ArgumentParser(prog="python -m exercises", description="The path through the exercises, by the visible tests.")
    parser.add_argument("--watch", action="store_true", help="run again after each save; Ctrl-C ends it")
    parser.add_argument("--seconds", type=float, default=20, help="the most that one run may take (default: 20)")
    parser.add_argument("--no-fork", action="store_true", help="watch as on Windows and macOS: a new process for each save")
    asked = parser.parse_args()
    for name in ("torch", "pytest"):
        if importlib.util.find_spec(name) is None:
            print(lacking(name))
            return 2
    try:
        with closing(Runner(asked.seconds, fork=asked.watch and CAN_FORK and not asked.no_fork)) as runner:
            return watch(runner) if asked.watch else once(runner)
    except KeyboardInterrupt:
        print("\nEnded.")
        return 0 if asked.watch else 130


def once(runner):
    """Run the visible tests and say how far they come."""
    records = runner.run()
    print(*screen(records), sep="\n")
    return 0 if isinstance(records, list) and records and all(record["state"] == "passed" for record in records) else 1


def watch(runner):
    """Say it again after each save, until Ctrl-C."""
    print(f"Watching {HERE.name}/. Save a file to see what changes; Ctrl-C ends this.")
    if not runner.fork:
        print("Here each save takes a new process. The next one is started early; if you save before it is ready, it needs a few seconds.")
    alarm = waker()
    seen, what = files(), "Now"
    while True:
        start = time.perf_counter()
        lines = screen(runner.run())
        print(f"\n-- {what} ({time.perf_counter() - start:.2f} s)", *lines, sep="\n", flush=True)
        runner.ready()
        while (now := files()) == seen:
            next(alarm)
        what = f"Saved {', '.join(short(name) for name in sorted(dict(set(now.items()) ^ set(seen.items()))))}"
        seen = now


def files():
    """Time and size of each file here, by name."""
    found = {}
    for file in HERE.glob("*.py"):
        try:
            about = file.stat()
        except OSError:  # between the two halves of an editor's save
            continue
        found[file.name] = (about.st_mtime_ns, about.st_size)
    return found


def waker():
    """Something whose `next` comes back when it is time to look at the files again."""
    try:
        from watchfiles import watch as events
    except ImportError:
        print(f"The files are looked at {1 / LOOK:.0f} times a second. To let the system tell instead: {sys.executable} -m pip install watchfiles")
        return iter(lambda: time.sleep(LOOK), 0)
    return events(HERE, recursive=False, step=10, debounce=50, rust_timeout=500, yield_on_timeout=True, raise_interrupt=True)


if __name__ == "__main__":
    sys.exit(main())
