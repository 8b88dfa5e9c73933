"""What is not needed is not loaded. Each case is a fresh Python that prints its sys.modules."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = {"numpy", "polars", "scipy", "msgspec", "pandas", "pyarrow", "rich", "cyclopts", "rankwell.cli"}

QRELS = """\
q1 0 a 1
q1 0 b 0
q1 0 c 1
q2 0 a 0
q2 0 d 1
"""
RUN = """\
q1 Q0 a 1 9.0 bm25
q1 Q0 b 2 8.0 bm25
q1 Q0 c 3 7.0 bm25
q2 Q0 a 1 5.0 bm25
q2 Q0 d 2 4.0 bm25
"""


def loaded_by(code: str, *arguments: str) -> set[str]:
    """The names in sys.modules after the code has run in a Python of its own."""
    ending = "\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code + ending, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_bare_python_loads_none_of_it():
    # An editable install or a plug-in of the environment that loads NumPy would make the other tests say nothing.
    assert not loaded_by("") & HEAVY


def test_importing_the_package_loads_no_library():
    modules = loaded_by("import rankwell")
    assert "rankwell" in modules
    assert not modules & HEAVY


def test_asking_for_the_version_loads_no_library():
    modules = loaded_by("""
import sys
from rankwell.__main__ import main
sys.argv = ["rankwell", "--version"]
try:
    code = main()
except SystemExit as exit:
    code = exit.code
assert not code, code
""")
    assert "rankwell.__main__" in modules
    assert not modules & HEAVY


def test_a_measured_process_begins_with_no_library():
    assert not loaded_by("import rankwell.efficiency.worker") & (HEAVY | {"rankwell.efficiency.costs"})


def test_no_package_loads_scipy_before_a_test_or_an_estimate_needs_it():
    packages = (
        "cli.main comparison efficiency evaluation inspection judging prepare reporting results statistics"
    )
    of_all = "[getattr(face, name) for face in (rankwell.judging, rankwell.prepare) for name in face.__all__]"
    modules = loaded_by("\n".join([*(f"import rankwell.{name}" for name in packages.split()), of_all]))
    assert "rankwell.judging.consensus" in modules
    assert "scipy" not in modules


def test_the_help_of_every_command_is_written_without_what_the_command_computes_with():
    modules = loaded_by("""
import io, sys
from contextlib import redirect_stdout
from rankwell.cli import run
from rankwell.cli.commands import homes
# ndeval has no help, as NIST's has none; the help of a picture is made of what draws it
wanted = [words for words in homes() if words[0] not in ("ndeval", "plot")]
for words in [[], ["plot"], *wanted]:
    with redirect_stdout(io.StringIO()) as told:
        assert run([*words, "--help"]) == 0, words
    assert "Usage" in told.getvalue() or "usage" in told.getvalue(), words
""")
    assert "rankwell.cli.compare" in modules
    assert "rankwell.judging.command" in modules
    assert not modules & (HEAVY - {"rich", "cyclopts", "rankwell.cli"})


def test_commands_on_trec_files_load_no_frame_library(tmp_path):
    qrels, run, other = (tmp_path / name for name in ("qrels.txt", "bm25.run", "dense.run"))
    qrels.write_text(QRELS, encoding="utf-8")
    run.write_text(RUN, encoding="utf-8")
    other.write_text(RUN.replace("a 1 9.0", "a 1 7.5"), encoding="utf-8")
    modules = loaded_by(
        """
import io, sys
from contextlib import redirect_stdout
from rankwell.cli import run
qrels, old, new = sys.argv[1:]
asked = ["-m", "ap"]
for words in (
    ["evaluate", qrels, old, new, *asked],
    ["compare", qrels, old, new, *asked],
    ["diff", qrels, old, new, *asked],
    ["gate", qrels, new, "--baseline", old, *asked],
    ["agreement", qrels, old, new, *asked, "-m", "rr"],
    ["lint", qrels, old],
    ["rosetta", qrels, old, "--metric", "map"],
    ["judging", "next", qrels, old, new],
):
    with redirect_stdout(io.StringIO()) as told:
        assert run(words) in (0, 1), words
    assert told.getvalue(), words
""",
        *(str(path) for path in (qrels, run, other)),
    )
    assert "rankwell.comparison.gate" in modules
    assert not modules & {"polars", "pandas", "pyarrow", "msgspec"}


def test_nist_s_commands_load_nothing_that_their_values_do_not_need(tmp_path):
    qrels, subtopics, run = (tmp_path / name for name in ("qrels.txt", "subtopics.txt", "bm25.run"))
    numbered = QRELS.replace("q", "")
    qrels.write_text(numbered, encoding="utf-8")
    subtopics.write_text(numbered.replace(" 0 ", " 1 ", 1), encoding="utf-8")
    run.write_text(RUN.replace("q", ""), encoding="utf-8")
    for name, judgements in (("trec_eval", qrels), ("ndeval", subtopics)):
        code = "import sys; from rankwell.__main__ import main; assert main(sys.argv[1:]) == 0"
        modules = loaded_by(code, name, str(judgements), str(run))
        assert f"rankwell.compat.{name}.values" in modules
        assert not modules & (HEAVY - {"numpy"})
        assert not modules & {"numpy.ma", "numpy.random", "fractions", "rankwell.inspection.explanation"}


def test_evaluating_trec_files_loads_no_frame_library(tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "bm25.run"
    qrels.write_text(QRELS, encoding="utf-8")
    run.write_text(RUN, encoding="utf-8")
    modules = loaded_by(
        """
