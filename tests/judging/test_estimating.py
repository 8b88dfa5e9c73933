"""``estimate``: what judges return goes in with the frame, and what comes out is what the estimators say; what is missing is counted."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from tests.judging import slow_estimates as slow

import rankwell as rw
from rankwell.errors import DataError, UsageError

RUNS = {
    "a": {"1": [f"d{i}" for i in range(40)], "2": [f"d{i}" for i in range(30)]},
    "b": {"1": [f"d{i}" for i in range(50, 0, -2)], "2": [f"d{i}" for i in range(1, 31)]},
}
GRADES = {
    (q, f"d{i}"): float((i * 7 + int(q)) % 5 == 0) + float(i % 11 == 0) for q in "12" for i in range(51)
}


def answers(table: pl.DataFrame, **changes: float) -> rw.Qrels:
    pairs = [*zip(table["query"].to_list(), table["item"].to_list(), strict=True)]
    return rw.Qrels(*map(list, zip(*pairs, strict=True)), [GRADES[pair] for pair in pairs])


@pytest.fixture(name="drawn")
def a_sample():
    return rw.judging.sample(RUNS, budget=16, seed=2)


def graded(drawn: rw.judging.Sample, missing: float | None = None) -> pl.DataFrame:
    """The frame with the grades of what was drawn, as people keep it in one table."""
    frame = drawn.whole_frame()
    pairs = zip(frame["query"], frame["item"], frame["drawn"], strict=True)
    return frame.drop("drawn").with_columns(
        pl.Series(
            "grade", [GRADES[q, i] if is_drawn else missing for q, i, is_drawn in pairs], dtype=pl.Float64
        )
    )


def test_estimates_are_those_of_plain_loops(drawn):
    found = rw.judging.estimate(RUNS, answers(drawn.to_frame()), ["ap", "ap@10", "ndcg@10"], frame=drawn)
    frame = drawn.whole_frame()
    for query in "12":
        own = frame.filter(frame["query"] == query)
        items = own["item"].to_list()
        stratum = [
            own["stratum"].unique(maintain_order=True).to_list().index(each) for each in own["stratum"]
        ]
        judged = {at for at, is_drawn in enumerate(own["drawn"]) if is_drawn}
        hits = {at for at in judged if GRADES[query, items[at]] > 0}
        n = {s: sum(stratum[at] == s for at in judged) for s in sorted(set(stratum))}
        for run, lists in RUNS.items():
            rank = {items.index(item): r for r, item in enumerate(lists[query], start=1)}
            values = found.per_query.filter((pl.col("query") == query) & (pl.col("run") == run))
            mine = {(m, e): v for m, e, v in values.select("metric", "estimator", "value").rows()}
            whole = float(slow.statap(rank, hits, stratum, n))
            assert mine["ap", "statap"] == pytest.approx(whole)
            assert mine["ap", "xinfap"] == pytest.approx(float(slow.xinfap(rank, hits, judged, stratum)))
            cut = {at: r for at, r in rank.items() if r <= 10}
            estimated = sum(stratum.count(stratum[at]) / n[stratum[at]] for at in hits)
            at_ten = float(slow.statap(cut, hits, stratum, n)) * estimated / min(estimated, 10)
            assert mine["ap(denom=min_rk)@10", "statap"] == pytest.approx(at_ten)
            gains = 0.0
            for s, size in n.items():
                seen = [at for at in cut if stratum[at] == s and at in judged]
                terms = [GRADES[query, items[at]] / math.log2(cut[at] + 1) for at in seen]
                gains += sum(stratum[at] == s for at in cut) * (sum(terms) / len(terms) if terms else 0)
                assert size
            assert mine["ndcg@10", "infndcg"] * _best(items, query, judged, stratum, n) == pytest.approx(
                gains
            )


def _best(items, query, judged, stratum, n) -> float:
    """The ideal DCG@10, by filling ranks with a thousandth of an item at a time."""
    counts: dict[float, float] = {}
    for at in judged:
        grade = GRADES[query, items[at]]
        counts[grade] = counts.get(grade, 0.0) + stratum.count(stratum[at]) / n[stratum[at]]
    filled, best = 0.0, 0.0
    for grade in sorted(counts, reverse=True):
        end = min(filled + counts[grade], 10.0)
        while filled < end - 1e-12 and grade > 0:
            step = min(math.floor(filled + 1e-9) + 1 - filled, end - filled)
            best += grade * step / math.log2(math.floor(filled + 1e-9) + 2)
            filled += step
    return best


def test_one_table_prels_and_a_saved_frame_give_the_same(drawn, tmp_path):
    metrics = ["ap", "ndcg"]
    expected = rw.judging.estimate(RUNS, answers(drawn.to_frame()), metrics, frame=drawn)
    drawn.save(tmp_path / "sample.csv")
    one = graded(drawn)
    one.write_csv(tmp_path / "one.csv")
    one.write_parquet(tmp_path / "one.parquet")
    (tmp_path / "judged.txt").write_text(
        "".join(f"{q} 0 {i} {GRADES[q, i]:g}\n" for q, i in drawn.to_frame().select("query", "item").rows())
    )
    (tmp_path / "prels").write_text(
        "".join(f"{q} 0 {i} {s} {g:g}\n" for q, i, s, _, g in graded(drawn, missing=-1.0).rows())
    )
    ways = [
        rw.judging.estimate(RUNS, tmp_path / "judged.txt", metrics, frame=tmp_path / "sample.frame.csv"),
        *(
            rw.judging.estimate(RUNS, each, metrics)
            for each in (one, one.to_dicts(), graded(drawn, missing=-1.0))
        ),
        *(
            rw.judging.estimate(RUNS, tmp_path / name, metrics)
            for name in ("one.csv", "one.parquet", "prels")
        ),
        rw.judging.estimate(RUNS, one.drop("propensity"), metrics),
    ]
    for found in ways:
        for row, other in zip(found._plain(), expected._plain(), strict=True):
            assert row == pytest.approx(other)
        assert found.beside == expected.beside


def test_a_sample_is_read_by_the_sheet_and_its_answers_go_with_the_frame(drawn, tmp_path):
    sheet = rw.judging.sheet(drawn, items=[{"item": f"d{i}", "text": f"text {i}"} for i in range(51)])
    assert len(sheet) == len(drawn) == 32
    drawn.save(tmp_path / "sample.tsv")
    assert len(rw.judging.sheet(tmp_path / "sample.tsv", items=[{"item": "d1", "text": "x"}])) == 32


def test_the_two_variances_and_their_intervals_are_those_of_the_formulas(drawn):
    found = rw.judging.estimate(RUNS, answers(drawn.to_frame()), "ap", frame=drawn, level=0.9)
    row = found["a", "ap", "xinfap"]
    assert row.design_variance == pytest.approx(row.variances.sum() / 4)
    assert row.query_variance == pytest.approx((row.values[0] - row.values[1]) ** 2 / 2 / 2)
    low, high = row.design_interval(0.9)
    assert low < row.value < high
    from scipy.stats import t

    assert low == pytest.approx(max(row.value - t.ppf(0.95, row.design.df) * row.design_variance**0.5, 0))
    reach = t.ppf(0.95, 1) * row.query_variance**0.5
    assert row.query_interval(0.9) == pytest.approx((max(row.value - reach, 0), min(row.value + reach, 1)))


def test_a_census_is_the_metric_itself(drawn):
    whole = rw.judging.sample(RUNS, budget=10**6)
    every = answers(whole.to_frame())
    found = rw.judging.estimate(RUNS, every, ["ap", "ndcg@10", "ap@5"], frame=whole)
    for row in found.rows:
        assert row.value == pytest.approx(
            rw.evaluate(RUNS[row.run], every, [row.metric])[row.metric], abs=1e-4
        )
        assert row.design_variance == 0
        assert row.design_interval(0.95) == pytest.approx((row.value, row.value))


def test_beside_stand_the_plain_metrics_of_the_same_judgements(drawn):
    judged = answers(drawn.to_frame())
    found = rw.judging.estimate(RUNS, judged, ["ap", "ndcg@10"], frame=drawn)
    beside = {(each.run, each.metric, each.how): each.value for each in found.beside}
    for run, lists in RUNS.items():
        plain = rw.evaluate(lists, judged, ["ap", "ndcg@10", "bpref"])
        condensed = rw.evaluate(lists, judged, ["ap", "ndcg@10"], unjudged="condense")
        pooled = graded(drawn, missing=-1.0).select("query", "item", "grade")
        assert beside[run, "infap", "infap"] == rw.evaluate(lists, pooled, ["infap"])["infap"]
        assert beside[run, "bpref", "bpref"] == plain["bpref"]
        for metric in ("ap", "ndcg@10"):
            assert beside[run, metric, "not relevant"] == plain[metric]
            assert beside[run, metric, "condensed"] == condensed[metric]


def test_drawn_items_without_a_judgement_are_an_error_or_missing_at_random(drawn):
    fewer = drawn.to_frame()[1:]
    with pytest.raises(DataError, match=r"1 drawn items have no judgement, such as 'd.*unanswered='random'"):
        rw.judging.estimate(RUNS, answers(fewer), "ap", frame=drawn)
    found = rw.judging.estimate(RUNS, answers(fewer), "ap", frame=drawn, unanswered="random")
    assert found.counts["drawn items without a judgement"] == 1
    first = drawn.to_frame().row(0, named=True)
    own = found.strata.filter((pl.col("query") == first["query"]) & (pl.col("stratum") == first["stratum"]))
    part = found.judged.parts[0]
    assert (
        own["judged"].item()
        == drawn.to_frame()
        .filter((pl.col("query") == first["query"]) & (pl.col("stratum") == first["stratum"]))
        .height
        - 1
    )
    assert part.weight.max() >= own["frame"].item() / own["judged"].item() - 1e-9


def test_judgements_that_were_not_drawn_and_items_outside_the_frame_are_counted_and_not_used(drawn):
    every = answers(drawn.whole_frame())
    expected = rw.judging.estimate(RUNS, answers(drawn.to_frame()), "ap", frame=drawn)
    found = rw.judging.estimate(RUNS, every, "ap", frame=drawn)
    assert [row.value for row in found.rows] == [row.value for row in expected.rows]
    assert found.counts["judged items that were not drawn"] == len(drawn.frame) - len(drawn)
    later = {"later": {"1": ["new", *RUNS["a"]["1"]], "3": ["d1"]}}
    found = rw.judging.estimate(later, answers(drawn.to_frame()), "ap", frame=drawn)
    row = found["later", "ap"]
    assert row.outside.tolist() == [1, 0]
    assert row.values[1] == 0  # a query without a list
    assert found.counts["queries of the runs that are not in the frame"] == 1
    assert any("not in the frame, and count as not relevant: later 1" in note for note in found.notes())
    skipped = rw.judging.estimate(later, answers(drawn.to_frame()), "ap", frame=drawn, missing="skip")
    assert skipped["later", "ap"].queries == 1


def test_queries_without_a_relevant_item_in_the_sample_are_left_out_and_counted(drawn):
    table = graded(drawn).with_columns(
        grade=pl.when(pl.col("query") == "2").then(pl.col("grade") * 0).otherwise(pl.col("grade"))
    )
    found = rw.judging.estimate(RUNS, table, "ap")
    row = found["a", "ap"]
    assert (row.queries, row.undefined, math.isnan(row.query_variance)) == (1, 1, True)
    assert any(
        "1 of 2 queries have no relevant item in the sample: left out" in note for note in found.notes()
    )
    zero = rw.judging.estimate(RUNS, table, "ap", undefined="zero")["a", "ap"]
    assert zero.value == pytest.approx(row.value / 2)
    with pytest.raises(DataError, match="query '2': no sampled item is relevant"):
        rw.judging.estimate(RUNS, table, "ap", undefined="error")
    assert json.loads(found.to_json())["rows"][0]["query_variance"] is None


def test_strata_of_one_judged_item_and_of_none_are_said():
    rows = [{"query": "q", "item": f"d{i}", "stratum": "ABC"[i // 4], "grade": None} for i in range(12)]
    for at, grade in ((0, 1), (1, 0), (2, 1), (5, 1)):
        rows[at]["grade"] = grade
    found = rw.judging.estimate({"r": {"q": [f"d{i}" for i in range(12)]}}, rows, "ap")
    assert found.rows[0].design_variance > 0
    said = " ".join(found.notes())
    assert "1 strata have one judged item of several" in said
    assert "1 strata have no judged item" in said
    only = [dict(row, grade=row["grade"] if row["item"] == "d5" else None) for row in rows]
    found = rw.judging.estimate({"r": {"q": [f"d{i}" for i in range(12)]}}, only, "ap")
    assert math.isnan(found.rows[0].design_variance)
    assert found.rows[0].unknown == 1
    assert "the design variance of 1 queries is not known" in " ".join(found.notes())


def test_propensities_alone_are_independent_draws_and_need_the_frame_for_all_but_statap():
    drawn = rw.judging.sample(RUNS, budget=16, design="poisson")
    judged = answers(drawn.to_frame())
    whole = rw.judging.estimate(RUNS, judged, ["ap", "ndcg"], frame=drawn)
    assert any("independently" in note for note in whole.notes())
    only = graded(drawn).drop_nulls("grade")
    with pytest.raises(DataError, match="xinfap must know it"):
        rw.judging.estimate(RUNS, only, "ap")
    found = rw.judging.estimate(RUNS, only, "ap", estimators="statap")
    assert [row.value for row in found.rows] == pytest.approx(
        [row.value for row in whole.rows if row.estimator == "statap"]
    )


def test_drawn_items_with_strata_and_propensities_say_how_large_their_strata_are(drawn):
    only = graded(drawn).drop_nulls("grade")
    found = rw.judging.estimate(RUNS, only, "ap", estimators="statap")
    whole = rw.judging.estimate(RUNS, graded(drawn), "ap", estimators="statap")
    for one, other in zip(found.rows, whole.rows, strict=True):
        assert one.values == pytest.approx(other.values)
        assert one.variances == pytest.approx(other.variances)


def test_ids_that_are_integers_on_one_side_fit():
    rows = [{"query": 1, "item": i, "stratum": "s", "grade": 1.0 if i < 3 else -1.0} for i in range(6)]
    texts = [dict(row, query=str(row["query"]), item=str(row["item"])) for row in rows]
    run = {1: [3, 0, 1, 5]}
    found = [rw.judging.estimate({"r": run}, table, "ap").rows[0].value for table in (rows, texts)]
    assert found[0] == found[1] > 0


BAD = [{"query": "q", "item": f"d{i}", "stratum": "s", "grade": float(i % 2)} for i in range(4)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (BAD, "every row was drawn"),
        ([*BAD, BAD[0]], "row 5: item 'd0' of query 'q' is in the frame twice"),
        ([dict(row, propensity=0.0) for row in BAD], "row 1: the propensity is 0; it must be above 0"),
        ([dict(row, propensity=1.5) for row in BAD], "the propensity is 1.5"),
        (
            [dict(row, propensity=None, grade=row["grade"] or None) for row in BAD],
            "its propensity is missing",
        ),
        ([dict(row, stratum=None) for row in BAD], "row 1: the stratum is missing"),
        ([dict(row, drawn="perhaps") for row in BAD], "drawn is 'perhaps'; write true or false"),
        ([dict(row, grade="good") for row in BAD], "the grade 'good' is no number"),
        ([{"query": "q", "item": "d", "grade": 1}], "no column stratum and no column propensity"),
        ([dict(row, grade=None) for row in BAD], "nothing is judged"),
        (
            [dict(row, propensity=0.2, grade=row["grade"] or None) for row in BAD],
            "but 2 of the 4 items of stratum 's' were drawn",
        ),
        ([dict(row, propensity=0.2 + 0.1 * i) for i, row in enumerate(BAD)], "different propensities"),
        (  # of a stratum all items are as likely, also those that were not drawn
            [dict(row, propensity=0.5 + 0.1 * (i == 2), drawn=i % 2 == 1) for i, row in enumerate(BAD)],
            "row 3: the propensity is 0.6, but 2 of the 4 items of stratum 's' were drawn",
        ),
        (
            [dict(row, propensity=1.0, drawn=i > 0, stratum=f"s{i}") for i, row in enumerate(BAD)],
            "row 1: the propensity is 1, so every draw takes the item, but drawn is false",
        ),
        (
            [
                {"query": "q", "item": f"d{i}", "propensity": 1.0, "drawn": i < 3, "grade": 1}
                for i in range(4)
            ],
            "row 4: the propensity is 1, so every draw takes the item, but drawn is false",
        ),
        (  # 5e20 items, which as a 64-bit integer are −2^63
            [dict(row, propensity=4e-21, grade=row["grade"] or 2.0) for row in BAD],
            "row 1: the propensity is 4e-21; it must be above 0 .at least 2.-53, 1.1e-16. and at most 1",
        ),
        (  # each item stands for fewer than 2^53, all of the stratum for more
            [dict(row, propensity=1.2e-16, grade=row["grade"] or 2.0) for row in BAD],
            "row 1: the propensity is 1.2e-16, so its stratum would have 3e.16 items",
        ),
    ],
)
def test_a_frame_that_does_not_say_how_it_was_drawn_is_one_clear_error(rows, message):
    with pytest.raises(DataError, match=message):
        rw.judging.estimate({"r": {"q": ["d0", "d1"]}}, rows, "ap")


@pytest.mark.parametrize(
    ("metric", "words", "message"),
    [
        ("p@10", {}, "p@10 has no estimator"),
        ("ap(denom=hits)", {}, "denom=R"),
        ("ndcg(ideal=retrieved)@5", {}, "the ideal list of all judged items"),
        ("ndcg(gain={1: 2})", {}, "gain=linear or exp2"),
        ("ap", {"estimators": "infndcg"}, "none of infndcg estimates it; take statap, xinfap or xinfap_trec"),
        ("ap", {"estimators": "stat_ap"}, "Did you mean statap"),
        ("ap", {"level": 95}, "level=95"),
        ("ap", {"negative": "nonrelevant"}, "marks what was not drawn"),
        ("ap", {"unjudged": "condense"}, "condense"),
        ("ap", {"fram": 1}, "frame"),
    ],
)
def test_what_is_asked_wrongly_is_one_clear_error(metric, words, message):
    rows = [*BAD, {"query": "q", "item": "d9", "stratum": "s", "grade": -1.0}]
    with pytest.raises(UsageError, match=message):
        rw.judging.estimate({"r": {"q": ["d0"]}}, rows, metric, **words)


def test_rows_are_found_by_any_spelling_of_the_metric(drawn):
    found = rw.judging.estimate(RUNS, answers(drawn.to_frame()), ["map@10", "ndcg"], frame=drawn)
    assert found["a", "ap@10"] is found["a", rw.AP @ 10] is found.rows[0]
    assert found["a", "map@10", "xinfap"] is found.rows[1]
    assert found["b", "ndcg"].estimator == "infndcg"
    for wrong in (("c", "ap@10"), ("a", "rr"), ("a", "ndcg", "statap"), ("a",)):
        with pytest.raises(UsageError, match="is none of a, ap"):
            found[wrong]


def test_a_frame_has_a_row_per_mean_with_its_intervals(drawn):
    found = rw.judging.estimate(RUNS, answers(drawn.to_frame()), ["ap@10", "ndcg"], frame=drawn, level=0.9)
    columns = ["run", "metric", "estimator", "value", "queries", "low", "high", "low_queries", "high_queries"]
    assert found.to_frame().select(columns).rows() == [
        (
            *(row.run, row.metric, row.estimator, row.value, row.queries),
            *row.design_interval(0.9),
            *row.query_interval(0.9),
        )
        for row in found.rows
    ]


def test_judgements_without_a_design_are_refused():
    with pytest.raises(UsageError, match="do not say how they were drawn; give frame="):
        rw.judging.estimate({"r": {"q": ["d0"]}}, rw.Qrels(["q"], ["d0"], [1]), "ap")


def test_many_samples_have_the_variance_that_each_says_on_average():
    """The design variance against the spread of 200 samples: the jackknife's is about right, and not smaller."""
    spread = {"statap": [], "xinfap": []}
    said = {"statap": [], "xinfap": []}
    for seed in range(200):
        drawn = rw.judging.sample(RUNS, budget=24, seed=seed)
        found = rw.judging.estimate(RUNS, answers(drawn.to_frame()), "ap", frame=drawn, beside=False)
        for estimator, values in spread.items():
            row = found["a", "ap", estimator]
            values.append(row.value)
            said[estimator].append(row.design_variance)
    for estimator, values in spread.items():
        assert 0.8 < np.mean(said[estimator]) / np.var(values) < 1.6


