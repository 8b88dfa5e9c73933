"""The guides of CONTRIBUTING work as they are pasted: a few commands, in a copy of the source tree."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.project import guides
from tests.project.guides import HEADINGS

ROOT = guides.ROOT
COPIED = (
    "src",
    "tests",
    "tools",
    "benchmarks",
    "docs",
    "examples",
    "README.md",
    "pyproject.toml",
    "Makefile",
)
MADE = {
    "README.md", "docs/judging_next.md", "docs/metrics.md", "docs/metrics/beyond.md", "docs/metrics/graded.md",
    "src/rankwell/__init__.pyi", "src/rankwell/metrics/__init__.pyi", "src/rankwell/metrics/names.py",
    "src/rankwell/reporting/plots/__init__.pyi",
}  # fmt: skip


def run(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program in the tree, which takes the place of the installed package."""
    return subprocess.run(words, cwd=tree, env=environment(tree), capture_output=True, text=True, check=False)


def environment(tree: Path) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # as the guides say before laws: one case of 25, another each minute, lets a wrong version pass now and then
    own = {"PATH": path, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}", "RANKWELL_CASES": "all"}
    return os.environ | own


def python(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run(tree, sys.executable, *words)


# Loading takes most of the time of a short run of tests, so one process runs the tests of several guides, one after the other.
TESTS = """
import os, sys
import pytest
for number, line in enumerate(sys.stdin):
    to = os.open(f"out{number}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(to, 1)
    os.dup2(to, 2)
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", *eval(line)])
    print(f"exit code {code:d}", flush=True)
"""


def pytest_in(tree: Path, *commands: list[str]) -> list[str]:
    """Return what each run of tests prints, whose last line is the exit code."""
    done = subprocess.run(
        [sys.executable, "-c", TESTS],
        cwd=tree,
        env=environment(tree),
        input="".join(f"{words!r}\n" for words in commands),
        text=True,
        check=False,
    )
    assert done.returncode == 0
    return [(tree / f"out{number}").read_text(encoding="utf-8") for number in range(len(commands))]


def rewrite(source: Path, text: str) -> None:
    """Write a module, and forget its compiled form: two versions of one length in one second would be taken for the same."""
    source.write_text(text, encoding="utf-8")
    for compiled in (source.parent / "__pycache__").glob(f"{source.stem}.*.pyc"):
        compiled.unlink()


def failed(said: str) -> set[str]:
    """The files of the tests that failed."""
    return set(re.findall(r"^(?:FAILED|ERROR) ([\w/.]+)", said, re.MULTILINE))


def content(tree: Path) -> dict[str, bytes]:
    return {
        path.relative_to(tree).as_posix(): path.read_bytes()
        for path in tree.rglob("*")
        if path.suffix in {".py", ".pyi", ".md", ".toml", ".json"} and "data" not in path.parts
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the source tree after the steps of all guides."""
    found = tmp_path_factory.mktemp("guides") / "tree"
    found.mkdir()
    for name in COPIED:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy2)(ROOT / name, found / name)
    for heading in HEADINGS.values():
        for line in guides.steps(heading):
            done = run(found, "bash", "-c", line)
            assert done.returncode == 0, (
                f"{line}\n{done.stderr}the lines around the example have changed: make its patch again with git diff -U2"
                if line.startswith("git apply")
                else f"{line}\n{done.stderr}"
            )
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


def test_each_example_has_a_guide_and_each_file_of_it_is_used():
    assert {path.name for path in guides.EXAMPLES.iterdir() if path.is_dir()} == {*HEADINGS}
    for folder, heading in HEADINGS.items():
        used = {
            word for line in guides.steps(heading) for word in line.split() if word.startswith("examples/")
        }
        files = {path.relative_to(ROOT).as_posix() for path in (guides.EXAMPLES / folder).glob("*.*")}
        assert used == files, heading


def test_a_guide_brings_files_then_generates_then_tests():
    places = {"make names": 1, "make test": 2}
    for heading in HEADINGS.values():
        lines = [line.removeprefix("RANKWELL_CASES=all ") for line in guides.commands(heading)]
        order = [places.get(line[:10].rstrip(), 0) for line in lines]
        assert order == sorted(order), heading
        assert order[-1] == 2, heading


def test_laws_are_tried_on_all_their_cases():
    lines = [line for heading in HEADINGS.values() for line in guides.commands(heading)]
    laws = [line for line in lines if "tests/laws" in line]
    assert len(laws) == 2
    assert all(line.startswith("RANKWELL_CASES=all make test ") for line in laws)


def test_the_code_that_the_guides_leave_is_in_the_style_of_the_others(tree):
    paths = [path for each in HEADINGS.values() for path in guides.files_of(each) if path.endswith(".py")]
    assert len(paths) == 14
    for words in (["check"], ["format", "--check", "--diff"]):
        done = python(tree, "-m", "ruff", *words, "--no-cache", *paths, *guides.patched())
        assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_generated_is_generated_by_the_command(tree, made):
    assert made == MADE
    index = (tree / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert "`half_life`" in index
    assert "`top_item`" in index
    methods = (tree / "docs" / "judging_next.md").read_text(encoding="utf-8")
    assert "| `rrf` | Reciprocal rank fusion" in methods


def test_the_tests_of_the_guides_pass(tree, made):
    for said in pytest_in(
        tree, *(words for heading in HEADINGS.values() for words in guides.tests_of(heading))
    ):
        assert said.endswith("exit code 0\n"), said
        assert " passed" in said


WRONG = {  # the example, its file, a fault, the command of the guide that catches it, and the test that fails
    "metric: another discount": ("metric", "half_life.py", "(hits.rank - 1)", "hits.rank", 0, "tests/definitions/test_half_life.py"),
    "metric: another denominator": ("metric", "half_life.py", "judged.n_relevant()", "judged.n_retrieved", 0, "tests/definitions/test_half_life.py"),
    "metric: a parameter without its text": ("metric", "half_life.py", "        half: the", "        halves: the", 0, "tests/inspection/test_explanation.py"),
    "metric: what lies beyond k": ("metric", "half_life.py", ".top(self.k)", "", 1, "tests/laws/test_laws.py"),
    "metric: a parameter that is ignored": ("metric", "half_life.py", "self.half - 1)", "5 - 1)", 1, "tests/laws/test_declared.py"),
    "metric: undefined without a hit": ("metric", "half_life.py", "judged.n_relevant())", "judged.n_relevant() * (hits.count() > 0))", 1, "tests/laws/test_declared.py"),
    "corpus metric: items that the catalogue lacks": ("corpus_metric", "top_item.py", "items[items >= 0]", "np.maximum(items, 0)", 0, "tests/definitions/test_top_item.py"),
    "corpus metric: 0 where nothing is shown": ("corpus_metric", "top_item.py", "else math.nan", "else 0.0 * math.pi", 0, "tests/definitions/test_top_item.py"),
    "corpus metric: the share of the lists": ("corpus_metric", "top_item.py", "/ shown if", "/ state.n if", 0, "tests/definitions/test_top_item.py"),
    "corpus metric: the last batch alone": ("corpus_metric", "top_item.py", "self.counts + other.counts", "other.counts", 1, "tests/laws/test_laws.py"),
    "reader: negated scores": ("reader", "pairs.py", "float(score)", "-float(score)", 0, "tests/readers/test_same_bits.py"),
    "reader: the last item dropped": ("reader", "pairs.py", "in pairs)", "in pairs[:-1])", 0, "tests/readers/test_same_bits.py"),
    "reader: takes all files for its own": ("reader", "pairs.py", 'start.startswith(b"#pairs")', 'start.startswith(b"")', 0, "tests/readers/test_same_bits.py"),
    "reader: bytes that are no text are left out": ("reader", "pairs.py", "line.decode()", 'line.decode(errors="ignore")', 0, "tests/readers/test_same_bits.py"),
    "reader: another name": ("reader", "pairs.py", "qrels_of(lists(file), name=name", 'qrels_of(lists(file), name="pairs"', 0, "tests/readers/test_same_bits.py"),
    "preset: a metric that was not run": ("preset", "pyntcireval.toml", 'rr = "rr"', 'rr = "rr"\nr = "r"', 0, "tests/evaluation/test_presets.py"),
    "preset: another denominator": ("preset", "pyntcireval.toml", 'ap = "ap"', 'ap = "ap(denom=R)"', 0, "tests/evaluation/test_presets.py"),
    "preset: users without a list left out": ("preset", "pyntcireval.toml", 'missing = "empty"', 'missing = "skip"', 0, "tests/evaluation/test_presets.py"),
    "judging method: another constant": ("judging_method", "rrf.py", "60 + lists.rank", "61 + lists.rank", 0, "tests/judging/methods/test_rules.py"),
    "judging method: called adaptive": ("judging_method", "rrf.py", "[bool] = False", "[bool] = True", 0, "tests/judging/methods/test_rules.py"),
    "picture: light on dark pages": ("picture", "means.py", ", dark=dark)", ")", 0, "tests/reporting/test_second.py"),
    "picture: twice the value": ("picture", "means.py", "res[metric]}", "2 * res[metric]}", 0, "tests/reporting/test_second.py"),
    "section: rows, not their mean": ("section", "lengths.py", "len(run) / len(run.queries)", "len(run)", 0, "tests/reporting/test_second.py"),
    "section: the place of another": ("section", "lengths.py", "order=115", "order=110", 0, "tests/reporting/test_second.py"),
    "option: without help": ("option", "understand.py", 'help="print the names alone, one to a line"', 'help=""', 0, "tests/cli/test_usage.py"),
    "option: what it stands beside is ignored": ("option", "understand.py", "table = catalogue(words)", "table = catalogue(() if names else words)", 0, "tests/cli/test_metrics_names.py"),
    "option: it is ignored": ("option", "understand.py", "    if names:", "    if names and False:", 0, "tests/cli/test_metrics_names.py"),
}  # fmt: skip


def rounds() -> list[list[str]]:
    """The names of wrong versions that are tried at once: one of each example, whose tests are its own."""
    by_example = [[name for name, (each, *_) in WRONG.items() if each == folder] for folder in HEADINGS]
    return [[name for name in names if name is not None] for names in itertools.zip_longest(*by_example)]


@pytest.mark.parametrize("names", rounds(), ids=range(1, len(rounds()) + 1))
def test_a_wrong_version_is_caught_by_the_commands_of_its_guide(tree, made, names):
    kept, commands = {}, []
    for folder, name, right, wrong, command, _ in map(WRONG.__getitem__, names):
        [source] = [path for path in (tree / "src").rglob(name) if right in path.read_text(encoding="utf-8")]
        kept[source] = source.read_text(encoding="utf-8")
        rewrite(source, kept[source].replace(right, wrong))
        commands.append(guides.tests_of(HEADINGS[folder])[command])
    printed = pytest_in(tree, *commands)
    for source, text in kept.items():
        rewrite(source, text)
    for name, said in zip(names, printed, strict=True):
        assert WRONG[name][-1] in failed(said), f"{name}\n{said}"


def test_a_wrong_version_of_each_is_tried():
    assert {folder for folder, *_ in WRONG.values()} == {*HEADINGS}


USE = """
import rankwell as rw
from rankwell.cli import run
from tests.reporting import second
assert "means" in rw.plot.__all__ and callable(rw.plot.means)
assert run(["plot", "--help"]) == 0
rw.evaluate(second.RUNS["bm25"], second.QRELS, ["rr"]).save("bm25.json")
assert run(["plot", "means", "none", "bm25.json", "-m", "rr", "-o", "means.svg"]) == 0
for lang in ("en", "ko"):
    found = rw.report(second.RUNS, second.QRELS, ["rr"], lang=lang, flips=99, resamples=99)
    page = found.to_html()
    assert ">How long the lists are</h2>" in page and '<data value="8.0">8.0000</data>' in page
"""


def test_a_picture_and_a_section_are_found_by_being_there_and_in_english_where_nobody_translated_them(tree):
    done = python(tree, "-W", "ignore", "-c", USE)
    assert done.returncode == 0, done.stderr
    listed = " ".join(done.stdout.replace("│", " ").split())
    assert "means Draw the mean of the first metric of each system as a bar" in listed
    assert (tree / "means.svg").read_text(encoding="utf-8").startswith("<svg")


def test_who_leaves_the_test_out_is_told_what_to_write(tree, made):
    paths = [tree / path for each in HEADINGS.values() for path in guides.files_of(each) if "/test_" in path]
    kept = {path: path.read_text(encoding="utf-8") for path in paths}
    for path in paths:
        path.unlink()
    [said] = pytest_in(
        tree,
        [
            "tests/definitions/test_plain.py",
            "tests/judging/methods/test_rules.py",
            "tests/readers/test_same_bits.py",
            "tests/reporting/test_second.py",
            "-k",
            "every_metric or rrf or means or lengths or back_what_was_written",
        ],
    )
    for path, text in kept.items():
        path.write_text(text, encoding="utf-8")
    assert "write tests/definitions/test_NAME.py for ['half_life', 'top_item']" in said
    assert "write tests/judging/methods/test_rrf.py with a class Plain(slow.Turns)" in said
    assert "write tests/readers/test_pairs.py with a dict FILES" in said
    assert "write tests/reporting/plots/test_means.py with a function plain()" in said
    assert "write tests/reporting/sections/test_lengths.py with a function plain()" in said
