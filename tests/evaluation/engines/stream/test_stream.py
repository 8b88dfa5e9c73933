"""Evaluation part by part: parts, formats, kinds of ids, rules, errors; against the engine for memory."""

from __future__ import annotations

import gzip
import random
from importlib.resources import files

import numpy as np
import polars as pl
import pytest

import rankwell as rw

METRICS = ["ndcg@10", "ap", "rr", "bpref", "judged@5", "personalization@3"]
FILMS = files("rankwell") / "data" / "movietweetings"


def made(queries=60, seed=1, word="q"):
    """A run and judgements with ties, queries that only one of them has, and unjudged items; queries in ascending order."""
    rng = random.Random(seed)
    items = [f"i{n}" for n in range(40)]
    ids = [f"{word}{n:03}" for n in range(queries)]
    run = {q: {i: rng.randrange(9) / 4 for i in rng.sample(items, rng.randint(1, 12))} for q in ids[2:]}
    qrels = {
        q: {i: rng.choice([-1, 0, 0, 1, 2, 3]) for i in rng.sample(items, rng.randint(1, 9))}
        for q in ids[:-3]
    }
    return run, qrels


def frame(table, word):
    rows = [(q, i, value) for q, items in table.items() for i, value in items.items()]
    return pl.DataFrame(rows, schema=["query", "item", word], orient="row")


def shuffled(table):
    return table.sample(fraction=1, shuffle=True, seed=5)


def said(res):
    data = res.to_dict(per_query=True) | {"run": "", "query_columns": []}  # which dicts have none
    return data | {"counts": {k: n for k, n in data["counts"].items() if "read as integers" not in k}}


def both(run, qrels, metrics=METRICS, *, rows=(1, 7, 10_000), **options):
    """Results in memory, after those of several sizes of parts were found to say the same."""
    whole = rw.evaluate(run, qrels, metrics, **options)
    for size in rows:
        found = rw.evaluate(run, qrels, metrics, engine=rw.Stream(part_rows=size), **options)
        assert said(found) == said(whole), size
        assert found.conditions.__dict__ == whole.conditions.__dict__
    return whole


WRITERS = {
    "csv": lambda table, path: table.write_csv(path),
    "csv.gz": lambda table, path: path.write_bytes(gzip.compress(table.write_csv().encode())),
    "jsonl": lambda table, path: table.write_ndjson(path),
    "parquet": lambda table, path: table.write_parquet(path, row_group_size=50),
    "arrow": lambda table, path: table.write_ipc(path, compression="uncompressed"),
    "run": lambda table, path: path.write_text("".join(f"{q} Q0 {i} 1 {s} t\n" for q, i, s in table.rows())),
    "qrels": lambda table, path: path.write_text("".join(f"{q} 0 {i} {g}\n" for q, i, g in table.rows())),
    "json": lambda table, path: path.write_text(table.write_json()),
}


@pytest.mark.parametrize("order", [lambda table: table, shuffled], ids=["sorted", "shuffled"])
@pytest.mark.parametrize(
    "kinds", [(k, k) for k in WRITERS if k not in ("run", "qrels")] + [("run", "qrels"), ("run", "csv")]
)
def test_every_format_in_any_order(tmp_path, kinds, order):
    run, qrels = made()
    paths = [tmp_path / f"{name}.{kind}" for name, kind in zip(("run", "qrels"), kinds, strict=True)]
    WRITERS[kinds[0]](order(frame(run, "score")), paths[0])
    WRITERS[kinds[1]](order(frame(qrels, "grade")), paths[1])
    assert both(*paths).n["ap"] > 40


def test_several_files_tables_that_are_read_later_and_values_in_memory(tmp_path):
    run, qrels = made()
    table, judged = frame(run, "score"), frame(qrels, "grade")
    for n, part in enumerate(shuffled(table).iter_slices(100)):
        part.write_parquet(tmp_path / f"part-{n}.parquet")
    whole = said(both(run, qrels))
    assert said(both(str(tmp_path / "part-*.parquet"), judged.lazy())) == whole
    assert said(both(shuffled(table).lazy(), shuffled(judged))) == whole


