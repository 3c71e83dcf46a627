"""A bar on stderr for long work, only where somebody watches a terminal. Nothing of it reaches a file or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from graders.faces.text import clean

NAME = 28  # characters of a label beside the bar


@contextmanager
def progress(total: int, lines_between: bool) -> Iterator[Callable[[str], None]]:
    """Gives a function to call with each label that is done. One submission needs no bar.

    `lines_between`: what is printed meanwhile goes above the bar, where both are on a terminal. Not so with --json, whose lines must stay whole.
    """
    console = Console(stderr=True)
    columns = (TextColumn("graded", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), _Label())
    redirect, off = lines_between and sys.stdout.isatty(), total < 2 or not console.is_terminal
    with Progress(*columns, console=console, transient=True, redirect_stdout=redirect, disable=off) as bar:
        task = bar.add_task("starting the worker", total=total)
        yield lambda label: bar.update(task, advance=1, description=label)


class Sign:
    """A turning sign beside a title and how far the work has come, gone when it is done."""

    def __init__(self) -> None:
        self.status, self.title = Console(stderr=True).status(""), ""

    def beside(self, title: str) -> AbstractContextManager[object]:
        """Show the title while the work goes on."""
        self.title = title
        self.status.update(title)
        return self.status

    def note(self, far: str) -> None:
        """Say how far."""
        self.status.update(f"{self.title}: {far}")


class _Label(ProgressColumn):
    """The last label as plain text: it comes from a file's name, and rich would read markup in it."""

    def render(self, task: Task) -> Text:
        """The label."""
        return Text(clean(task.description, NAME), "dim")
