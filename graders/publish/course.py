"""An nbgrader course: what its files should say goes out, and can be written or compared with a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template

from graders.engine.kit import read_kit
from graders.engine.lesson import read_lessons
from graders.model import KitError
from graders.publish.weave import Loom, weave

GIVEN = ("tiny_lm", "lessons")
PROJECT = Path(__file__).parent / "student/project.toml"  # as in a release
CONFIG = "nbgrader_config.py"
MARK = "# Written by `python -m graders notebook`, and written again by it. Remove this line to keep changes of your own."
STEPS = f'''{MARK}
# nbgrader asks the kit's engine: no code of a student runs in nbgrader's own process or in a kernel. The kit must be installed beside nbgrader.
c = get_config()  # noqa: F821 - nbgrader provides it
c.Autograde.exporter_class = "graders.faces.nbgrader.lenient.Lenient"
c.Autograde.pre_convert_hook = "graders.faces.nbgrader.lenient.before"
c.Autograde.sanitize_preprocessors = [
    "graders.faces.nbgrader.restore.restore",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "graders.faces.nbgrader.steps.grade",  # in place of nbgrader.preprocessors.Execute
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "graders.faces.nbgrader.steps.flag",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
'''


def course(root: Path) -> Mapping[str, str]:
    """The files of the course of the kit in `root`, by their paths in it. Raises KitError where the content does not hold together."""
    kit = read_kit(root)
    files = {CONFIG: STEPS}
    for name, lesson in read_lessons(root).items():
        folder = f"source/{name}"
        files[f"{folder}/{name}.ipynb"] = weave(Loom(kit, name, lesson))
        files[f"{folder}/pyproject.toml"] = Template(PROJECT.read_text(encoding="utf-8")).substitute(version=kit.version.split("+")[0])
        files |= {f"{folder}/{path}": text for path, text in given(root)}
    return files


def given(root: Path) -> Iterator[tuple[str, str]]:
    """What a notebook imports: paths below the kit's folder, and texts."""
    for folder in GIVEN:
        for file in sorted((root / folder).glob("*.py")):
            yield f"{folder}/{file.name}", file.read_text(encoding="utf-8")


def outdated(files: Mapping[str, str], folder: Path) -> tuple[str, ...]:
    """The paths of a course that are missing in a folder, or say something else than they should. A config of the instructor's own is none."""
    return tuple(path for path, text in files.items() if not _stands(folder / path, text))


def write_course(files: Mapping[str, str], folder: Path) -> tuple[str, ...]:
    """Write into a folder what is outdated there; the paths written. Raises KitError where that is not possible."""
    changed = outdated(files, folder)
    try:
        for path in changed:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(files[path], encoding="utf-8", newline="\n")
    except OSError as error:
        raise KitError(f"{folder}: the course cannot be written ({error.strerror or error}); name another folder") from None
    return changed


def _stands(file: Path, text: str) -> bool:
    try:
        found = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return found == text or (file.name == CONFIG and MARK not in found)
