"""The promises of the content: what must hold before anybody is graded with it.

A promise is a sentence and a function that gives the problems, each one sentence with file, thing and next step. None of them judges
by itself: they send stubs, references and known mistakes down the same road as a student's work and look at the reports.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from graders.engine.grade import Observing, grade
from graders.engine.key import AnswerKey
from graders.engine.kit import MISCONCEPTIONS, PROBES, mistaken
from graders.engine.plan import is_rule, probes_of
from graders.engine.visible import visible_problems
from graders.model import Array, Kit, Misconception, Observation, Outcome, Part, Report, Submission, Verdict

SEED = 2357  # any seed would do; one that stays makes a broken promise repeatable


@dataclass(frozen=True)
class Scene:
    """What promises are checked with. `cut` makes a stub of a solution's text and its name; `note` is told how far long work has come."""

    kit: Kit
    cut: Callable[[str, str], str]
    observer: Observing
    seeds: int = 20
    note: Callable[[str], None] = lambda _: None

    @cached_property
    def key(self) -> AnswerKey:
        """One key for all promises under the one seed."""
        return AnswerKey(self.kit, SEED)

    @cached_property
    def stubs(self) -> Mapping[str, Part]:
        """The stubs as they should be."""
        return {name: Part(name, self.cut(part.text, name)) for name, part in self.kit.reference.parts.items()}

    @cached_property
    def mistakes(self) -> Mapping[Misconception, Report]:
        """For each known mistake the report on the reference with it, over the checks that take its part."""
        reports = {}
        for done, mistake in enumerate(self.kit.misconceptions):
            self.note(f"{done} of {len(self.kit.misconceptions)} known mistakes done")
            reports[mistake] = self.graded(mistake.id, self._mistaken(mistake))
        return reports

    def _mistaken(self, mistake: Misconception) -> Mapping[str, Part]:
        """The mistaken part, and the parts that some check takes together with it: no more, for there may be hundreds of mistakes."""
        beside = {name for check in self.kit.checks if mistake.part in check.takes for name in check.takes}
        return {**{name: self.kit.reference.parts[name] for name in beside}, **(mistaken(self.kit, (mistake,)) or {})}

    def graded(self, label: str, parts: Mapping[str, Part], key: AnswerKey | None = None) -> Report:
        """The report on these parts, as a student's."""
        own = {name: replace(part, origin="student") for name, part in parts.items()}
        return grade(Submission(label, own), self.kit, key or self.key, self.observer)


@dataclass(frozen=True)
class Promise:
    """A sentence that holds while `problems` gives none. Where an `early` one is broken, the long work after them is not worth its time."""

    title: str
    problems: Callable[[Scene], Iterable[str]]
    early: bool = False


def probes_are_used(scene: Scene) -> Iterator[str]:
    """Every check has a probe, or the kit would not have been read. Here: every probe is read by some check."""
    used = {check.probe for check in scene.kit.checks}
    for group in dict.fromkeys(check.id.split(".")[0] for check in scene.kit.checks):
        file = PROBES / f"{group}.py"
        for probe in _probes((scene.kit.root / file).read_text(encoding="utf-8")):
            if f"{group}.{probe}" not in used:
                yield f"{file.as_posix()}: no check reads the probe '{probe}'; add a line to [{group}.points] in grading.toml or remove it"


def _probes(text: str) -> Iterator[str]:
    """Names of the public functions with a probe's arguments; the others are helpers."""
    public = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name[0] != "_")
    for node in public:
        if [argument.arg for argument in node.args.args] in (["parts", "draw"], ["sources"]):
            yield node.name


def reference_passes(scene: Scene) -> Iterator[str]:
    """The solutions, handed in like a student's work, earn every point."""
    yield from _lost(scene.graded("reference", scene.kit.reference.parts), "mend solutions/ or the probe")


def no_false_failure(scene: Scene) -> Iterator[str]:
    """The same over many seeds, so that no right work fails now and then."""
    for seed in range(scene.seeds):
        scene.note(f"{seed} of {scene.seeds} seeds done")
        report = scene.graded("reference", scene.kit.reference.parts, AnswerKey(scene.kit, seed))
        yield from _lost(report, "widen its tolerance or tame the probe's inputs")


def _lost(report: Report, step: str) -> Iterator[str]:
    for verdict in report.verdicts:
        if verdict.outcome is not Outcome.PASSED:
            yield f"{verdict.check.id}: the solution is {verdict.outcome.value} under seed {report.seed} ({verdict.message}); {step}"


