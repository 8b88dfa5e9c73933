"""The plot of judged shares, against a plain loop over the lists."""

from __future__ import annotations

import pytest
from tests.evidence import evidence
from tests.reporting import second
from tests.reporting.plots.drawing import HOSTILE, rows_in, text_of

import rankwell as rw
from rankwell.errors import RankwellError, UsageError
from rankwell.reporting.plots.judged import cuts, shares_of


def lists_in(path):
    """The items of each query of a TREC run, best first, ties by item downwards."""
    found = {}
    for line in path.read_text().splitlines():
        query, _, item, _, score, _ = line.split()
        found.setdefault(query, []).append((float(score), item))
    return {query: [item for _, item in sorted(rows, reverse=True)] for query, rows in found.items()}


def plain():
    chart = rw.plot.judged(second.RUNS, second.QRELS, ks=[1, 3])
    expected = {
        (system, k): (
            second.mean(item in second.QRELS[q] for q in lists for item in lists[q][:k]),
            len(lists),
        )
        for system, lists in second.LISTS.items()
        for k in (1, 3)
    }
    return second.shown_in(chart, ("system", "k"), ("share", "n")), expected


def test_shares_are_those_of_a_plain_loop_over_real_lists():
    run, qrels = evidence("cranfield/runs/bm25.run"), evidence("cranfield/qrels.graded.txt")
    judged = {
        (query, item) for query, _, item, _ in (line.split() for line in qrels.read_text().splitlines())
    }
    ks = [1, 10, 50]
    expected = {}
    for k in ks:
        shares = [
            sum((query, item) in judged for item in items[:k]) / min(k, len(items))
            for query, items in lists_in(run).items()
        ]
        expected[k] = sum(shares) / len(shares)
    found = shares_of(rw.Evaluator(qrels, cuts(ks)), {"bm25": rw.read_run(run)})
    assert {row["k"]: row["share"] for row in found} == pytest.approx(expected)


def test_cut_offs_end_with_the_longest_list():
    runs = {"long": rw.read_run({"q": list("abcdef")}), "short": rw.read_run({"q": ["a"]})}
    found = shares_of(rw.Evaluator({"q": {"a": 1}}, cuts()), runs)
    assert sorted({row["k"] for row in found}) == [1, 2, 3, 5, 10]


def test_given_cut_offs_are_all_drawn_in_order():
    chart = rw.plot.judged({"one": {"q": ["a", "b"]}}, {"q": {"a": 1}}, ks=[20, 1])
    assert {row["k"] for row in rows_in(chart, "k")} == {1, 20}


@pytest.mark.parametrize("ks", [[], [0], [1, "ten"], [1.5]])
def test_what_is_no_cut_off_is_refused(ks):
    with pytest.raises(UsageError, match="ks="):
        rw.plot.judged({"one": {"q": ["a"]}}, {"q": {"a": 1}}, ks=ks)


def test_one_run_without_a_name_is_drawn():
    assert (
        rows_in(rw.plot.judged(rw.read_run({"q": ["a"]}, name="mine"), {"q": {"a": 1}}), "k")[0]["system"]
        == "mine"
    )


def test_interactions_are_said_to_be_no_judgements():
    chart = rw.plot.judged({"one": {"u": ["a"]}}, {"u": ["a", "b"]})
    assert "The judgements are interactions" in text_of(chart)


def test_a_run_without_a_judged_query_is_refused():
    with pytest.raises(RankwellError):
        rw.plot.judged({"one": {"q": ["a"]}}, {"r": {"a": 1}})


@pytest.mark.parametrize("dark", [False, True])
def test_fifty_systems_are_a_heat_map_with_the_best_judged_at_the_top(dark):
    names = [*HOSTILE, *(f"run {number}" for number in range(43))]
    runs = {
        name: {"q": [f"d{rank}" for rank in range(number, number + 20)]} for number, name in enumerate(names)
    }
    chart = rw.plot.judged(runs, {"q": {f"d{rank}": 1 for rank in range(20)}}, dark=dark, lang="ko")
    spec = chart.to_dict()
    assert spec["mark"]["type"] == "rect"
    assert spec["encoding"]["y"]["sort"][0] == HOSTILE[0]
    assert len(spec["encoding"]["y"]["sort"]) == 50
    text_of(chart)
