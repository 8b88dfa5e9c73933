"""Optional rooms are optional: without one of them the rest is imported, prints its help and runs the demo."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankwell
from rankwell.faces import rooms

PACKAGE = Path(rankwell.__file__).parent
FRAMEWORKS = tuple(
    f"compat/{name}.py"
    for name in ("lightning", "mteb", "sentence_transformers", "torchmetrics", "transformers")
)
SPARK = "evaluation/engines/spark"
COMPARISON = Path(__file__).parents[1] / "data" / "saved" / "every_kind" / "comparison.json"

# imports every module; what another package lacks is no matter, a room that is missed is. Frameworks take seconds to load, so none is there
CODE = """
import contextlib, importlib, io, pkgutil, sys
sys.modules |= dict.fromkeys(("torch", "torchmetrics", "lightning", "transformers", "sentence_transformers", "mteb", "jax"))
import rankwell
from rankwell.cli import run
from rankwell.errors import NotInstalledError
assert rankwell.__file__.startswith(sys.argv[1]), rankwell.__file__
names = [each.name for each in pkgutil.walk_packages(rankwell.__path__, "rankwell.", onerror=lambda name: None)]
for name in names:
    if name == "rankwell.__main__":
        continue
    try:
        importlib.import_module(name)
    except ImportError as error:
        assert isinstance(error, NotInstalledError) or not error.name.startswith("rankwell"), (name, error)
for words in (["--help"], ["plot", "--help"], ["compare", "--help"], ["demo"]):
    with contextlib.redirect_stdout(io.StringIO()) as told:
        assert run(words) == 0, words
    print(told.getvalue())
print(len(names), "modules;", *rankwell.plot.__all__)
"""


def without(folder: Path, gone: tuple[str, ...]) -> Path:
    """A package of links to the files of this one, but for those that are gone."""
    made = folder / "rankwell"

    def link(own: Path, new: Path) -> None:
        new.mkdir()
        for each in own.iterdir():
            name = each.relative_to(PACKAGE).as_posix()
            if name in gone:
                continue
            if each.is_dir() and each.name != "__pycache__":  # what is compiled is compiled
                link(each, new / each.name)
            else:
                (new / each.name).symlink_to(each)

    link(PACKAGE, made)
    return made


@pytest.mark.parametrize(
    "gone",
    [*((room,) for room in rooms()), (SPARK,), FRAMEWORKS, (*rooms(), SPARK, *FRAMEWORKS)],
    ids=lambda gone: "+".join(Path(each).stem for each in gone),
)
def test_without_an_optional_room_the_rest_works(gone, tmp_path):
    assert all((PACKAGE / each).exists() for each in gone)
    made = without(tmp_path, gone)
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(made)],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "One name, 5 meanings" in done.stdout
    assert ("  judging " in done.stdout) == ("judging" not in gone)
    assert ("latency" in done.stdout.splitlines()[-1]) == ("efficiency" not in gone)


def program(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What the package in a folder answers to a command line."""
    return subprocess.run(
        [sys.executable, "-m", "rankwell", *words],
        env=os.environ | {"PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_comparison_that_was_saved_with_costs_is_shown_without_the_room_that_measured_them(tmp_path):
    without(tmp_path, ("efficiency",))
    assert '"costs": {' in COMPARISON.read_text(encoding="utf-8")
    done = program(tmp_path, "report", str(COMPARISON), "-o", "page.html")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").exists()


def test_a_file_of_a_room_that_is_missing_says_so(tmp_path):
    without(tmp_path, ("efficiency",))
    (tmp_path / "costs.json").write_text('{"format": "rankwell costs", "version": 1}')
    done = program(tmp_path, "compare", "none", "costs.json", "costs.json", "-m", "rr")
    assert done.returncode == 2, done.stderr
    assert done.stderr == (
        "rankwell: costs.json: files of rankwell costs are read by a part of rankwell that is not installed.\n"
    )
