"""Folders that hold only what students receive."""

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def handed_out(tmp_path):
    """The stubs and what is given."""
    for name in ("exercises", "tiny_lm"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.fixture
def solved(handed_out):
    """The same with the solutions in the place of the stubs."""
    for file in (ROOT / "solutions").glob("[!_]*.py"):
        shutil.copy(file, handed_out / "exercises")
    return handed_out
