"""Run the visible tests as a student would, in a copy of what a student has: once with the solutions in place, once with the stubs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

GIVEN = ("tiny_lm", "exercises")
LIMIT = 300.0  # seconds for one run of all visible tests, import torch included


def visible_problems(root: Path, stubs: Mapping[str, str]) -> Iterator[str]:
    """Sentences about visible tests that do not tell the kit's solutions from its stubs (name -> text)."""
    if not list((root / "exercises").glob("test_*.py")):
        yield "exercises/: no visible test is there; write exercises/test_<part>.py"
        return
    solved = {name: (root / "solutions" / f"{name}.py").read_text(encoding="utf-8") for name in stubs}
    right, untouched = outcomes(root, solved), outcomes(root, stubs)
    for test, passed in right.items():
        if not passed:
            yield f"exercises: {test} fails on the solution; mend the test or solutions/"
    for test, passed in untouched.items():
        if passed:
            yield f"exercises: {test} passes on the untouched stub; let it call what the student writes"
    for test in right.keys() - untouched.keys():
        yield f"exercises: {test} does not even start on the untouched stub; import inside what the student can see fail plainly"


def outcomes(root: Path, texts: Mapping[str, str]) -> dict[str, bool]:
    """Whether each visible test passes when exercises/ holds these texts."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in GIVEN:
            if (root / name).exists():
                shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        for name, text in texts.items():
            (copy / "exercises" / f"{name}.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "exercises", "-q", "-p", "no:cacheprovider", "--junitxml=result.xml"]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
        subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=LIMIT, check=False)  # noqa: S603 - our own tests on our own files
        return read(copy / "result.xml")


def read(file: Path) -> dict[str, bool]:
    """Tests by name from pytest's own result; none where there is no result."""
    if not file.exists():
        return {}
    cases = ElementTree.parse(file).iter("testcase")  # noqa: S314 - written by pytest a moment ago
    return {f"{case.get('classname')}.{case.get('name')}": case.find("failure") is None and case.find("error") is None for case in cases}
