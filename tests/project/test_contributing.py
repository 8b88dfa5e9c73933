"""The guides of CONTRIBUTING to pictures and sections: their files, put into a copy of the package, are found, drawn and checked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILE = re.compile(r"`((?:src|tests)/[^`]+\.\w+)`:\n\n```\w+\n(?!>>>)(.*?)\n```", re.DOTALL)
PICTURE, SECTION = "src/rankwell/reporting/plots/means.py", "src/rankwell/reporting/sections/lengths.py"
COMPARE = "from tests.reporting.second import compare; print(compare({!r}, {!r}))"
USE = """
import warnings
import rankwell as rw
from rankwell.cli import run
from tests.reporting import second
warnings.simplefilter("ignore")
assert "means" in rw.plot.__all__ and callable(rw.plot.means)
assert run(["plot", "--help"]) == 0
rw.evaluate(second.RUNS["bm25"], second.QRELS, ["rr"]).save("bm25.json")
assert run(["plot", "means", "none", "bm25.json", "-m", "rr", "-o", "means.svg"]) == 0
for lang in ("en", "ko"):
    found = rw.report(second.RUNS, qrels=second.QRELS, metrics=["rr"], lang=lang, flips=99, resamples=99)
    assert found.section("lengths").title == "How long the lists are"
    page = found.to_html()
    assert ">How long the lists are</h2>" in page and '<data value="8.0">8.0000</data>' in page
"""


def put(target, path, text):
    """Write a file into a copy of the repository; folders on its way are linked file by file, and what is there is added to."""
    here, there = ROOT, target
    for part in Path(path).parts[:-1]:
        here, there = here / part, there / part
        if there.is_symlink() or not there.exists():
            there.unlink(missing_ok=True)
            there.mkdir()
            for each in here.iterdir():
                if each.name != "__pycache__":
                    (there / each.name).symlink_to(each)
    file = there / Path(path).name
    before = file.read_text(encoding="utf-8") + "\n" if file.exists() else ""
    file.unlink(missing_ok=True)
    file.write_text(f"{before}{text}\n", encoding="utf-8")


def done(target, code):
    """Run code with the copy."""
    paths = os.pathsep.join([str(target / "src"), str(target)])
    return subprocess.run(
        [sys.executable, "-c", code], cwd=target, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def contributed(tmp_path_factory):
    """A copy of the repository with the picture and the section of the guide."""
    target = tmp_path_factory.mktemp("contributed")
    files = FILE.findall(GUIDE)
    assert {PICTURE, SECTION} <= {path for path, _ in files}
    for path, text in files:
        put(target, path, text)
    return target


def test_the_files_of_the_guide_are_as_the_linters_want_them(contributed):
    files = [path for path, _ in FILE.findall(GUIDE) if path.endswith(".py")]
    assert len(files) == 4
    for words in (["check", "-q"], ["format", "--check", "-q"]):
        call = [
            sys.executable,
            "-m",
            "ruff",
            *words,
            "--no-cache",
            "--config",
            str(ROOT / "pyproject.toml"),
            *files,
        ]
        found = subprocess.run(call, cwd=contributed, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stdout + found.stderr


def test_a_picture_and_a_section_of_the_guide_are_found_by_being_there(contributed):
    found = done(contributed, USE)
    assert found.returncode == 0, found.stderr
    assert "means" in found.stdout
    assert "Draw the mean of the first metric of each system as a bar." in " ".join(
        found.stdout.replace("│", " ").split()
    )
    assert (contributed / "means.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("folder", "name", "path", "right", "wrong"),
    [
        ("plots", "means", PICTURE, "res[metric]}", "2 * res[metric]}"),
        ("sections", "lengths", SECTION, "len(run) / len(run.queries)", "len(run)"),
    ],
    ids=["picture", "section"],
)
def test_a_wrong_version_of_it_is_caught_and_one_without_a_second_version_too(
    contributed, folder, name, path, right, wrong
):
    assert done(contributed, COMPARE.format(folder, name)).stdout == "3\n"
    file = contributed / path
    text = file.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    assert "AssertionError" in done(contributed, COMPARE.format(folder, name)).stderr
    file.write_text(text, encoding="utf-8")
    (contributed / "tests" / "reporting" / folder / f"test_{name}.py").unlink()
    assert (
        f"write tests/reporting/{folder}/test_{name}.py"
        in done(contributed, COMPARE.format(folder, name)).stderr
    )