@pytest.mark.parametrize("kinds", [(int, str), (str, int), (int, int)], ids=str)
def test_integers_of_one_side_and_text_of_the_other(kinds, tmp_path):
    rng = random.Random(3)
    lists, judged = made(40, word="")
    number = {f"i{n}": 900 + n for n in range(40)}
    tables = []
    for table, kind in zip((lists, judged), kinds, strict=True):
        tables.append(
            {kind(int(q) + 1): {kind(number[i]): v for i, v in items.items()} for q, items in table.items()}
        )
    run, qrels = tables
    both(run, qrels)
    backwards = dict(rng.sample(list(run.items()), len(run)))
    both(backwards, qrels)


def test_text_that_is_no_number_beside_integers_is_one_error():
    run, qrels = {"1": ["a"], "x": ["b"]}, {1: {7: 1}}
    for engine in ("memory", rw.Stream(part_rows=1)):
        with pytest.raises(rw.RankwellError, match="ids are text on one side and integers on the other"):
            rw.evaluate(run, qrels, ["ap"], engine=engine)


@pytest.mark.parametrize(
    "rules",
    [
        {"missing": "skip"}, {"undefined": "zero"}, {"ties": "expected"}, {"ties": "worst"}, {"depth": 3}, {"rel": 2},
        {"grades": "interactions"}, {"negative": "nonrelevant"}, {"population": "judged"}, {"population": "listed"}, {"grades": "ratings", "rel": 2},
    ],
    ids=str,
)  # fmt: skip
def test_every_rule(rules):
    metrics = ["ndcg@10", "ap", "rr"] if rules.get("ties") == "expected" else METRICS
    run, qrels = made()
    both(run, qrels, metrics, **rules)
    both(dict(reversed(run.items())), qrels, metrics, **rules)


def test_condensed_lists():
    both(*made(), ["ndcg@10", "ap"], unjudged="condense")


def test_ranks_from_0_are_known_by_all_parts():
    rows = [(f"q{n}", f"i{place}", place) for n in range(9) for place in range(3) if n or place]
    run = pl.DataFrame(rows, schema=["query", "item", "rank"], orient="row")
    qrels = {f"q{n}": {"i0": 1, "i2": 1} for n in range(9)}
    found = both(run, qrels, ["rr", "ndcg@2"])  # only the list of q0 has no rank 0
    assert found.per_query["rr"].to_list() == [1 / 3] + [1.0] * 8


def test_segments_weights_slices_users_and_training_data():
    run, qrels = made()
    rng = random.Random(4)
    users = pl.DataFrame({
        "query": [f"q{n:03}" for n in range(5, 70)],
        "tier": [rng.choice(["a", "b", None]) for _ in range(65)],
        "w": [rng.random() for _ in range(65)],
    })  # fmt: skip
    users = pl.concat([users, pl.DataFrame({"query": [f"q{n:03}" for n in range(5)], "tier": "a", "w": 1.0})])
    train = {f"q{n:03}": {f"i{rng.randrange(40)}": 1 for _ in range(4)} for n in rng.sample(range(60), 40)}
    slices = {"head": [f"i{n}" for n in range(10)], "tail": [f"i{n}" for n in range(10, 40)]}
    metrics = [*METRICS[:3], "coverage@3", "gini@5", "user_coverage@1", "msi@5", "arp@5", "epc@5"]
    for order in (list, reversed):
        given = dict(order(list(run.items())))
        both(
            given,
            qrels,
            metrics,
            items=[f"i{n}" for n in range(40)],
            users=users,
            by="tier",
            weights="w",
            train=train,
        )
        both(given, qrels, ["ndcg@5", "r@5"], slices=slices, weights="w", users=users)
        both(given, qrels, ["ndcg@5", "r@5"], slices=rw.long_tail(train))


def test_the_highest_grade_of_all_parts_counts_also_if_a_rule_takes_it_away():
    rows = [("a", "x", 9), ("a", "x", 1), ("b", "x", 2), ("c", "x", 3), ("c", "x", 3)]
    qrels = pl.DataFrame(rows, schema=["query", "item", "grade"], orient="row")
    run = {q: ["x"] for q in "abc"}
    found = both(run, qrels, ["err"], duplicate_grades="last", grades="judgements")
    assert found.conditions.grade_max == 3
    both(run, qrels, ["err"], duplicate_grades="max", grades="judgements")


