"""`nbgrader autograde` with the engine against stock nbgrader, on the same twelve submissions, in one run.

    python bench/nbgrader.py [--json FILE]

A course is written and its assignment made once; each side gets a copy. Each grades one submission first, then the same twelve afresh:
a further submission costs what eleven more of them took, by eleven. Both sides' scores must be equal, or nothing is compared.
The twelve are such that stock nbgrader gets through them: of what the tests hand in, a duplicated cell stops it for the whole class. A
third side, `kernel`, is stock nbgrader where the kit cannot be imported: it runs the
notebooks, and grades nothing.
"""

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])  # in place of this folder, where this file has the name of what it measures

from tests.graders.faces.nbgrader.classroom import LESSON, Paper, broken, graders, honest, hostile, lay, nbgrader, scores  # noqa: E402

TWELVE = ["right", "no_eps", "two_mistakes", "half_done", "untouched", "helper", "syntax", "moved", "magics", "huge", "asks", "beside"]
GOAL = 12


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--json", type=Path)
    where = options.parse_args().json
    with tempfile.TemporaryDirectory() as scratch:
        course = Path(scratch) / "course"
        graders("notebook", course)
        nbgrader(course, "generate_assignment", LESSON)
        engine, found = measured(course, Path(scratch) / "engine", config=True)
        stock, right = measured(course, Path(scratch) / "stock", config=False)
        kernel, _ = measured(course, Path(scratch) / "kernel", config=False, PYTHONPATH="")
    differ = [student for student in TWELVE if found[student] != right[student]]
    ratio, processors = (stock[f"further{end}"] / engine[f"further{end}"] for end in ("", "_cpu"))
    for name, times in (("engine", engine), ("stock", stock), ("kernel", kernel)):
        cpu = f"{times['further_cpu']:5.2f} s of processor time"
        print(f"{name:<7} one {times['one']:6.1f} s   twelve {times['twelve']:6.1f} s   a further one {times['further']:5.2f} s, {cpu}")
    print(f"ratio   {ratio:.1f} times less for a further submission (goal {GOAL}), {processors:.1f} times less processor time")
    print(f"scores that differ: {', '.join(differ) or 'none'}")
    if where:
        sides = {"engine": engine, "stock": stock, "kernel": kernel}
        where.write_text(json.dumps({**sides, "ratio": ratio, "ratio_cpu": processors, "differ": differ}) + "\n")
    return 0 if ratio >= GOAL and not differ else 1


def measured(course, folder, config, **more):
    """Seconds for one and for twelve, each in a copy of the course of its own, and the scores of the twelve."""
    times = {}
    for name, students in (("one", TWELVE[:1]), ("twelve", TWELVE)):
        copy = shutil.copytree(course, folder / name)
        paper = Paper(copy)
        everybody = {**honest(paper), **broken(paper), **hostile(paper)}
        for student in students:
            lay(copy, student, everybody[student])
        if not config:
            (copy / "nbgrader_config.py").unlink()
        start, cpu = time.perf_counter(), processor()
        nbgrader(copy, "autograde", LESSON, **more)
        times[name], times[f"{name}_cpu"] = time.perf_counter() - start, processor() - cpu
    further = {f"further{end}": (times[f"twelve{end}"] - times[f"one{end}"]) / (len(TWELVE) - 1) for end in ("", "_cpu")}
    return {**times, **further}, scores(copy)


def processor():
    """CPU seconds of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