import sys
import rankwell as rw
res = rw.evaluate(sys.argv[1], sys.argv[2], ["ap", "ndcg@10"])
# by hand: q1 finds a and c at ranks 1 and 3, (1 + 2/3) / 2 = 5/6; q2 finds d at rank 2, 1/2; mean 2/3
assert abs(res["ap"] - 2 / 3) < 1e-12, res["ap"]
""",
        str(run),
        str(qrels),
    )
    assert not modules & (HEAVY - {"numpy"})


def families_in(modules: set[str]) -> set[str]:
    """The modules that define metrics, without the faces of their families."""
    return {
        name.removeprefix("rankwell.metrics.")
        for name in modules
        if name.count(".") == 3 and ".metrics." in name
    }


def test_only_the_modules_of_the_metrics_asked_for_are_loaded():
    modules = loaded_by("""
import rankwell as rw
res = rw.evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, ["ap", "ndcg@10", rw.P @ 1, "MRR", "recall@1"])
assert list(res.mean.values()) == [1.0] * 5
""")
    built_on = {"graded.gain", "graded.gain_functions"}
    assert (
        families_in(modules)
        == {"binary.precision", "graded.ndcg", "binary.binary", "binary.first"} | built_on
    )


def test_a_metric_that_the_table_lacks_is_found_all_the_same():
    loaded_by("""
from rankwell.metrics import names
del names.METRICS["nDCG"], names.MODULES["ndcg"], names.METRICS["AP"], names.MODULES["ap"], names.MODULES["map"]
import rankwell as rw
assert rw.nDCG.__name__ == "nDCG"
assert rw.metrics.metric_of("by_topic(metric=ap@3)").metric == rw.AP @ 3
""")


def test_a_name_of_a_built_in_that_is_not_loaded_yet_is_taken_all_the_same():
    modules = loaded_by("""
import rankwell as rw
try:
    @rw.metric(name="coverage")
    def coverage(judged, context):
        return judged.n_retrieved * 1.0
except rw.RankwellError as error:
    assert str(error) == "coverage: the name 'coverage' belongs to a built-in metric.", error
else:
    raise AssertionError
""")
    assert not families_in(modules)


SETTINGS = """
import gc, os, signal, sys, threading, warnings
def settings():
    return repr((
        gc.get_threshold(), gc.isenabled(), gc.get_freeze_count(), dict(os.environ), sys.flags, sys.getrecursionlimit(),
        sys.get_int_max_str_digits(), sys.getswitchinterval(), sys.stdout, sys.excepthook, signal.getsignal(signal.SIGINT),
        threading.active_count(), warnings.filters[:],
    ))
import numpy
before = settings()
import rankwell as rw
run, qrels = {"q": ["a", "b"]}, {"q": {"b": 1}}
assert rw.evaluate(run, qrels, ["rr", "coverage"], items=["a", "b"]).mean["rr"] == 0.5
rw.Evaluator(qrels, "ap").evaluate_all({"a": run, "b": run})
assert settings() == before, (before, settings())
"""


def test_importing_and_evaluating_changes_no_setting_of_the_process():
    loaded_by(SETTINGS)


def test_a_program_prints_all_it_has_and_ends_with_its_code(tmp_path):
    """The process ends without Python's own end, so what is printed must be out before: here more than a pipe holds."""
    rows = [f"{number} Q0 d{number} 1 1 t" for number in range(20_000)]
    (tmp_path / "r").write_text("\n".join(rows))
    (tmp_path / "q").write_text("\n".join(f"{number} 0 d{number} 1" for number in range(20_000)))
    for program, arguments, lines in (
        ("rankwell", ["evaluate", "q", "r", "-m", "rr", "--per-query", "--format", "csv"], 20_001),
        ("trec_eval", ["-q", "-m", "recip_rank", "q", "r"], 20_001),
        ("ndeval", ["q", "r"], 20_002),
    ):
        code = f"from rankwell.__main__ import {program}; {program}()"
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) == lines
        wrong = subprocess.run(
            [sys.executable, "-c", code, "no such file", "nor this", *arguments[4:]],
            capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert wrong.returncode > 0
        assert "Traceback" not in wrong.stderr
        assert wrong.stderr