def rare(relevant: dict[str, int], size: int = 300) -> tuple[dict, rw.judging.Sample, rw.Qrels]:
    """Queries with few relevant items far down, and a sample of 30 items of each."""
    runs = {"r": {query: [f"d{i}" for i in range(size)] for query in relevant}}
    drawn = rw.judging.sample(runs, budget=30, seed=5)
    rows = drawn.to_frame().rows()
    grades = [float(int(item[1:]) < relevant[query] or int(item[1:]) % 60 == 30) for query, item, *_ in rows]
    return runs, drawn, rw.Qrels([row[0] for row in rows], [row[1] for row in rows], grades)


def test_a_warning_says_that_numbers_of_relevant_items_are_too_uncertain():
    """Four relevant items of 300 are seldom drawn, so that R̂ is mostly too low; with 30 at the top the rest matters little."""
    for many, is_warned in ((1, True), (30, False)):
        runs, drawn, judged = rare({str(q): many for q in range(12)})
        found = rw.judging.estimate(runs, judged, "ap", frame=drawn)
        assert {row.is_sparse for row in found.rows} == {is_warned}
        assert any(note.startswith("WARNING") for note in found.notes()) == is_warned


def test_the_uncertainty_is_that_of_the_formula_and_ends_at_the_cut_off():
    runs, drawn, judged = rare({"1": 2, "2": 15})
    found = rw.judging.estimate(runs, judged, ["ap", "ap@10", "ap(denom=R)@10"], frame=drawn)
    frame = drawn.whole_frame().with_columns(
        grade=pl.Series(
            [
                dict(
                    zip(
                        zip(judged.query.tolist(), judged.item.tolist(), strict=True),
                        judged.grade,
                        strict=True,
                    )
                ).get((q, i))
                for q, i, *_ in drawn.whole_frame().rows()
            ]
        )
    )
    spread, counts = {}, {}
    for query in "12":
        spread[query] = counts[query] = 0.0
        for stratum in frame["stratum"].unique():
            everywhere = frame.filter((pl.col("stratum") == stratum) & pl.col("drawn"))
            own = frame.filter((pl.col("stratum") == stratum) & (pl.col("query") == query))
            size, n, p = own.height, int(own["drawn"].sum()), float(everywhere["grade"].mean())
            spread[query] += size**2 * (1 - n / size) * p * (1 - p) / n
            counts[query] += float(own["grade"].sum()) * size / n
    whole = sum(spread.values()) / 2 / (sum(counts.values()) / 2) ** 2
    assert found["r", "ap"].uncertainty == pytest.approx(whole)
    assert found["r", "ap(denom=R)@10"].uncertainty == pytest.approx(whole)
    below = sum(spread[query] for query in "12" if counts[query] < 10) / 2 / (sum(counts.values()) / 2) ** 2
    assert 0 < below < whole
    assert found["r", "ap(denom=min_rk)@10"].uncertainty == pytest.approx(below)


