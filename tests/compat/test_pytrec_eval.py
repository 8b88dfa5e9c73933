"""rankwell.compat.pytrec_eval in the place of pytrec_eval, against it, and under programs that were written for it."""

from __future__ import annotations

import importlib.util
import math
import random
import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.cases import seeds
from tests.definitions.collections_data import read_run_rows
from tests.every import every
from tests.evidence import evidence

import rankwell as rw
from rankwell.compat import pytrec_eval as ours

theirs = pytest.importorskip(
    "pytrec_eval", reason="pytrec_eval-terrier, of the extra test, is not installed: make test installs it"
)
DOCUMENTS = ["a", "B", "10", "9", "Z", "zz", "é", "日本", "a-b", "_", "ab", "Ab", "ÿ", "~", "0" * 9]
NEAR = [1.0, 1.0 + 1e-9, 1.0 - 1e-9, 16777216.0, 16777217.0, 0.1, 0.1 + 1e-10, -3.5, 1e30, 1e-40]


def case(rng: random.Random, number: int) -> tuple[dict, dict]:
    """Lists and judgements of a few topics: ties, near ties, negative grades, nothing relevant, topics on one side only."""
    run, qrels = {}, {}
    for topic in ("1", "10", "2", "é"):
        name = f"{number}/{topic}"
        if rng.random() < 0.8:
            scores = NEAR if rng.random() < 0.5 else [rng.random() for _ in range(6)]
            run[name] = {d: rng.choice(scores) for d in rng.sample(DOCUMENTS, rng.randint(1, 15))}
        if rng.random() < 0.9:
            grades = rng.choice([[0], [1], [0, 1], [-2, -1, 0, 1, 2, 3, 4], [0, 0, 0, 2]])
            qrels[name] = {d: rng.choice(grades) for d in rng.sample(DOCUMENTS, rng.randint(1, 15))}
            if max(qrels[name].values()) < 0:  # on these the program gives up
                qrels[name][next(iter(qrels[name]))] = 0
    return run, qrels


@every("seed", seeds(50))
def test_5000_random_cases_have_the_values_of_pytrec_eval(seed):
    """100 cases in one evaluation, as topics do not see each other."""
    rng = random.Random(seed)
    run, qrels = {}, {}
    for number in range(100):
        lists, judgements = case(rng, number)
        run |= lists
        qrels |= judgements
    level, judged_only = 1 + seed % 5, seed % 3 == 0
    asked = (
        {"all_trec"}
        if seed % 2
        else {"P.1,3", "P_7", "map_cut.2", "ndcg_cut_4", "iprec_at_recall.0.33,0.5", "success_2"}
    )
    expected = theirs.RelevanceEvaluator(qrels, asked, level, judged_only).evaluate(run)
    found = ours.RelevanceEvaluator(qrels, asked, level, judged_only).evaluate(run)
    assert found.keys() == expected.keys()
    if level > 2:  # the program reads beyond an array where the level is above all grades of a topic
        for values in (*found.values(), *expected.values()):
            for name in ("bpref", "gm_bpref"):
                values.pop(name, None)
    wrong = [
        (query, name, value, found[query].get(name))
        for query, values in expected.items()
        for name, value in values.items()
        # where nothing is left of a list the program divides 0 by 0
        if found[query].get(name)
        != pytest.approx(0.0 if judged_only and math.isnan(value) else value, rel=1e-6, abs=1e-9)
    ]
    assert not wrong, (len(wrong), wrong[:5])
    assert all(found[query].keys() == expected[query].keys() for query in found)
    assert len(found) > 150


def test_names_and_nicknames_are_the_same():
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == {name: set(of) for name, of in theirs.supported_nicknames.items()}


@pytest.mark.parametrize("none", [set(), [], ()])
def test_without_measures_every_topic_has_no_value(none):
    qrels, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": {"a": 1.0}, "s": {"a": 1.0}}
    expected = theirs.RelevanceEvaluator(qrels, none).evaluate(run)
    assert ours.RelevanceEvaluator(qrels, none).evaluate(run) == expected == {"q": {}}


def test_the_files_are_parsed_alike():
    trec = Path(rw.__path__[0]) / "data" / "trec_eval"
    for name, parse in (("results.test", "parse_run"), ("qrels.test", "parse_qrel")):
        with (trec / name).open(encoding="utf-8") as one, (trec / name).open(encoding="utf-8") as two:
            assert getattr(ours, parse)(one) == getattr(theirs, parse)(two)
    for lines in (["1 0 a"], ["1 0 a x"], ["1 0 a 1", "1 0 a 1"], ["1 0 a 1 2"]):
        with pytest.raises(rw.RankwellError, match=f"line {len(lines)}"):
            ours.parse_qrel(lines)


@pytest.mark.parametrize("measure", ["num_ret", "map", "gm_map"])
def test_aggregates_are_the_same(measure):
    values = [-1.0, -2.5, -0.25]
    assert ours.compute_aggregated_measure(measure, values) == pytest.approx(
        theirs.compute_aggregated_measure(measure, values)
    )


def test_an_evaluator_can_be_used_again_from_threads_and_with_numpy_values():
    qrels = {"q": {"a": np.int64(1), "b": np.int32(0), "c": np.float64(2.0)}}
    run = {"q": {"a": np.float32(0.5), "b": np.float64(1.5), "c": 1}}
    evaluator = ours.RelevanceEvaluator(qrels, {"map", "P_1"})
    first = evaluator.evaluate(run)
    assert first == evaluator.evaluate(run) == {"q": {"map": pytest.approx(7 / 12), "P_1": 0.0}}
    with ThreadPoolExecutor(8) as executor:
        assert all(each == first for each in executor.map(evaluator.evaluate, [run] * 64))
    assert evaluator.evaluate({}) == evaluator.evaluate({"nobody": {"a": 1.0}}) == {}
    assert ours.RelevanceEvaluator({"q": {}}, {"map"}).evaluate(run) == {}
    assert evaluator.evaluate({"q": {}})["q"]["map"] == 0.0


