"""Segments and weights: what a table of users says of each query, against plain loops over the values of queries."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run as command
from rankwell.evaluation.engines.memory import Memory
from rankwell.matching.batch import Judged

RNG = random.Random(5)
ITEMS = [f"i{number}" for number in range(20)]
QUERIES = [f"q{number}" for number in range(40)]
RUN = {query: {item: RNG.random() for item in RNG.sample(ITEMS, 8)} for query in QUERIES}
QRELS = {
    query: {item: RNG.randint(0, 1) for item in RNG.sample(ITEMS, 8)} for query in [*QUERIES[:36], "missing"]
}
USERS = pl.DataFrame(
    {
        "user_id": [*QUERIES[:30], "missing"],
        "tier": [RNG.choice(["VIP", "gold", "silver"]) for _ in range(31)],
        "country": [RNG.choice(["DE", None]) for _ in range(31)],
        "spent": [float(RNG.randint(0, 5)) for _ in range(31)],
    }
)
METRICS = ["ndcg@5", "ap", "gmap", "num_rel", "coverage@3"]


def results(**options):
    return rw.evaluate(RUN, QRELS, METRICS, items=ITEMS, users=USERS, **options)


def test_each_segment_has_the_value_of_its_queries_alone():
    res = results(by="tier")
    tiers = dict(zip(USERS["user_id"], USERS["tier"], strict=True))
    rows = {row["tier"]: row for row in res.segments.to_dicts()}
    assert set(rows) == {"VIP", "gold", "silver", "(unknown)"}
    for tier, row in rows.items():
        inside = [query for query in [*QUERIES, "missing"] if tiers.get(query, "(unknown)") == tier]
        run = {query: RUN[query] for query in inside if query in RUN}
        qrels = {query: QRELS[query] for query in inside if query in QRELS}
        alone = rw.evaluate(run, qrels, METRICS, items=ITEMS)
        assert row["mean"] == alone.mean
        assert row["n"] == alone.n
        assert row["queries"] == len(qrels)
    assert sum(row["queries"] for row in rows.values()) == len(QRELS)


def test_several_columns_give_their_combinations():
    res = results(by=["tier", "country"])
    frame = res.segments.to_frame()
    assert frame.columns[:3] == ["tier", "country", "queries"]
    expected = {
        *USERS.with_columns(pl.col("country").fill_null("(unknown)")).select("tier", "country").rows()
    }
    assert {*frame.select("tier", "country").rows()} == expected | {("(unknown)", "(unknown)")}


def test_the_table_tells_the_distance_to_the_best_segment():
    table = results(by="tier").segments.to_table()
    values = [row["ndcg@5"] for row in table.to_records()]
    gaps = [row["ndcg@5 to best"] for row in table.to_records()]
    assert gaps == [value - max(values) for value in values]
    assert not any("num_rel to best" in row for row in table.to_records()), "neither end of a count is better"


def test_weighted_means_are_those_of_numpy():
    users = USERS.vstack(USERS[:6].with_columns(user_id=pl.Series(QUERIES[30:36])))
    res = rw.evaluate(RUN, QRELS, METRICS, items=ITEMS, users=users, weights="spent")
    weights = dict(zip(users["user_id"], users["spent"], strict=True))
    frame = res.per_query
    for metric in ("ndcg@5", "ap"):
        rows = frame.filter(pl.col(metric).is_not_null())
        expected = np.average(rows[metric].to_numpy(), weights=[weights[query] for query in rows["query"]])
        assert res[metric] == pytest.approx(expected, abs=1e-15)
    logs = np.log(np.maximum(frame["gmap"].to_numpy(), 1e-5))
    expected = math.exp(np.average(logs, weights=[weights[query] for query in frame["query"]]))
    assert res["gmap"] == pytest.approx(expected, abs=1e-12)
    plain = rw.evaluate(RUN, QRELS, METRICS, items=ITEMS)
    assert res.plain_mean == plain.mean
    assert res["num_rel"] == plain["num_rel"]
    assert res["coverage@3"] == plain["coverage@3"]
    assert res.is_weighted == {
        "ndcg@5": True,
        "ap": True,
        "gmap": True,
        "num_rel": False,
        "coverage@3": False,
    }
    assert "means are weighted by spent (but not num_rel, coverage@3)" in str(res.to_table())


def test_batches_and_threads_change_nothing_and_parts_add_up():
    whole = results(by="tier")
    for batch, threads in ((1, 1), (7, 2)):
        again = results(by="tier", engine=Memory(batch=batch), threads=threads)
        assert again.segments.to_dicts() == whole.segments.to_dicts()
    ev = rw.Evaluator(QRELS, ["ap", "gmap"], users=USERS, by="tier", policy=rw.Policy(missing="skip"))
    halves = [ev.evaluate({query: RUN[query] for query in part}) for part in (QUERIES[:15], QUERIES[15:])]
    added = halves[0] + halves[1]
    assert added.segments.to_dicts() == ev.evaluate(RUN).segments.to_dicts()
    with pytest.raises(rw.RankwellError, match="different segments or weights"):
        _ = halves[0] + rw.evaluate(
            {"q20": RUN["q20"]}, QRELS, ["ap", "gmap"], policy=rw.Policy(missing="skip")
        )


def test_users_may_be_numbers_where_queries_are_their_text():
    users = pl.DataFrame({"query": [1, 2], "tier": ["a", "b"]})
    for ids in (["1", "2"], [1, 2]):
        frame = pl.DataFrame({"query": ids, "item": ["x", "y"], "score": [1.0, 2.0]})
        qrels = pl.DataFrame({"query": ids, "item": ["x", "x"], "grade": [1, 1]})
        rows = rw.evaluate(frame, qrels, "rr", users=users, by="tier").segments.to_frame()
        assert dict(zip(rows["tier"], rows["rr"], strict=True)) == {"a": 1.0, "b": 0.0}
        text = rw.evaluate(frame, qrels, "rr", users=users.cast({"query": pl.String}), by="tier").segments
        assert text.to_frame().equals(rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "tire"}, "users has no column 'tire'; it has tier, country or spent. Did you mean tier?"),
        ({"by": ["tier", "tier"]}, "names a column twice"),
        ({"weights": "tier"}, "the column 'tier' is String, not numbers"),
        ({"weights": "spent"}, "query 'q30' has no row in users, so it has no weight"),
    ],
)
def test_what_cannot_be_divided_is_said(options, message):
    with pytest.raises(rw.RankwellError) as error:
        results(**options)
    assert message in str(error.value)


def test_a_table_of_users_must_be_given_and_have_one_row_per_query():
    with pytest.raises(rw.RankwellError, match="give users="):
        rw.evaluate(RUN, QRELS, METRICS, items=ITEMS, by="tier")
    with pytest.raises(rw.RankwellError, match="query 'q0' is repeated"):
        rw.evaluate(RUN, QRELS, "ap", users=USERS.vstack(USERS[:1]), by="tier")
    with pytest.raises(rw.RankwellError, match="has the weight -1"):
        rw.evaluate(RUN, QRELS, "ap", users=USERS.with_columns(spent=pl.lit(-1)), weights="spent")
    with pytest.raises(rw.RankwellError, match="no column for the query"):
        rw.evaluate(RUN, QRELS, "ap", users=USERS.rename({"user_id": "who"}), by="tier")
    with pytest.raises(rw.RankwellError, match="there are no segments; give by= and users="):
        _ = rw.evaluate(RUN, QRELS, "ap").segments


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".ndjson"])
def test_the_command_reads_users_from_files(tmp_path, suffix, capsys):
    writers = {
        ".csv": USERS.write_csv,
        ".parquet": USERS.write_parquet,
        ".arrow": USERS.write_ipc,
        ".ndjson": USERS.write_ndjson,
    }
    writers[suffix](tmp_path / f"users{suffix}")
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    files = [str(tmp_path / "qrels.json"), str(tmp_path / "run.json")]
    assert (
        command(["evaluate", *files, "-m", "ap", "--users", str(tmp_path / f"users{suffix}"), "--by", "tier"])
        == 0
    )
    printed = capsys.readouterr().out
    assert "run by tier" in printed
    expected = results(by="tier").segments.to_dicts()
    for row in expected:
        assert f"{row['mean']['ap']:.4f}" in printed
    assert command(["evaluate", *files, "-m", "ap", "--by", "tier"]) == 2
    assert "give --users" in capsys.readouterr().err


def test_damaged_tables_of_users_are_one_line(tmp_path):
    for name, content in {
        "a.parquet": b"PAR1xx",
        "b.csv": b'user_id,tier\n"a,b\n',
        "c.txt": b"nothing here at all\n",
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(rw.RankwellError) as error:
            rw.evaluate(RUN, QRELS, "ap", users=tmp_path / name, by="tier")
        assert "\n" not in str(error.value)
        assert name in str(error.value)


def test_lists_are_grouped_once_however_many_segments_there_are(monkeypatch):
    run = {f"q{number}": {item: RNG.random() for item in RNG.sample(ITEMS, 4)} for number in range(64)}
    qrels = {query: dict.fromkeys(ITEMS[:3], 1) for query in run}
    taken: list[int] = []
    take = Judged.take
    monkeypatch.setattr(
        Judged, "take", lambda self, rows, found: (taken.append(len(rows)), take(self, rows, found))[1]
    )
    for segments in (1, 2, 64):
        taken.clear()
        users = [{"query": query, "tier": number % segments} for number, query in enumerate(run)]
        res = rw.evaluate(run, qrels, ["ndcg@3", "coverage@3"], items=ITEMS, users=users, by="tier")
        assert len(res.segments.to_dicts()) == segments
        assert sum(taken) == 64 * math.log2(segments)


def test_segments_of_any_size_have_the_mean_of_their_queries_rounded_once():
    run = {f"q{number}": {item: RNG.random() for item in RNG.sample(ITEMS, 8)} for number in range(120)}
    qrels = {query: {item: RNG.randint(0, 3) for item in RNG.sample(ITEMS, 6)} for query in run}
    tiers = dict(zip(run, [*[0] * 60, *[1] * 25, *[2] * 3, 3, 3, *range(4, 34)], strict=True))
    users = [{"query": query, "tier": tier} for query, tier in tiers.items()]
    names = ["ndcg@5", "ap", "gmap", "num_rel_ret", "rr"]
    for rows in (20, 10_000):
        res = rw.evaluate(
            run, qrels, names, users=users, by="tier", per_query=False, engine=Memory(batch=rows)
        )
        assert res.per_query.columns == ["query"]
        whole = rw.evaluate(run, qrels, names)
        for row in res.segments.to_dicts():
            for metric in whole.metrics:
                inside = np.array([str(tiers[query]) == row["tier"] for query in whole.queries])
                own = whole.values(metric)[inside]
                state = metric.summary(own[~np.isnan(own)])
                assert row["n"][str(metric)] == state.n
                assert row["mean"][str(metric)] == pytest.approx(state.value, abs=0, rel=0, nan_ok=True)


@pytest.mark.parametrize("column", ["queries", "mean", "n", "rr"])
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_a_column_of_segments_with_the_name_of_another_column_is_refused(column, engine):
    users = [{"query": "1", column: "x"}]
    with pytest.raises(
        rw.RankwellError, match=rf"by='{column}': the name is .*Call the column of users otherwise\.$"
    ):
        rw.evaluate({"1": ["a"]}, {"1": {"a": 1}}, ["rr"], users=users, by=column, engine=engine)


def test_metrics_with_the_same_n_that_are_no_neighbours_have_a_column_each():
    grades = {
        "1": {"a": 1},
        "2": {"a": 0},
        "3": {"a": 1},
    }  # the second has no relevant item: n is 1 for all but num_ret
    users = [{"query": query, "half": half} for query, half in zip("123", "xxy", strict=True)]
    res = rw.evaluate(
        {query: ["a"] for query in grades}, grades, ["ap", "num_ret", "rr", "p@1"], users=users, by="half"
    )
    names = [column.name for column in res.segments.to_table().columns]
    assert [name for name in names if name.startswith("n ") or name == "n"] == ["n", "n of p@1"]
