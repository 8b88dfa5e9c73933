"""The pytest plugin: what a test is told, what the report holds, and what it costs who asks nothing of it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import rankwell as rw

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
PLUGIN = ("-p", "pytest_rankwell", "-p", "no:cacheprovider")
# a system that finds the only relevant item of each query at the rank that a file says
TEST = """
from pathlib import Path
import pytest
QRELS = {f"q{number}": {"d": 1} for number in range(80)}
def run():
    rank = int(Path(__file__).with_name("rank.txt").read_text())
    return {query: [f"x{place}" for place in range(1, rank)] + ["d"] for query in QRELS}
"""
ONE = "def test_search(ranking_baseline):\n    ranking_baseline(run(), QRELS, ['rr'], max_drop=0.01)\n"


@pytest.fixture(scope="module", autouse=True)
def _loaded(tmp_path_factory):
    """Load what the plugin will: pytester forgets each module that a run within this process loads, and NumPy refuses to come twice."""
    path = tmp_path_factory.mktemp("loaded") / "accepted.json"
    qrels = {str(query): {"d": 1} for query in range(80)}
    rw.evaluate({query: ["d"] for query in qrels}, qrels, ["rr"]).save(path)
    str(rw.gate({query: ["x", "d"] for query in qrels}, qrels, ["rr"], baseline=path))


@pytest.fixture
def suite(pytester):
    """A suite with a rank that can be changed; it is run in this process, with the plugin."""

    def run(*options, rank=1, body=ONE):
        pytester.path.joinpath("rank.txt").write_text(str(rank))
        pytester.makepyfile(test_it=TEST + body)
        return pytester.runpytest_inprocess(*PLUGIN, *options)

    return run


def test_a_worse_run_fails_with_the_sentence_of_the_gate_and_an_accepted_one_passes(suite, pytester):
    suite("--ranking-baseline-update").assert_outcomes(passed=1)
    suite().assert_outcomes(passed=1)
    worse = suite(rank=2)
    worse.assert_outcomes(failed=1)
    # the first line, which the short summary repeats; 1 at rank 1, a half at rank 2
    worse.stdout.fnmatch_lines([
        "FAIL: rr: the drop is certain and larger than 0.01",
        "If this is meant, pytest --ranking-baseline-update accepts it, and writes *test_it?test_search.json.",
        "*rankings against their accepted values*",
        "test_it.py::test_search  rr  1.0000 → 0.5000, fail: the drop is certain and larger than 0.01",
    ])  # fmt: skip
    suite("--ranking-baseline-update", rank=2).stdout.fnmatch_lines(["*rr  0.5000, accepted"])
    suite(rank=2).assert_outcomes(passed=1)
    assert rw.Results.load(pytester.path / "ranking_baselines/test_it/test_search.json")["rr"] == 0.5


def test_nothing_is_written_but_when_asked_for(suite, pytester):
    missing = suite()
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(
        [
            "*there are no accepted values. Write them by pytest --ranking-baseline-update, and commit the file."
        ]
    )
    assert not (pytester.path / "ranking_baselines").exists()
    suite("--ranking-baseline-update")
    [file] = (pytester.path / "ranking_baselines").rglob("*.*")
    before = file.read_bytes()
    suite(rank=2)
    assert file.read_bytes() == before
    suite("--ranking-baseline-update")
    assert file.read_bytes() == before


def test_each_test_and_each_name_has_a_file_of_its_own(suite, pytester):
    body = """
class TestIt:
    @pytest.mark.parametrize("text", ["a/b", "a%2Fb", "../c"])
    def test_search(self, text, ranking_baseline):
        ranking_baseline(run(), QRELS, "rr")
        ranking_baseline(run(), QRELS, "rr", name="dense")
def test_twice(ranking_baseline):
    ranking_baseline(run(), QRELS, "rr")
    ranking_baseline(run(), QRELS, "rr")
