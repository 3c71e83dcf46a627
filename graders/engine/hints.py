"""What grading.toml says of the hints in a release: below [release], hints = "always", "none", or after how many tries that failed."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from graders.model import KitError

Level = Literal["none", "always"] | int
CHOICE = 'write hints = "none", "always", or a number of tries from 1 on, below [release]'


class _Release(msgspec.Struct, forbid_unknown_fields=True):
    hints: Level = "always"


class _Document(msgspec.Struct):
    release: _Release = msgspec.field(default_factory=_Release)


def level(root: Path) -> Level:
    """What the kit in `root` wants. Raises KitError for anything else than the above."""
    file = root / "grading.toml"
    try:
        found = msgspec.toml.decode(file.read_bytes(), type=_Document).release.hints
    except (OSError, msgspec.MsgspecError) as error:
        raise KitError(f"{file}: {error}; {CHOICE}") from None
    if isinstance(found, int) and found < 1:
        raise KitError(f"{file}: [release] hints is {found}; {CHOICE}")
    return found
