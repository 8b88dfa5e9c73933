"""stability: the pairs that compare calls different, the sizes of halves, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from tests.evidence import evidence

import rankwell as rw
from rankwell.comparison.compare.alignment import Aligned
from rankwell.metrics import metric_of
from rankwell.statistics.agreement import swaps

COVID = evidence("trec-covid-round1")
QRELS = COVID / "qrels-rnd1.txt"
RUNS = {path.stem: path for path in sorted((COVID / "runs").iterdir())}
METRICS = ["ap", "p@5", "rr"]


@pytest.fixture(scope="module")
def found():
    return rw.stability(RUNS, QRELS, METRICS, flips=2000, times=200)


def test_significant_pairs_are_those_of_compare(found):
    told = rw.compare(RUNS, QRELS, METRICS, flips=2000, resamples=99)
    for row in found.rows:
        p = [
            told.difference(one, other, row.metric).p
            for at, one in enumerate(RUNS)
            for other in list(RUNS)[:at]
        ]
        assert (row.significant, row.pairs) == (sum(value < 0.05 for value in p), 15)
        assert row.power == row.significant / 15
    assert found.correction == "maxt"
    assert rw.stability(RUNS, QRELS, "ap", correction="holm", flips=99, times=9).correction == "holm"


def test_swaps_are_of_the_values_of_all_systems(found):
    aligned = Aligned.of(rw.Evaluator(QRELS, METRICS).evaluate_all(RUNS))
    for row in found.rows:
        values = aligned.values(metric_of(row.metric))
        assert [each.size for each in row.swaps] == [5, 10, 15]
        told = [swaps(values, aligned.units, size, times=200, seed=0) for size in (5, 10, 15)]
        assert list(row.swaps) == told
        assert row.queries == 30


def test_the_whole_list_is_more_stable_than_its_first_five_and_the_first_hit_is_least(found):
    rates = {row.metric: row.swaps[-1].rate for row in found.rows}
    assert rates["ap"] < rates["p@5"] < rates["rr"]


def test_queries_that_one_system_lacks_are_left_out(found):
    runs = RUNS | {"few": {query: ["x"] for query in map(str, range(1, 21))}}
    row = rw.stability(runs, QRELS, "ap", missing="skip", flips=99, times=9).rows[0]
    assert (row.queries, row.systems, [each.size for each in row.swaps]) == (20, 7, [5, 10])


def test_everything_is_shown(found):
    shown = repr(found)
    assert shown.index("ap ") < shown.index("p@5") < shown.index("rr ")
    assert "2000" not in shown
    assert found.to_frame().height == 9
    assert np.isfinite(found.to_frame()["rate"].to_numpy()).all()
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"runs": dict(list(RUNS.items())[:2])}, "at least three systems"),
        ({"sizes": [16]}, "from 1 to 15"),
        ({"sizes": [0, 5]}, "from 1 to 15"),
        ({"times": 0}, "times=0"),
        ({"alpha": 1e-300}, "alpha=1e-300"),
        ({"alpha": 1.0}, "alpha=1"),
        ({"metrics": ["gmap"]}, "no value per query"),
        ({"metrics": ["ap"], "correction": "bonferroni"}, "correction"),
    ],
)
def test_what_cannot_be_divided_is_refused(arguments, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.stability(**({"runs": RUNS, "qrels": QRELS, "metrics": METRICS, "flips": 99} | arguments))
    few = {str(q): {"a": 1} for q in range(3)}
    lists = {name: {str(q): ["a"] for q in range(3)} for name in "abc"}
    with pytest.raises(rw.RankwellError, match="halves need at least 4"):
        rw.stability(lists, few, ["rr"], flips=99)


def test_the_page_has_the_shares_of_two_collections():
    page = (Path(__file__).parents[3] / "docs" / "agreement.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (\S+) \| (\d+) of 15 \| (0\.\d+) \| (\d) of 6 \| (0\.\d+) \|$", page, re.MULTILINE
    )
    told = {metric: (int(a), float(b), int(c), float(d)) for metric, a, b, c, d in rows}
    cranfield = evidence("cranfield")
    others = {path.stem: path for path in sorted((cranfield / "runs").glob("*.run"))}
    first = rw.stability(RUNS, QRELS, list(told)).rows
    second = rw.stability(others, cranfield / "qrels.graded.txt", list(told), rel=1).rows
    found = {
        one.metric: (
            one.significant,
            round(one.swaps[-1].rate, 3),
            other.significant,
            round(other.swaps[-1].rate, 3),
        )
        for one, other in zip(first, second, strict=True)
    }
    assert len(told) == 10
    assert found == told
