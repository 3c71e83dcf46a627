"""A live line while something runs: a bar by rich where it is installed, a plain line elsewhere, nothing where nobody watches.

In: a title and a number of steps. Out: a function to call after each step, with a short text. All of it goes to stderr and is wiped at the end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Step = Callable[[str], None]


@contextmanager
def bar(title: str, steps: int) -> Iterator[Step]:
    """The function to call after each of so many steps."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    try:
        import rich.progress as rich_progress
        from rich.console import Console
    except ImportError:
        yield from plain(title, steps)
        return
    columns = rich_progress.TextColumn("   {task.description}"), rich_progress.BarColumn(), rich_progress.TextColumn("{task.fields[text]}")
    with rich_progress.Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=steps, text="")
        yield lambda text: progress.update(task, advance=1, text=text)


def plain(title: str, steps: int) -> Iterator[Step]:
    """One line, written over at every step."""
    done = 0

    def step(text: str) -> None:
        nonlocal done
        done += 1
        sys.stderr.write(f"\r   {title}: {done} of {steps}, {text}"[:79].ljust(79))
        sys.stderr.flush()

    yield step
    sys.stderr.write("\r" + " " * 79 + "\r")
