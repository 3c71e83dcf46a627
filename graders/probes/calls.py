"""What probe writers share about a call: through which of torch's functions it goes, whatever a student's code calls them.

In: names of torch's functions, and work to do. Out: a count.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from torch.overrides import TorchFunctionMode

ENOUGH = 3000  # calls, many times what a layer makes: a loop that does not end, ends here


class _EnoughError(Exception):
    """What has been heard will do."""


class _Heard(TorchFunctionMode):
    """Counts calls by name. Torch tells of them to such a class only."""

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self.names, self.count, self.all = names, 0, 0

    def __torch_function__(self, function: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> Any:
        self.all += 1
        if self.all > ENOUGH:
            raise _EnoughError
        self.count += getattr(function, "__name__", "").split(".")[0] in self.names  # an operator is called rms_norm.default
        return function(*args, **(kwargs or {}))


def library_calls(names: Collection[str], work: Callable[[], Any]) -> int:
    """How often `work` calls a function of torch that has one of these names, until it ends, fails or goes on and on, which others tell."""
    heard = _Heard(names)
    with suppress(Exception), heard:
        work()
    return heard.count