@pytest.mark.parametrize("order", [list, reversed], ids=["sorted", "backwards"])
@pytest.mark.parametrize("fault", ["twice in a list", "twice judged", "grade", "score"])
def test_errors_name_the_line_as_in_memory(tmp_path, fault, order):
    run = [f"q{n:02} Q0 i{i} 1 {9 - i} t" for n in order(range(20)) for i in range(4)]
    qrels = [f"q{n:02} 0 i{i} 1" for n in order(range(20)) for i in range(4)]
    place = 50
    if fault == "twice in a list":
        run.insert(place + 1, run[place].replace(" 1 ", " 2 "))
    elif fault == "twice judged":
        qrels.insert(place + 1, qrels[place])
    elif fault == "grade":
        qrels[place] += "x"
    else:
        run[place] = run[place].replace(" t", "x t")
    (tmp_path / "x.run").write_text("\n".join(run) + "\n")
    (tmp_path / "x.qrels").write_text("\n".join(qrels) + "\n")
    errors = []
    for engine in ("memory", rw.Stream(part_rows=6)):
        with pytest.raises(rw.RankwellError) as error:
            rw.evaluate(tmp_path / "x.run", tmp_path / "x.qrels", ["ap"], engine=engine)
        errors.append(str(error.value))
    assert errors[0] == errors[1]
    assert ":51" in errors[0] or ":52" in errors[0]


@pytest.mark.parametrize(
    ("run", "qrels", "metrics", "message"),
    [
        ({"a": ["x"]}, {"b": {"x": 1}}, ["ap"], "no query of the run is judged"),
        ({"a": ["x"]}, {"a": {"x": 1}}, ["alpha_ndcg@5"], "needs topics"),
        ({"a": ["x"]}, {"a": {f"i{n}": n % 9 for n in range(99)} | {"x": 1}}, ["ap"], None),
        (
            {"a": ["x"], "b": ["x"]},
            {"a": {str(n): 1 + n % 9 for n in range(99)}, "b": {"x": 5}},
            ["ap"],
            "look like ratings",
        ),
    ],
)
def test_what_memory_refuses_is_refused(run, qrels, metrics, message):
    outcomes = []
    for engine in ("memory", rw.Stream(part_rows=1)):
        try:
            outcomes.append(rw.evaluate(run, qrels, metrics, engine=engine)[metrics[0]])
        except rw.RankwellError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1] or outcomes[0].partition(":")[0] == outcomes[1].partition(":")[0]
    assert message is None or message in str(outcomes[1])


@pytest.mark.parametrize("rows", [1, 100])
def test_lists_that_are_said_to_be_empty_are_as_in_memory(rows):
    run = {"a": [], "b": ["x", "y"], "c": ["y"], "d": []}
    asked = {"a": {"x": 1}, "b": {"x": 1}}, ["ap", "personalization"]
    res = rw.evaluate(run, *asked, engine=rw.Stream(part_rows=rows))
    assert res.mean == rw.evaluate(run, *asked).mean
    assert res.counts == rw.evaluate(run, *asked).counts


def test_an_evaluator_for_many_runs_and_what_it_cannot_do():
    run, qrels = made()
    evaluator = rw.Evaluator(qrels, ["ap", "ndcg@5"], engine=rw.Stream(part_rows=9))
    found = evaluator.evaluate_all({"a": run, "b": dict(reversed(run.items()))})
    whole = rw.evaluate(run, qrels, ["ap", "ndcg@5"])
    assert found["a"].mean == found["b"].mean == whole.mean
    assert "Evaluator of ap, ndcg@5" in repr(evaluator)
    with pytest.raises(rw.RankwellError, match="engine='memory'"):
        evaluator.curve(run, "q005")


def test_tables_that_have_been_read_are_not_forgotten():
    run, qrels = made()
    judged, log = rw.read_qrels(qrels), rw.read_qrels({q: ["i1"] for q in qrels})
    metrics, policy = ["ap", "arp@3"], rw.Policy(outside="ignore")
    found, whole = (
        rw.Evaluator(judged, metrics, policy=policy, train=log, engine=each).evaluate(run)
        for each in (rw.Stream(part_rows=9), None)
    )
    assert said(found) == said(whole)
    assert whole["ap"] > 0