def stubs_earn_nothing(scene: Scene) -> Iterator[str]:
    """An untouched stub is unfinished in every check, rules included: nobody has written the code that they speak of."""
    for verdict in scene.graded("stubs", scene.stubs).verdicts:
        if verdict.outcome is not Outcome.UNFINISHED:
            became = f"{verdict.outcome.value} ({verdict.message})" if verdict.message else verdict.outcome.value
            yield f"{verdict.check.id}: the untouched stub is {became}, not unfinished; let the probe need the student's code"


def stubs_are_current(scene: Scene) -> Iterator[str]:
    """The committed files in exercises/ are what the solutions give when cut."""
    for name, part in scene.stubs.items():
        file = scene.kit.root / "exercises" / f"{name}.py"
        if not file.exists() or file.read_text(encoding="utf-8") != part.text:
            yield f"exercises/{name}.py: not what solutions/{name}.py gives when cut; run `python -m graders stubs`"


def mistakes_are_caught(scene: Scene) -> Iterator[str]:
    """Each known mistake costs a point in a check that takes its part."""
    for mistake, report in scene.mistakes.items():
        if not _failed(report, mistake):
            yield f"{_entry(mistake)}: no check of {mistake.part} notices it; add a check that does, or remove it"


def mistakes_receive_their_hint(scene: Scene) -> Iterator[str]:
    """Its own, or that of another mistake with the same numbers. A rule says itself what is wrong."""
    for mistake, report in scene.mistakes.items():
        judged = [verdict for verdict in _failed(report, mistake) if not is_rule(verdict.check.id)]
        told = {verdict.hint.misconceptions for verdict in judged if verdict.hint}
        if judged and not any(len(names) == 1 for names in told):
            received = f"the hints of {', '.join(sorted(' + '.join(names) for names in told))}" if told else "no hint"
            yield f"{_entry(mistake)}: it is caught but receives {received}; see whether its numbers are the same in every run"


def checks_can_fail(scene: Scene) -> Iterator[str]:
    """A check that no known mistake fails may well be one that nothing fails."""
    failing = {verdict.check for mistake, report in scene.mistakes.items() for verdict in _failed(report, mistake)}
    for check in scene.kit.checks:
        if check not in failing:
            yield f"{check.id}: no known mistake fails it; add one to {MISCONCEPTIONS.as_posix()}/{check.takes[-1]}.toml, or remove the check"


def observations_repeat(scene: Scene) -> Iterator[str]:
    """Bit for bit under one seed, also when the probes run the other way round."""
    probes = probes_of(scene.kit.checks)
    once = scene.observer.observe(scene.kit.reference.parts, probes, SEED)
    again = scene.observer.observe(scene.kit.reference.parts, probes[::-1], SEED)
    for probe in probes:
        if probe not in once or probe not in again or not _identical(once[probe], again[probe]):
            yield f"{probe}: two runs under one seed differ; draw every input from `draw`, and let no probe leave anything behind"


def visible_tests_split(scene: Scene) -> Iterator[str]:
    """Every visible test passes on the solution and fails on the stub."""
    yield from visible_problems(scene.kit.root, {name: part.text for name, part in scene.stubs.items()})


PROMISES = (
    Promise("every probe is read by a check", probes_are_used, early=True),
    Promise("the solutions earn full marks", reference_passes, early=True),
    Promise("untouched stubs are unfinished everywhere and earn nothing", stubs_earn_nothing, early=True),
    Promise("exercises/ is cut from solutions/ as it stands", stubs_are_current, early=True),
    Promise("every known mistake is caught", mistakes_are_caught),
    Promise("every known mistake receives its own hint", mistakes_receive_their_hint),
    Promise("every check is failed by some known mistake", checks_can_fail),
    Promise("observations repeat bit for bit under one seed", observations_repeat),
    Promise("the solutions lose no point under many seeds", no_false_failure),
    Promise("visible tests tell solutions from stubs", visible_tests_split),
)


def _failed(report: Report, mistake: Misconception) -> list[Verdict]:
    """The verdicts that are not passed, of the checks that take the mistake's part."""
    return [verdict for verdict in report.verdicts if verdict.outcome is not Outcome.PASSED and mistake.part in verdict.check.takes]


def _entry(mistake: Misconception) -> str:
    return f"{MISCONCEPTIONS.as_posix()}/{mistake.part}.toml: [{mistake.id}]"


def _identical(one: Observation, other: Observation) -> bool:
    if one.fault != other.fault or one.arrays.keys() != other.arrays.keys():
        return False
    return all(_bits(array, other.arrays[name]) for name, array in one.arrays.items())


def _bits(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()