@pytest.mark.parametrize("measure", ["nope", "P.", "P.x", "map.5", "ndcg.1", "P_0", "utility.1,2"])
def test_a_measure_that_makes_no_sense_is_a_value_error(measure):
    if measure == "map.5":  # parameters of a measure without any are ignored by both
        assert "map" in ours.RelevanceEvaluator({"q": {"a": 1}}, {measure}).evaluate({"q": {"a": 1.0}})["q"]
        return
    with pytest.raises(rw.RankwellError) as error:
        ours.RelevanceEvaluator({"q": {"a": 1}}, {measure})
    assert isinstance(error.value, ValueError)


COLLECTIONS = [("cranfield", "qrels.binary.txt", "trec_eval.binary.tsv"), ("trec-web-2012", "qrels.adhoc.txt", "trec_eval.adhoc.tsv"),
               ("trec-covid-round1", "qrels-rnd1.txt", "trec_eval.tsv")]  # fmt: skip


@pytest.mark.parametrize(("name", "judgements", "table"), COLLECTIONS)
def test_the_published_tables_of_collections_come_out(name, judgements, table):
    folder = evidence(name)
    expected: dict[str, dict[str, dict[str, str]]] = {}
    for line in (folder / "expected" / table).read_text().splitlines():
        run, measure, query, value = line.split("\t")
        expected.setdefault(run, {}).setdefault(query, {})[measure] = value
    with (folder / judgements).open(encoding="utf-8") as file:
        qrels = ours.parse_qrel(file)
    compared = 0
    for run, queries in expected.items():
        evaluator = ours.RelevanceEvaluator(qrels, {name for row in queries.values() for name in row})
        lists = {query: dict(rows) for query, rows in read_run_rows(folder / "runs" / run).items()}
        found = evaluator.evaluate(lists)
        for query, row in queries.items():
            for measure, value in row.items():
                mine = (
                    ours.compute_aggregated_measure(measure, [each[measure] for each in found.values()])
                    if query == "all"
                    else found[query][measure]
                )
                assert mine == pytest.approx(float(value), abs=1.1e-6), (run, query, measure)
                compared += 1
    assert compared > 1000


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """BEIR and MTEB from the registry, without what they need for models."""
    folder = tmp_path_factory.mktemp("packages")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        folder,
        "beir>=2",
        "mteb>=2",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(
            f"beir and mteb, which this test installs from the package index, cannot be had: {done.stderr[-300:]}"
        )
    return folder


def module(path: Path, name: str, package: str = "") -> types.ModuleType:
    """A module of a package from its file, without the package's own imports."""
    spec = importlib.util.spec_from_file_location(f"{package}{name}", path)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def both_ways(monkeypatch, load):
    """What a module computes with pytrec_eval, and with rankwell in its place."""
    found = []
    for library in (theirs, ours):
        monkeypatch.setitem(sys.modules, "pytrec_eval", library)
        found.append(load())
    return found


def data():
    rng = random.Random(3)
    qrels = {f"q{n}": {f"d{rng.randrange(60)}": rng.randint(0, 2) for _ in range(12)} for n in range(40)}
    run = {query: {f"d{n}": rng.random() for n in rng.sample(range(60), 30)} for query in qrels}
    return qrels, run


@pytest.mark.slow
def test_beir_computes_the_same_with_it(packages, monkeypatch):
    monkeypatch.syspath_prepend(str(packages))
    qrels, run = data()

    def load():
        for name in [name for name in sys.modules if name.startswith("beir")]:
            monkeypatch.delitem(sys.modules, name)
        from beir.retrieval.evaluation import EvaluateRetrieval

        return EvaluateRetrieval.evaluate(qrels, run, [1, 3, 10, 100])

    one, two = both_ways(monkeypatch, load)
    assert one == two
    assert one[0]["NDCG@10"] > 0


@pytest.mark.slow
def test_mteb_computes_the_same_with_it(packages, monkeypatch):
    qrels, run = data()
    # what it makes of the numbers, and what asks for models
    monkeypatch.setitem(sys.modules, "mteb", types.ModuleType("mteb"))
    stub = types.ModuleType("mteb.types")
    stub.RetrievalEvaluationResult = lambda **values: values
    monkeypatch.setitem(sys.modules, "mteb.types", stub)

    def load():
        loaded = module(packages / "mteb" / "_evaluators" / "retrieval_metrics.py", "mteb_retrieval_metrics")
        return loaded.calculate_retrieval_scores(run, qrels, [1, 3, 10, 100])

    one, two = both_ways(monkeypatch, load)
    assert one.keys() == two.keys()
    for name in ("ndcg", "map", "recall", "precision", "hit_rate", "naucs"):
        assert two[name] == pytest.approx(one[name], abs=1e-5), name
    for query, values in one["all_scores"].items():
        assert two["all_scores"][query] == pytest.approx(values, abs=1e-9)


def test_a_multiple_of_r_of_nothing_is_0_as_in_pytrec_eval():
    judged, lists = {"1": {"a": 1, "b": 1, "c": 0}}, {"1": {"a": 3.0, "c": 2.0, "b": 1.0}}
    measures = {"Rprec_mult.0,0.2,1,2"}
    expected = theirs.RelevanceEvaluator(judged, measures).evaluate(lists)
    assert ours.RelevanceEvaluator(judged, measures).evaluate(lists) == expected
