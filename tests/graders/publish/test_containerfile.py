"""The container image's file: what can be known of it without a container engine."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FILE = (ROOT / "docs/Containerfile").read_text(encoding="utf-8")
LINES = [line for line in FILE.replace("\\\n", " ").splitlines() if line and not line.startswith("#")]
STEPS = [tuple(line.split(maxsplit=1)) for line in LINES]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def of(kind):
    return [words for name, words in STEPS if name == kind]


@pytest.fixture
def image(tmp_path):
    """The folder /kit as the steps fill it."""
    for words in of("COPY"):
        *sources, target = words.split()
        for source in sources:
            place = tmp_path / target
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, place)
    return tmp_path


def test_every_path_is_there_and_named_once():
    sources = [source for words in of("COPY") for source in words.split()[:-1]]
    assert len(sources) == len(set(sources)) > 5
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_python_is_one_that_the_kit_runs_on_and_the_wall_has_its_programs():
    [base] = of("FROM")
    assert tuple(map(int, re.search(r"python:(\d+)\.(\d+)", base).groups())) >= tuple(map(int, PROJECT["requires-python"].strip(">=").split(".")))
    [packages] = [words for words in of("RUN") if "apt-get install" in words]
    assert {"bubblewrap", "libseccomp2"} <= set(packages.split())


def test_what_pip_installs_is_pinned_and_known():
    [installs] = [words for words in of("RUN") if "pip install" in words]
    lines = re.findall(r"pip install ([^&;]*)", installs)
    assert all("-c constraints.txt" in line for line in lines)
    [extras] = re.findall(r'"\.\[([\w,]+)\]"', installs)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    pinned = {line.partition("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    wanted = [*PROJECT["dependencies"], *(need for extra in extras.split(",") for need in PROJECT["optional-dependencies"][extra])]
    assert {re.match(r"[\w-]+", need)[0].lower() for need in wanted} <= pinned
    assert f"pip uninstall --yes {PROJECT['name']}" in installs


def test_the_kit_can_be_installed_from_what_is_copied_before(image):
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--no-index", "--no-build-isolation", "-q", "."]
    done = subprocess.run(command, cwd=image, capture_output=True, text=True, timeout=120, check=False)
    if "setuptools" in done.stderr and "No module" in done.stderr:
        pytest.skip("setuptools is not installed here")
    assert done.returncode == 0, done.stderr


def test_whoever_grades_is_not_root_and_the_entry_point_grades(image):
    kinds = [name for name, _ in STEPS]
    assert kinds.index("USER") < kinds.index("ENTRYPOINT")
    assert of("USER") != ["root"]
    command = [sys.executable, *json.loads(of("ENTRYPOINT")[0])[1:]]
    settings = dict(word.split("=") for words in of("ENV") for word in words.split())
    done = subprocess.run(
        [*command, "grade", "examples/submissions/unfinished", "--json", "--seed", "7"],
        cwd=image,
        env={"PATH": "/usr/bin:/bin", "HOME": str(image), **settings},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["label"] == "unfinished"
