"""A report read back from the JSON that a run wrote. Of its checks it knows what a report shows: id, title, points."""

from __future__ import annotations

import msgspec

from graders.model import Check, Hint, Outcome, Report, Verdict


class _Verdict(msgspec.Struct, frozen=True):
    check: str
    title: str
    outcome: Outcome
    possible: float
    message: str = ""
    hint: Hint | None = None
    picture: tuple[tuple[str, ...], ...] = ()


class _Report(msgspec.Struct, frozen=True):
    label: str
    seed: int
    isolation: str
    kit_version: str
    graded: dict[str, str]
    seconds: float
    verdicts: tuple[_Verdict, ...]
    notes: tuple[str, ...] = ()
    fingerprints: dict[str, str] = {}
    tampering: tuple[str, ...] = ()


def read(text: str) -> Report:
    """The report in a text. Raises ValueError for one that is not whole, or no report."""
    try:
        found = msgspec.json.decode(text, type=_Report)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return Report(
        label=found.label,
        verdicts=tuple(map(_verdict, found.verdicts)),
        seed=found.seed,
        isolation=found.isolation,
        kit_version=found.kit_version,
        graded=found.graded,
        seconds=found.seconds,
        notes=found.notes,
        fingerprints=found.fingerprints,
        tampering=found.tampering,
    )


def _verdict(one: _Verdict) -> Verdict:
    return Verdict(Check(one.check, one.title, one.possible, (), one.check), one.outcome, one.message, one.hint, one.picture)
