"""What the engine tells the server when it starts it: one JSON document on the command line, with nothing secret in it."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """`probes` and `tiny_lm` are folders of the kit (empty: none), `readable` the paths that children may read."""

    socket: int
    layers: bool
    probes: str
    tiny_lm: str
    readable: tuple[str, ...]


def read(text: str) -> Settings:
    """The settings in a JSON text. Raises TypeError where a field is missing or unknown."""
    document = json.loads(text)
    return Settings(**{**document, "readable": tuple(document["readable"])})
