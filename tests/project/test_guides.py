"""The guides of CONTRIBUTING work as they are pasted: a few files and one command, in a copy of the source tree."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.project import guides

from rankwell.metrics.metric import REGISTRY

ROOT = guides.ROOT
COPIED = ("src", "tests", "tools", "docs", "README.md", "pyproject.toml", "Makefile")
METRIC, METHOD = "Add a metric", "Add a judging method"
PICTURE, SECTION = "Add a picture", "Add a section to the report"
GUIDES = METRIC, METHOD, PICTURE, SECTION
MADE = {
    "README.md", "docs/judging_next.md", "docs/metrics.md", "docs/metrics/graded.md", "src/rankwell/__init__.pyi",
    "src/rankwell/metrics/__init__.pyi", "src/rankwell/metrics/names.py", "src/rankwell/reporting/plots/__init__.pyi",
}  # fmt: skip


def python(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the tree, which takes the place of the installed package."""
    environment = os.environ | {"PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}"}
    return subprocess.run(
        [sys.executable, *words], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )


def pytest_in(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return python(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", *words)


def failed(done: subprocess.CompletedProcess[str]) -> set[str]:
    """The files of the tests that failed."""
    return set(re.findall(r"^(?:FAILED|ERROR) ([\w/.]+)", done.stdout, re.MULTILINE))


def content(tree: Path) -> dict[str, bytes]:
    return {
        path.relative_to(tree).as_posix(): path.read_bytes()
        for path in tree.rglob("*")
        if path.suffix in {".py", ".pyi", ".md", ".toml", ".json"} and "data" not in path.parts
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the source tree with the files of the guides, after the one command."""
    found = tmp_path_factory.mktemp("guides") / "tree"
    found.mkdir()
    for name in COPIED:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy2)(ROOT / name, found / name)
    for heading in GUIDES:
        for path, text in guides.files_of(heading).items():
            with (found / path).open("a" if path.endswith(".toml") else "x", encoding="utf-8") as file:
                file.write(f"\n{text}" if path.endswith(".toml") else text)
    return found


@pytest.fixture(scope="module")
def made(tree):
    """What `make names` writes."""
    before = content(tree)
    recipe = re.search(
        r"^names:.*\n((?:\t.*\n)+)", (tree / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert recipe is not None
    for line in recipe[1].splitlines():
        done = python(tree, *line.strip().removeprefix("$(BIN)/python ").split())
        assert done.returncode == 0, done.stderr
    after = content(tree)
    return {path for path in after if after[path] != before.get(path)}


def test_a_guide_shows_two_files_and_one_command():
    for heading in (METRIC, METHOD):
        source, test = guides.files_of(heading)
        assert source.startswith("src/")
        assert test.startswith("tests/")
        commands = re.findall(r"^make .*", guides.guide(heading), re.MULTILINE)
        assert commands[0] == "make names"
        assert all(command.startswith("make test ") for command in commands[1:])


def test_the_files_are_in_the_style_of_the_others(tree):
    paths = [
        path for each in (*GUIDES, "Add a reader") for path in guides.files_of(each) if path.endswith(".py")
    ]
    for path, text in guides.files_of("Add a reader").items():
        (tree / path).write_text(text, encoding="utf-8")
    for words in (["check"], ["format", "--check", "--diff"]):
        done = python(tree, "-m", "ruff", *words, "--no-cache", *paths)
        assert done.returncode == 0, done.stdout + done.stderr
    for path in guides.files_of("Add a reader"):
        (tree / path).unlink()


def test_what_is_made_of_a_metric_and_a_method_is_made_by_the_command(tree, made):
    assert made == MADE
    assert "`half_life`" in (tree / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert "| `rrf` | Reciprocal rank fusion" in (tree / "docs" / "judging_next.md").read_text(
        encoding="utf-8"
    )


def test_the_commands_of_the_guides_pass(tree, made):
    for heading in GUIDES:
        for words in guides.tests_of(heading):
            done = pytest_in(tree, *words)
            assert done.returncode == 0, done.stdout
            assert " passed" in done.stdout


WRONG_METRICS = {  # a fault, the command of the guide, and the test that catches it
    "another discount": ("(hits.rank - 1)", "hits.rank", 0, "tests/definitions/test_half_life.py"),
    "another denominator": ("judged.n_relevant()", "judged.n_retrieved", 0, "tests/definitions/test_half_life.py"),
    "a parameter without its text": ("        half: the", "        halves: the", 0, "tests/inspection/test_explanation.py"),
    "what lies beyond k": (".top(self.k)", "", 1, "tests/laws/test_laws.py"),
}  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "command", "file"), WRONG_METRICS.values(), ids=[*WRONG_METRICS])
def test_a_wrong_metric_is_caught_by_the_commands_of_its_guide(tree, made, right, wrong, command, file):
    [source, _] = guides.files_of(METRIC)
    text = (tree / source).read_text(encoding="utf-8")
    assert right in text
    (tree / source).write_text(text.replace(right, wrong), encoding="utf-8")
    done = pytest_in(tree, *guides.tests_of(METRIC)[command])
    (tree / source).write_text(text, encoding="utf-8")
    assert file in failed(done), done.stdout


def test_a_wrong_method_is_caught_by_the_command_of_its_guide(tree, made):
    [source, _] = guides.files_of(METHOD)
    text = (tree / source).read_text(encoding="utf-8")
    (tree / source).write_text(text.replace("60 + lists.rank", "61 + lists.rank"), encoding="utf-8")
    [words] = guides.tests_of(METHOD)
    done = pytest_in(tree, *words)
    (tree / source).write_text(text, encoding="utf-8")
    assert failed(done) == {"tests/judging/methods/test_rules.py"}
    assert "[rrf]" in done.stdout


USE = """
import rankwell as rw
from rankwell.cli import run
from tests.reporting import second
assert "means" in rw.plot.__all__ and callable(rw.plot.means)
assert run(["plot", "--help"]) == 0
rw.evaluate(second.RUNS["bm25"], second.QRELS, ["rr"]).save("bm25.json")
assert run(["plot", "means", "none", "bm25.json", "-m", "rr", "-o", "means.svg"]) == 0
for lang in ("en", "ko"):
    found = rw.report(second.RUNS, qrels=second.QRELS, metrics=["rr"], lang=lang, flips=99, resamples=99)
    page = found.to_html()
    assert ">How long the lists are</h2>" in page and '<data value="8.0">8.0000</data>' in page
"""


def test_a_picture_and_a_section_are_found_by_being_there_and_in_english_where_nobody_translated_them(tree):
    done = python(tree, "-W", "ignore", "-c", USE)
    assert done.returncode == 0, done.stderr
    listed = " ".join(done.stdout.replace("│", " ").split())
    assert "means Draw the mean of the first metric of each system as a bar." in listed
    assert (tree / "means.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("heading", "right", "wrong"),
    [(PICTURE, "res[metric]}", "2 * res[metric]}"), (SECTION, "len(run) / len(run.queries)", "len(run)")],
)
def test_a_wrong_picture_or_section_is_caught_by_the_command_of_its_guide(tree, made, heading, right, wrong):
    source, *_ = guides.files_of(heading)
    text = (tree / source).read_text(encoding="utf-8")
    assert right in text
    (tree / source).write_text(text.replace(right, wrong), encoding="utf-8")
    [words] = guides.tests_of(heading)
    done = pytest_in(tree, *words)
    (tree / source).write_text(text, encoding="utf-8")
    assert failed(done) == {"tests/reporting/test_second.py"}


def test_who_leaves_the_test_out_is_told_what_to_write(tree, made):
    tests = [tree / path for each in GUIDES for path in guides.files_of(each) if path.startswith("tests/")]
    kept = {path: path.read_text(encoding="utf-8") for path in tests}
    for path in tests:
        path.unlink()
    done = pytest_in(
        tree,
        "tests/definitions/test_plain.py",
        "tests/judging/methods/test_rules.py",
        "tests/reporting/test_second.py",
        "-k",
        "every_metric or rrf or means or lengths",
    )
    for path, text in kept.items():
        path.write_text(text, encoding="utf-8")
    assert "write tests/definitions/test_NAME.py for ['half_life']" in done.stdout
    assert "write tests/judging/methods/test_rrf.py with a class Plain(slow.Turns)" in done.stdout
    assert "write tests/reporting/plots/test_means.py with a function plain()" in done.stdout
    assert "write tests/reporting/sections/test_lengths.py with a function plain()" in done.stdout


def test_the_other_examples_run_as_they_stand():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    told: list[str] = []
    names = {"__name__": "__main__"}
    test = parser.get_doctest(guides.examples(), names, "CONTRIBUTING.md", "CONTRIBUTING.md", 0)
    assert len(test.examples) > 10
    before = dict(REGISTRY)
    runner.run(test, out=told.append)
    for name in REGISTRY.keys() - before.keys():  # what the examples defined
        del REGISTRY[name]
    assert runner.summarize(verbose=False).failed == 0, "".join(told)