def test_items_that_no_judgement_speaks_for_are_said():
    rows = [{"query": "q", "item": f"d{i}", "stratum": "AB"[i % 2], "grade": -1} for i in range(12)]
    for at in (0, 2, 9, 11):
        rows[at]["grade"] = 1
    found = rw.judging.estimate({"r": {"q": [f"d{i}" for i in range(12)]}}, rows, "ndcg@4")
    assert found.rows[0].unseen == 0.5  # d1 and d3 are of stratum B, of which d9 and d11 are judged
    assert any("up to 50 % of the items of a list within the cut-off" in note for note in found.notes())


def test_the_uncertainty_of_independent_draws_is_the_mean_of_all_queries():
    drawn = rw.judging.sample(RUNS, budget=16, design="poisson")
    found = rw.judging.estimate(RUNS, answers(drawn.to_frame()), "ap", frame=drawn)
    spread, counts = {"1": 0.0, "2": 0.0}, {"1": 0.0, "2": 0.0}
    for query, item, chance in drawn.to_frame().drop("drawn").rows():
        if GRADES[query, item] > 0:
            spread[query] += (1 - chance) / chance**2
            counts[query] += 1 / chance
    whole = sum(spread.values()) / 2 / (sum(counts.values()) / 2) ** 2
    assert found["a", "ap"].uncertainty == pytest.approx(whole)