def test_values_are_written_to_a_file_of_saved_results(tmp_path):
    run, qrels = made()
    whole = rw.evaluate(run, qrels, METRICS)
    for table in (frame(run, "score"), shuffled(frame(run, "score"))):
        path = tmp_path / "values.parquet"
        found = rw.evaluate(table, qrels, METRICS, engine=rw.Stream(part_rows=20), per_query=path)
        assert found.mean == whole.mean
        assert not found.part.values
        again = rw.Results.load(path)
        assert again.per_query.equals(whole.per_query)
        assert again.mean == whole.mean
        assert [each.name for each in tmp_path.iterdir()] == ["values.parquet"]
    with pytest.raises(rw.RankwellError, match="for engine='stream'"):
        rw.evaluate(run, qrels, ["ap"], per_query=path, engine="memory")


def test_all_metrics_that_the_films_allow_in_one_job():
    metrics = [
        cls.name + ("@10" if cls.cut == "required" else "")
        for cls in rw.metrics.classes()
        if cls.__module__.startswith("rankwell.") and not cls.only_grades and "parts" not in cls.needs
    ]
    tables = {"train": str(FILMS / "train.parquet"), "items": str(FILMS / "items.parquet")}
    usable = []
    judgements = rw.read_qrels(FILMS / "test.parquet")
    for metric in metrics:
        try:
            rw.Evaluator(judgements, [metric], rel=8, outside="ignore", **tables)
        except rw.RankwellError:
            continue
        usable.append(metric)
    assert len(usable) > 60
    run = str(FILMS / "popular.parquet")
    whole = rw.evaluate(run, str(FILMS / "test.parquet"), usable, rel=8, outside="ignore", **tables)
    found = rw.evaluate(
        run,
        str(FILMS / "test.parquet"),
        usable,
        rel=8,
        outside="ignore",
        engine=rw.Stream(part_rows=2_000),
        **tables,
    )
    assert found.per_query.equals(whole.per_query)
    for name, value in whole.mean.items():
        assert found.mean[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


def test_the_number_of_queries_is_estimated():
    from rankwell.evaluation.engines.stream.survey import Distinct
    from rankwell.tables.ids import Ids

    for wanted in (10, 1000, 50_000):
        sketch = Distinct()
        for part in np.array_split(
            np.random.default_rng(wanted).permutation(np.repeat(np.arange(wanted), 3)), 7
        ):
            sketch.add(Ids.of_integers(part))
        assert sketch.number == pytest.approx(wanted, rel=0.1)  # 3 standard errors of 1/√1024


@pytest.mark.parametrize("ids", [(str, int), (int, str)])
@pytest.mark.parametrize("judged", [str, int])
@pytest.mark.parametrize("word", ["query", "item"])
def test_files_whose_ids_are_text_in_one_and_integers_in_another_are_told_apart(tmp_path, ids, judged, word):
    for name, kind in zip("ab", ids, strict=True):
        rows = pl.DataFrame({"query": [1, 2], "item": [3, 4], "score": [1.0, 2.0]})
        path = tmp_path / f"{name}.parquet"
        rows.with_columns(pl.col(word).cast(pl.String if kind is str else pl.Int64)).write_parquet(path)
    text, integers = (("a", "b"), ("b", "a"))[ids[0] is int]
    plain = {judged(1): {judged(3): 1}, judged(2): {judged(4): 1}}
    with pytest.raises(rw.RankwellError, match=f"{word} ids are text in {text} and integers in {integers}"):
        rw.evaluate(str(tmp_path / "*.parquet"), plain, "ap", engine="stream")
    files = f"{text}.parquet and integers in {integers}.parquet"
    for engine in ("memory", "stream"):
        columns = {"score": "grade"}
        with pytest.raises(rw.RankwellError, match=f"{word} ids are text in {files}"):
            rw.evaluate(plain, str(tmp_path / "*.parquet"), "ap", engine=engine, qrels_columns=columns)


def test_a_file_without_grades_is_named_before_its_ids(tmp_path):
    pl.DataFrame({"query": ["1"], "item": ["3"]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"query": [1], "item": [3], "grade": [1]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(rw.RankwellError, match=r"a\.parquet: it has no grade"):
        rw.read_qrels(str(tmp_path / "*.parquet"))