"""
    found = suite("--ranking-baseline-update", "--ranking-baseline", "eval/kept", body=body)
    found.assert_outcomes(passed=3, failed=1)
    found.stdout.fnmatch_lines(["ranking_baseline is called twice; give each call a name of its own*"])
    files = [path.relative_to(pytester.path).as_posix() for path in pytester.path.rglob("*.json")]
    tests = ["a%2Fb", "a%252Fb", "..%2Fc"]
    assert sorted(files) == sorted([
        *(f"eval/kept/test_it/TestIt.test_search[{text}]{name}.json" for text in tests for name in ("", "-dense")),
        "eval/kept/test_it/test_twice.json",
    ])  # fmt: skip


def test_results_alone_and_every_option_of_the_gate_are_taken(suite):
    body = """
import rankwell as rw
def test_search(ranking_baseline):
    verdict = ranking_baseline(rw.evaluate(run(), QRELS, ["rr", "hit@5"]), minimum={"rr": 0.4}, strict=True)
    assert [each.check.name for each in verdict.checks] == ["rr", "hit@5"]
"""
    suite("--ranking-baseline-update", body=body).assert_outcomes(passed=1)
    suite(body=body).assert_outcomes(passed=1)
    low = suite("--ranking-baseline-update", body=body, rank=4)
    low.assert_outcomes(failed=1)
    low.stdout.fnmatch_lines(["FAIL: rr at least 0.4: the mean is 0.25"])
    low.stdout.no_fnmatch_line("*If this is meant*")


def test_what_the_gate_refuses_is_one_sentence(suite):
    suite("--ranking-baseline-update")
    found = suite(body=ONE.replace("['rr']", "['ap']"))
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*ap was not evaluated; its metrics are rr*"])
    found.stdout.no_fnmatch_line("*Traceback*")
    found.stdout.no_fnmatch_line("*rankwell*.py:*")
    suite("--tb=line", body=ONE.replace("['rr']", "['ap']")).stdout.no_fnmatch_line("*During handling*")


def test_numbers_reach_the_report_and_junit_from_other_processes(suite, pytester):
    grouped = ONE.replace("def ", "@pytest.mark.xdist_group('one')\ndef ")
    suite("--ranking-baseline-update", body=grouped)
    pytester.path.joinpath("rank.txt").write_text("2")
    options = "-n", "1", "--dist", "loadgroup", "--junit-xml", "report.xml"
    found = pytester.runpytest_subprocess(*PLUGIN, *options)
    found.stdout.fnmatch_lines(["*test_search*  rr  1.0000 → 0.5000, fail: *"])
    case = ET.parse(pytester.path / "report.xml").find(".//testcase")
    properties = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert properties == {
        "ranking rr": "0.5",
        "ranking rr baseline": "1.0",
        "ranking rr verdict": "1.0000 → 0.5000, fail: the drop is certain and larger than 0.01",
        "ranking lost queries at most 1%": "0.0",
    }


def test_junit_gets_the_numbers_without_a_warning(suite):
    # of the fixture record_property pytest warns, as its own form of the file is xunit2
    suite("--ranking-baseline-update", "-W", "error", "--junit-xml", "report.xml").assert_outcomes(passed=1)


def test_a_run_of_pytest_that_does_not_use_it_loads_the_plugin_alone(pytester):
    pytester.makepyfile("def test_nothing():\n    pass")
    pytester.makeconftest(
        "import sys\ndef pytest_unconfigure():\n    print('\\nloaded', *sorted(sys.modules))"
    )
    loaded = []
    for choice in ("no:pytest_rankwell", "pytest_rankwell"):
        command = [sys.executable, "-m", "pytest", "-p", choice]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=pytester.path)
        [line] = [line for line in done.stdout.splitlines() if line.startswith("loaded ")]
        loaded.append(set(line.split()))
        assert "ranking" not in done.stdout
    more = {name.partition(".")[0] for name in loaded[1] - loaded[0]}
    assert "pytest_rankwell" in more
    assert more - {"pytest_rankwell"} <= sys.stdlib_module_names


def test_pytest_finds_it_by_its_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"] == {"pytest11": {"pytest_rankwell": "pytest_rankwell"}}
    assert project["tool"]["setuptools"]["py-modules"] == ["pytest_rankwell"]
    assert (ROOT / "src" / "pytest_rankwell.py").is_file()
