"""What every Spark has to do: the values of memory for every registered metric, in one job for each data set, however queries are grouped."""

from __future__ import annotations

import json
import pickle
import random
import warnings
from functools import cache
from importlib.resources import files
from typing import ClassVar

import numpy as np
import polars as pl
import pytest
from tests.evaluation.engines.stream.test_stream import frame, made, said, shuffled
from tests.laws.test_laws import METRICS
from tests.laws.test_laws_of_streams import POLICIES, PRIORS

import rankwell as rw
from rankwell import testing
from rankwell.comparison.compare import cells, spread
from rankwell.errors import DataError, UsageError
from rankwell.evaluation.engines.spark import engine, job, workers
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.results import intervals as spark_intervals
from rankwell.statistics import intervals
from rankwell.tables.states import Tally

FILMS = files("rankwell") / "data" / "movietweetings"


def sent(spark, table):
    return spark.createDataFrame(table.to_arrow(compat_level=pl.CompatLevel.oldest()))


def everything(res):
    data = said(res)
    return {name: str(value) for name, value in data.items() if name != "counts"} | {"counts": data["counts"]}


@cache
def many(queries):
    """Runs of so many queries that comparisons draw nothing: one lacks some queries, and two differ in a few alone."""
    draw = np.random.default_rng(4)
    grades = draw.integers(0, 3, (queries, 2))
    ids = np.arange(queries)
    qrels = pl.DataFrame({
        "query": np.repeat(ids, 2), "item": np.tile(["a", "b"], queries), "grade": grades.ravel(),
    })  # fmt: skip

    def run(first, of=ids):
        other = np.where(first == "a", "b", "a")
        return pl.DataFrame({
            "query": np.repeat(of, 2), "item": np.column_stack([first, other])[of].ravel(), "score": np.tile([2.0, 1.0], len(of)),
        })  # fmt: skip

    old = np.where(draw.random(queries) < 0.5, "a", "c")
    good = np.where(draw.random(queries) < 0.5, "b", "d")
    near = np.where(np.arange(queries) < 12, "a", good)
    return {"old": run(old, ids[7:]), "good": run(good), "near": run(near)}, qrels


def few_are_many(monkeypatch):
    """Let a thousand queries be very many, as a hundred thousand are."""
    for module in (cells, intervals, spread):
        monkeypatch.setattr(module, "LARGE", 1_000)
    for module in (intervals, spread):  # the bootstrap of a segment of fewer queries needs their values
        monkeypatch.setattr(module, "ENOUGH", 60)


def compared_by_sums(spark, monkeypatch, queries, options, rules):
    """Compare runs of many queries on Spark, which must not hand over their values, and here."""
    runs, qrels = many(queries)
    metrics = ["rr", "ndcg@2", "p@1", "coverage@2"]
    rules = {"items": pl.DataFrame({"item": ["a", "b", "c", "d"]}), **rules}
    whole = rw.compare(runs, qrels, metrics, **rules, **options)
    judged = sent(spark, qrels)
    results = {
        name: rw.evaluate(sent(spark, shuffled(run)), judged, metrics, **rules) for name, run in runs.items()
    }
    monkeypatch.setattr(rw.Results, "collected", lambda self: pytest.fail("values were collected"))
    tables = {name: rules[name] for name in ("users", "by") if name in rules}
    found = rw.compare(results, **tables, **options)
    assert_alike(found.to_dict(), whole.to_dict())
    assert repr(found) == repr(whole)


def assert_alike(found, told):
    """The same values, numbers to twelve digits."""
    assert type(found) is type(told)
    if isinstance(found, dict):
        assert found.keys() == told.keys()
        for name in found:
            assert_alike(found[name], told[name])
    elif isinstance(found, list):
        assert len(found) == len(told)
        for one, other in zip(found, told, strict=True):
            assert_alike(one, other)
    elif isinstance(found, float):
        assert found == pytest.approx(told, rel=1e-12, abs=1e-13, nan_ok=True)
    else:
        assert found == told


class Suite:
    """The tests, of which each file of a kind of Spark runs all; ``lacking`` are metrics that it cannot compute, with the reason."""

    lacking: ClassVar[dict[str, str]] = {}

    @pytest.mark.parametrize(
        "groups", [1, 4, 40]
    )  # all queries in one; several with more than one; most of them empty
    def test_every_registered_metric_in_one_job(self, spark, groups, monkeypatch):
        if groups > 1:  # counts of items are added up by item, two items at a time
            monkeypatch.setattr(job, "WIDTH", 2)
        every = list(dict.fromkeys([*METRICS, *map(metric_of, PRIORS)]))
        apart: dict[
            tuple[bool, bool, bool], list[Metric]
        ] = {}  # of spans, of parts, and of few grades: these have data of their own
        for metric in every:
            kind = "spans" in metric.needs, "parts" in metric.needs, bool(metric.only_grades)
            apart.setdefault(kind, []).append(metric)
        assert len(apart) == 4
        policy = POLICIES[groups % 2]
        for metrics in apart.values():
            given = testing.example(groups).fit(metrics[0])
            run = given.lists(metrics)
            whole = given.new_evaluator(metrics, policy=policy).evaluate(run)
            found = given.new_evaluator(
                metrics, policy=policy, engine=rw.Spark(spark, groups=groups)
            ).evaluate(run)
            assert everything(found) == everything(whole)
            assert vars(found.conditions) == vars(whole.conditions)

    def test_parts_are_those_of_memory_and_have_numbers(self, spark):
        draw = random.Random(4)
        rows = [
            (query, part, f"d{n}", draw.choice([1.0, 0.5, 0.0, None]), -float(n))
            for query in range(40)
            for part in range(draw.randint(0, 4))
            for n in range(draw.randint(0, 3))
        ]
        rows += [(1, 9, None, None, None), (50, None, None, None, None)]
        run = pl.DataFrame(rows, ["query", "part", "item", "support", "score"], orient="row")
        metrics = ["citation_p", "citation_r(which=all)", "citation_p(uncited=skip)"]
        whole = rw.evaluate(run, {7: {"d0": 1}, 60: {"d0": 1}}, metrics)
        texts = run.with_columns(pl.col("part").cast(pl.String))
        for table in (run, texts):
            for where in (rw.Spark(spark, groups=5), "memory"):
                for source in (sent(spark, shuffled(table)), table):
                    found = rw.evaluate(source, {7: {"d0": 1}, 60: {"d0": 1}}, metrics, engine=where)
                    assert found.per_query.sort("query").equals(whole.per_query.sort("query"))
                    assert everything(found)["counts"] == everything(whole)["counts"]
        named = run.with_columns(part="x" + pl.col("part").cast(pl.String))
        for source, where in (
            (sent(spark, named), "memory"),
            (sent(spark, named), None),
            (named, rw.Spark(spark)),
        ):
            with pytest.raises(
                DataError, match=r"run: the part 'x[0-9]' has no number, and the rows of Spark have no order"
            ):
                rw.evaluate(source, None, metrics, engine=where)
        assert len(rw.evaluate(named, None, metrics).per_query) == run["query"].n_unique()

    def test_frames_of_spark_choose_the_engine_and_keep_the_values(self, spark):
        run, qrels = (frame(table, word) for table, word in zip(made(), ("score", "grade"), strict=True))
        whole = rw.evaluate(run, qrels, ["ap", "ndcg@5", "personalization@3"])
        found = rw.evaluate(
            sent(spark, shuffled(run)), sent(spark, shuffled(qrels)), ["ap", "ndcg@5", "personalization@3"]
        )
        assert set(found.spark_rows.columns) == {"query", "ap", "ndcg@5"}
        assert not len(found.part.queries)
        assert found.per_query.equals(whole.per_query)
        assert everything(found) == everything(whole)
        assert rw.evaluate(sent(spark, run), qrels, ["ap"], per_query=False).spark_rows is None
        assert said(rw.evaluate(sent(spark, run), sent(spark, qrels), ["ap"], engine="memory")) == said(
            rw.evaluate(run, qrels, ["ap"])
        )

    @pytest.mark.parametrize("keeps", [True, False])
    def test_a_ledger_has_the_hashes_and_the_spread_of_memory(self, spark, tmp_path, keeps):
        run, qrels = (
            {f"q{q}": {f"d{d}": (7 * q + 3 * d) % 11 / of for d in range(8)} for q in range(40)}
            for of in (10, 1)
        )
        ledger, tables = tmp_path / "ledger.jsonl", (frame(run, "score"), frame(qrels, "grade"))
        rw.evaluate(run, qrels, ["rr(rel=9)"], rel=5, ledger=ledger)
        sent_there = [sent(spark, table) for table in tables]
        res = rw.evaluate(*sent_there, ["rr(rel=9)"], rel=5, engine=rw.Spark(spark, groups=3), per_query=keeps, ledger=ledger)  # fmt: skip
        assert (res.spark_rows is not None) == keeps
        here, there = (json.loads(line) for line in ledger.read_text().splitlines())
        assert [here[name] for name in ("qrels_hash", "run_hash", "policy")] == [there[name] for name in ("qrels_hash", "run_hash", "policy")]  # fmt: skip
        one, other = (line["metrics"]["rr(rel=9)"] for line in (here, there))
        assert one | {"sd": 0} == other | {"sd": 0}
        assert other["sd"] == pytest.approx(one["sd"], rel=1e-12)

    @pytest.mark.parametrize("width", [1 << 20, 1000], ids=["whole", "by item"])
    def test_skewed_lists_segments_weights_slices_training_data_and_users(self, spark, monkeypatch, width):
        monkeypatch.setattr(job, "WIDTH", width)
        rng = random.Random(5)
        rows = [("much", f"i{n}", rng.random()) for n in range(3000)]
        rows += [(f"q{q}", f"i{n}", rng.random()) for q in range(40) for n in rng.sample(range(3000), 5)]
        run = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
        qrels = {
            q: {f"i{n}": rng.choice([0, 1, 2]) for n in rng.sample(range(3000), 9)}
            for q in ["much", *(f"q{q}" for q in range(45))]
        }
        users = pl.DataFrame(
            {
                "query": [*qrels, "other"],
                "tier": [rng.choice("ab") for _ in range(47)],
                "w": [rng.random() for _ in range(47)],
            }
        )
        items = pl.DataFrame(
            {
                "item": [f"i{n}" for n in range(3000)],
                "topics": [rng.choice(["x", "y", "x|y"]) for _ in range(3000)],
            }
        )
        train = {q: {f"i{n}": rng.choice([1, 0.1]) for n in rng.sample(range(3000), 4)} for q in qrels}
        tables = {"users": users, "by": "tier", "weights": "w", "items": items, "train": train}
        tables["slices"] = {
            "head": [f"i{n}" for n in range(900)],
            "tail": [f"i{n}" for n in range(900, 3000)],
        }
        metrics = ["ndcg@10", "ap", "user_coverage@1", "coverage@5", "gini@5", "msi@5", "ab_ndcg@5", "arp@5"]
        whole = rw.evaluate(run, qrels, metrics, **tables)
        found = rw.evaluate(sent(spark, run), qrels, metrics, engine=rw.Spark(groups=7), **tables)
        assert everything(found) == everything(whole)
        assert isinstance(found.part.states[metric_of("gini@5")], Tally) == (width == 1000)

    @pytest.mark.parametrize("kind", [pl.Int64, pl.String])
    def test_users_are_sent_to_the_groups_of_their_lists_and_to_no_others(self, spark, monkeypatch, kind):
        sizes = []

        def spied(rows, job, schema):
            sizes.append(len(pickle.dumps(job)))
            return workers.map_batches(rows, job, schema)

        monkeypatch.setattr(engine, "map_batches", spied)
        tables = (frame(table, word) for table, word in zip(made(), ("score", "grade"), strict=True))
        run, qrels = (
            table.with_columns(query=pl.col("query").str.slice(1).cast(pl.Int64)) for table in tables
        )
        for count in (100, 50_000):
            number = pl.Series("query", range(count))
            users = pl.DataFrame(
                [number.cast(kind), (number % 3).cast(pl.String).alias("tier"), (1.0 + number % 7).alias("w")]
            )
            options = {"users": users, "by": "tier", "weights": "w", "missing": "skip"}
            whole = rw.evaluate(run, qrels, ["ap", "ndcg@5"], **options)
            found = rw.evaluate(
                sent(spark, run),
                sent(spark, qrels),
                ["ap", "ndcg@5"],
                engine=rw.Spark(spark, groups=3),
                **options,
            )
            assert everything(found) == everything(whole)
        few, many = sizes
        assert many < few + 100

    def test_users_that_are_integers_and_lists_of_text_are_refused_as_in_memory(self, spark):
        run, qrels = (frame(table, word) for table, word in zip(made(), ("score", "grade"), strict=True))
        rules = {"users": pl.DataFrame({"query": [1, 2, 3], "tier": ["a", "b", "a"]}), "by": "tier"}
        with pytest.raises(rw.RankwellError, match="text on one side and integers on the other"):
            rw.evaluate(run, qrels, ["ap"], **rules)
        with pytest.raises(rw.RankwellError, match="text on one side and integers on the other"):
            rw.evaluate(sent(spark, run), sent(spark, qrels), ["ap"], **rules)

    def test_the_films(self, spark):
        tables = [pl.read_parquet(FILMS / f"{name}.parquet") for name in ("popular", "test", "train")]
        options = {"items": FILMS / "items.parquet", "rel": 8, "outside": "ignore"}
        metrics = ["ndcg@10", "ap", "hit@10", "coverage@10", "msi@10", "ab_ndcg@10", "entropy@10"]
        run, test, train = tables
        whole = rw.evaluate(run, test, metrics, train=train, **options)
        run, test, train = (sent(spark, table) for table in tables)
        found = rw.evaluate(run, test, metrics, train=train, engine=rw.Spark(groups=5), **options)
        assert everything(found) == everything(whole)

    @pytest.mark.parametrize("kinds", [(str, str), (int, int), (str, int), (int, str)], ids=str)
    @pytest.mark.parametrize("column", ["score", "rank"])
    def test_a_query_s_own_item_is_left_out(self, spark, kinds, column):
        query, item = kinds
        rows = [(query(q), item(i), q + 9 - i) for q in range(20) for i in range(q - 2, q + 4) if i >= 0]
        run = pl.DataFrame(rows, schema=["query", "item", column], orient="row")
        qrels = pl.DataFrame(
            [(q, i, 1) for q, i, _ in rows[::3]], schema=["query", "item", "grade"], orient="row"
        )
        options = {"metrics": ["ap", "first_rank", "num_ret"], "drop_own_query": True}
        whole = rw.evaluate(run, qrels, **options)
        found = rw.evaluate(
            sent(spark, shuffled(run)), sent(spark, qrels), engine=rw.Spark(spark, groups=3), **options
        )
        assert whole.counts["rows whose item is the query itself"] == 20
        assert everything(found) == everything(whole)

    @pytest.mark.parametrize("judged", ["groups", "items"])
    @pytest.mark.parametrize("group", ["#", "document"])
    def test_passages_are_folded_into_documents(self, spark, judged, group):
        rows = [
            (f"q{q}", f"d{d}#{p}", d % 3 + p % 2) for q in range(20) for d in range(6) for p in range(q % 4)
        ]
        run = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
        own = [(q, i if judged == "items" else i.split("#")[0], len(i) % 2) for q, i, _ in rows[::3]]
        qrels = pl.DataFrame(own, schema=["query", "item", "grade"], orient="row").unique(["query", "item"])
        options = {
            "metrics": ["ap", "ndcg@3", "num_ret"],
            "group": group,
            "judged": judged,
            "missing": "skip",
        }
        if group == "document":
            items = run.select("item").unique()
            options["items"] = items.with_columns(document=pl.col("item").str.split("#").list.first())
        whole = rw.evaluate(run, qrels, **options)
        found = rw.evaluate(
            sent(spark, shuffled(run)), sent(spark, qrels), engine=rw.Spark(spark, groups=3), **options
        )
        assert whole.counts["rows folded into the first of their group"] > 0
        assert everything(found) == everything(whole)

    @pytest.mark.parametrize("fill", ["stop", "skip", "cut"])
    @pytest.mark.parametrize("of", ["items", "run"])
    def test_lists_are_cut_by_a_budget(self, spark, of, fill):
        rng = random.Random(5)
        rows = [
            (f"q{q}", f"d{i}#{rng.randrange(3)}", rng.random(), rng.randrange(9))
            for q in range(30)
            for i in rng.sample(range(20), 8)
        ]
        run = pl.DataFrame(rows, schema=["query", "item", "score", "tokens"], orient="row")
        own = [(q, i.split("#")[0], rng.randrange(3)) for q, i, *_ in rows[::2]]
        qrels = pl.DataFrame(own, schema=["query", "item", "grade"], orient="row")
        options = {
            "metrics": ["r@12t", "dcg@20t", "size_p@12t", "used@20t", "used"],
            "group": "#", "judged": "groups", "sizes": "tokens", "fill": fill, "missing": "skip",
        }  # fmt: skip
        if of == "items":
            options["items"] = run.select("item", "tokens").unique("item", maintain_order=True)
            run = run.drop("tokens")
        whole = rw.evaluate(run, qrels, **options)
        found = rw.evaluate(
            sent(spark, shuffled(run)), sent(spark, qrels), engine=rw.Spark(spark, groups=3), **options
        )
        assert 0 < whole["r@12t"] < 1
        assert everything(found) == everything(whole)

    @pytest.mark.parametrize(
        ("pairs", "metric", "what"),
        [(["x_0", "x_1"], "epc@2", "item"), (["0", "1"], "epc@2", None), (["0", "1"], "delta_gap@2", "user")],
    )
    def test_training_data_that_know_no_judged_item_or_user_are_warned_of(self, spark, pairs, metric, what):
        run = pl.DataFrame({"query": ["q", "r"], "item": ["0", "1"], "score": [2.0, 1.0]})
        qrels = pl.DataFrame({"query": ["q", "r"], "item": ["0", "1"], "grade": [1, 2]})
        train = pl.DataFrame({"user": ["other", "another"], "item": pairs})
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            rw.evaluate(*(sent(spark, each) for each in (run, qrels)), [metric], train=sent(spark, train))
        texts = [str(each.message) for each in said if "in the training data" in str(each.message)]
        assert [f"no judged {what} is" in text for text in texts] == [True] * bool(what)

    @pytest.mark.parametrize("kinds", [(int, str), (str, int)], ids=str)
    def test_integers_of_one_side_and_text_of_the_other(self, spark, kinds):
        run, qrels = (
            {kind(q): {kind(i): 1 + i % 2 for i in range(q, q + 4)} for q in range(9)} for kind in kinds
        )
        whole = rw.evaluate(run, qrels, ["ap"])
        found = rw.evaluate(run, qrels, ["ap"], engine=rw.Spark(spark, groups=3))
        assert found.mean == whole.mean
        with pytest.raises(rw.RankwellError, match="text on one side and integers on the other"):
            rw.evaluate({"x": {"a": 1.0}}, {1: {1: 1}}, ["ap"], engine=rw.Spark(spark))

    def missing(self, spark):
        run = pl.DataFrame({"query": ["q", "r"], "item": ["a", "b"], "score": [2.0, 1.0]})
        qrels = pl.DataFrame({"query": ["q", "r"], "item": ["a", "b"], "grade": [1, 2]})
        for name, table in {"run": run, "qrels": qrels}.items():
            for column in table.columns:
                gap = table.with_columns(pl.when(pl.col("query") != "r").then(column).alias(column))
                both = {"run": run, "qrels": qrels, name: gap}
                with pytest.raises(rw.RankwellError, match=f"the {column} is missing") as error:
                    rw.evaluate(*(sent(spark, each) for each in both.values()), ["ap"])
                assert str(error.value).startswith(name)

    def test_what_is_wrong_is_told_as_in_memory(self, spark):
        twice = pl.DataFrame({"query": ["q", "q"], "item": ["a", "a"], "score": [2.0, 1.0]})
        with pytest.raises(rw.RankwellError, match="lists item 'a' twice") as error:
            rw.evaluate(sent(spark, twice), {"q": {"a": 1}}, ["ap"])
        assert "run, query 'q'" in str(error.value)
        lists = pl.DataFrame({"query": ["q"], "item": ["a"]})
        with pytest.raises(rw.RankwellError, match="needs a column score or rank"):
            rw.evaluate(sent(spark, lists), {"q": {"a": 1}}, ["ap"])
        self.missing(spark)
        with pytest.raises(rw.RankwellError, match="no query of the run is judged"):
            rw.evaluate(sent(spark, twice.head(1)), {"x": {"a": 1}}, ["ap"])
        with pytest.raises(rw.RankwellError, match="duplicate_grades='last'"):
            rw.evaluate(sent(spark, twice.head(1)), {"q": {"a": 1}}, ["ap"], duplicate_grades="last")

    def test_files_folders_and_tables_are_read_by_spark(self, spark, tmp_path):
        run, qrels = (frame(table, word) for table, word in zip(made(), ("score", "grade"), strict=True))
        items = run.unique("item")
        whole = rw.evaluate(run, qrels, ["ap", "coverage@5"], items=items)
        run.write_parquet(tmp_path / "one" / "bm25.parquet", mkdir=True)
        days = tmp_path / "days"
        for day, part in enumerate(run.partition_by("query")):
            (days / f"day={day}").mkdir(parents=True)
            part.write_parquet(days / f"day={day}" / "part.parquet")
        sent(spark, qrels).createOrReplaceTempView("judged")
        engine = rw.Spark(spark, groups=3)
        for source, name in (
            (tmp_path / "one" / "bm25.parquet", "bm25"),
            (str(days), "days"),
            (str(tmp_path / "one" / "*.parquet"), "*"),
        ):
            found = rw.evaluate(source, "judged", ["ap", "coverage@5"], items=items, engine=engine)
            assert everything(found)["mean"] == everything(whole)["mean"]
            counts = dict(found.counts)
            assert counts.pop("columns not read in the run: 'day'", None) == (1 if name == "days" else None)
            assert counts == whole.counts
            assert found.name == name
            assert found.per_query.equals(whole.per_query)
        evaluator = rw.Evaluator("judged", ["ap"], engine=engine)
        assert (
            evaluator.evaluate_all({"one": tmp_path / "one" / "bm25.parquet"})["one"].mean["ap"]
            == whole.mean["ap"]
        )
        with pytest.raises(rw.RankwellError, match="'judge': neither a file on this machine nor a table"):
            rw.evaluate(run, "judge", ["ap"], engine=engine)
        with pytest.raises(rw.RankwellError, match="no-such-file"):
            rw.evaluate(str(tmp_path / "no-such-file.parquet"), "judged", ["ap"], engine=engine)
        (tmp_path / "run.txt").write_text("q002 Q0 i1 1 2.0 x\n")
        text = rw.evaluate(tmp_path / "run.txt", "judged", ["ap"], engine=engine, missing="skip")
        assert text.mean == rw.evaluate(tmp_path / "run.txt", qrels, ["ap"], missing="skip").mean

    def test_results_of_counts_added_up_by_item_are_saved_and_cannot_be_added(
        self, spark, monkeypatch, tmp_path
    ):
        monkeypatch.setattr(job, "WIDTH", 7)
        run, qrels = (frame(table, word) for table, word in zip(made(), ("score", "grade"), strict=True))
        metrics = [
            "ap",
            "coverage@5",
            "personalization@3",
            "personalization(similarity=overlap)@3",
            "test_share@4",
        ]
        options = {"items": run.unique("item"), "missing": "skip"}
        whole = rw.evaluate(run, qrels, metrics, **options)
        first, rest = (run.filter((pl.col("query") == "q002") == kept) for kept in (True, False))
        days = [
            rw.evaluate(sent(spark, part), sent(spark, qrels), metrics, **options) for part in (first, rest)
        ]
        found = rw.evaluate(sent(spark, run), sent(spark, qrels), metrics, **options)
        assert found.mean == whole.mean
        found.save(tmp_path / "all.json")
        loaded = rw.Results.load(tmp_path / "all.json")
        assert loaded.mean == whole.mean
        for one, other in ((days[0], days[1]), (loaded, days[0])):
            with pytest.raises(rw.RankwellError, match="counts were added up there by item"):
                one + other
        assert rw.compare({"old": found, "new": loaded}, baseline="old").to_dict()

    def test_tables_of_the_catalogue_that_were_saved_are_read_by_their_names(self, spark, tmp_path):
        run, qrels = (frame(table, word) for table, word in zip(made(), ("score", "grade"), strict=True))
        spark.sql("CREATE DATABASE IF NOT EXISTS logs")
        for name, table in {"lists": run, "judged": qrels}.items():
            spark.sql(f"DROP TABLE IF EXISTS logs.{name}")
            sent(spark, table).write.option("path", str(tmp_path / name)).saveAsTable(f"logs.{name}")
        whole = rw.evaluate(run, qrels, ["ap", "ndcg@5"])
        catalogue = spark.sql("SELECT current_catalog()").collect()[0][0]
        for place in ("logs", f"{catalogue}.logs"):
            found = rw.evaluate(f"{place}.lists", f"{place}.judged", ["ap", "ndcg@5"], engine=rw.Spark(spark))
            assert everything(found) == everything(whole) | {"run": str(everything(found)["run"])}

    def test_lists_that_are_in_order_here_are_sent_with_their_ranks(self, spark):
        lists = {"q": ["a", "b", "c"], "p": ["c", "a"]}
        qrels = {"q": {"b": 1}, "p": {"a": 2, "c": 1}, "r": {"a": 1}}
        whole = rw.evaluate(lists, qrels, ["ap", "ndcg@2"])
        found = rw.evaluate(lists, qrels, ["ap", "ndcg@2"], engine=rw.Spark(spark, groups=2))
        assert found.mean == whole.mean
        assert found.per_query.equals(whole.per_query)

    def test_values_are_collected_for_whatever_needs_them(self, spark, tmp_path):
        run, qrels = (frame(table, word) for table, word in zip(made(), ("score", "grade"), strict=True))
        worse = run.with_columns(score=-pl.col("score"))
        metrics, named = ["ap", "ndcg@5", "personalization@3"], {"old": worse, "new": run}
        whole = rw.compare(named, qrels, metrics, baseline="old", resamples=99, flips=99)
        judged = sent(spark, qrels)
        found = rw.compare(
            {name: sent(spark, shuffled(table)) for name, table in named.items()}, judged, metrics,
            baseline="old", resamples=99, flips=99,
        )  # fmt: skip
        assert found.to_dict() == whole.to_dict()
        res, own = rw.evaluate(sent(spark, run), judged, metrics), rw.evaluate(run, qrels, metrics)
        assert res.collected().collected() is res.collected()
        assert own.collected() is own
        assert res.queries == own.queries
        assert res.interval("ap") == own.interval("ap")
        assert res.aggregate("ap", "median") == own.aggregate("ap", "median")
        assert res.to_csv() == own.to_csv()
        assert res.to_json(per_query=True) == own.to_json(per_query=True)
        res.save(tmp_path / "day.parquet")
        assert rw.Results.load(tmp_path / "day.parquet").per_query.equals(own.per_query)
        first, rest = (run.filter((pl.col("query") == "q002") == kept) for kept in (True, False))
        both = [rw.evaluate(sent(spark, part), judged, ["ap"], missing="skip") for part in (first, rest)]
        assert (both[0] + both[1]).per_query.equals(rw.evaluate(run, qrels, ["ap"], missing="skip").per_query)

    @pytest.mark.parametrize(
        ("options", "rules"),
        [
            ({"baseline": "old"}, {"missing": "skip"}),
            ({"test": "sign", "margins": 0.01, "correction": "holm"}, {}),
            ({"test": "wilcoxon", "correction": "none"}, {}),
            ({"correction": "tukey", "flips": 2_000}, {}),
        ],
    )
    def test_very_many_queries_are_compared_by_sums_and_nothing_that_grows_with_them_comes_back(
        self, spark, monkeypatch, options, rules
    ):
        few_are_many(monkeypatch)
        compared_by_sums(spark, monkeypatch, 1_300, options, rules)

    @pytest.mark.parametrize(
        ("options", "kind"),
        [
            ({"baseline": "old"}, int),
            ({"family": "all", "test": "sign", "correction": "holm"}, str),
            ({"test": "wilcoxon", "correction": "bh"}, int),
            ({"correction": "tukey", "flips": 2_000}, int),
        ],
    )
    def test_segments_of_very_many_queries_are_compared_by_sums(self, spark, monkeypatch, options, kind):
        few_are_many(monkeypatch)
        sizes = {"many": 1_010, "some": 200, "few": 40, "two": 2, "one": 1}
        tier = np.random.default_rng(6).permutation(np.repeat([*sizes], [*sizes.values()]))
        users = pl.DataFrame({"query": np.arange(len(tier)).astype(kind), "tier": tier})
        compared_by_sums(spark, monkeypatch, 1_300, options, {"users": users, "by": "tier"})

    @pytest.mark.parametrize(
        "options",
        [
            {"weights": "visits", "baseline": "old"},
            {"weights": "visits", "by": "tier", "margins": 0.01},
            {
                "clusters": "visitor",
                "test": "flips",
                "correction": "holm",
            },  # so many that no signs are flipped
            {"clusters": "city", "flips": 199, "rope": 0.02},
            {"by": "tier", "rope": {"rr": 0.01}},
            {"clusters": "visitor", "weights": "visits", "by": "tier", "rope": 0.02, "flips": 99},
            {"clusters": "city", "weights": "visits", "by": "tier", "flips": 199, "family": "all"},
        ],
        ids=lambda options: "-".join(map(str, options.values())),
    )
    def test_weights_clusters_and_ropes_of_very_many_queries_are_compared_by_sums(
        self, spark, monkeypatch, options
    ):
        few_are_many(monkeypatch)
        random, queries = np.random.default_rng(8), np.arange(1_300)
        users = pl.DataFrame({
            "query": queries.astype(str if "city" in options.values() else int),
            "visits": random.geometric(0.3, 1_300) - 1.0,
            "visitor": queries * 9 // 10,
            "city": (40 * random.random(1_300) ** 2).astype(int),
            "tier": np.where(queries < 20, "few", np.where(queries < 300, "some", "many")),
        })  # fmt: skip
        rules = {"users": users} | ({"by": options["by"]} if "by" in options else {})
        compared_by_sums(spark, monkeypatch, 1_300, {k: v for k, v in options.items() if k != "by"}, rules)

    @pytest.mark.parametrize("option", ["weights", "clusters"])
    def test_queries_without_a_weight_or_a_cluster_are_refused(self, spark, monkeypatch, option):
        few_are_many(monkeypatch)
        runs, qrels = many(1_300)
        judged = sent(spark, qrels)
        results = {name: rw.evaluate(sent(spark, run), judged, ["rr"]) for name, run in runs.items()}
        users = pl.DataFrame({"query": np.arange(1_299), "column": np.ones(1_299)})
        with pytest.raises(DataError, match=f"query 1299 has no row in users, so it has no {option[:-1]}"):
            rw.compare(results, users=users, **{option: "column"})

    @pytest.mark.parametrize("metric", ["rr", "ndcg@2", "p@1", "hit@2"])
    def test_the_interval_of_a_mean_of_very_many_values_is_that_of_all(self, spark, monkeypatch, metric):
        for module in (intervals, spark_intervals):
            monkeypatch.setattr(module, "LARGE", 1_000)
        runs, qrels = many(1_300)
        judged = sent(spark, qrels)
        own = rw.evaluate(runs["old"], qrels, [metric])
        told = {method: own.interval(metric, method=method, level=0.9) for method in ("auto", "t")}
        few = rw.evaluate(sent(spark, runs["old"].head(1_000)), judged, [metric], missing="skip")
        assert few.interval(metric).n <= 500
        found = rw.evaluate(sent(spark, runs["old"]), judged, [metric])
        monkeypatch.setattr(rw.Results, "collected", lambda self: pytest.fail("values were collected"))
        for method, interval in told.items():
            assert_alike([*found.interval(metric, method=method, level=0.9)], [*interval])
        if told["auto"].method != "wilson":
            with pytest.raises(UsageError, match="which those of"):
                found.interval(metric, method="wilson")

    def test_folds_of_very_many_queries_are_compared_by_sums(self, spark, monkeypatch):
        few_are_many(monkeypatch)
        runs, qrels = many(1_300)
        folds = {
            f"new {fold}": runs["good"].filter(pl.col("query") % 3 == fold) for fold in range(3)
        }  # the last has some queries of the first too
        folds["new 2"] = pl.concat([folds["new 2"], folds["new 0"].head(30)])
        systems = {"old": runs["old"], **folds}
        judged = sent(spark, qrels)

        def results(of):
            return {
                name: rw.evaluate(run, judgements, ["rr", "ndcg@2"], missing="skip")
                for name, (run, judgements) in of.items()
            }

        whole = rw.compare(
            results({name: (run, qrels) for name, run in systems.items()}), folds={"new": [*folds]}
        )
        sent_there = results({name: (sent(spark, run), judged) for name, run in systems.items()})
        monkeypatch.setattr(rw.Results, "collected", lambda self: pytest.fail("values were collected"))
        found = rw.compare(sent_there, folds={"new": [*folds]})
        assert_alike(found.to_dict(), whole.to_dict())

    @pytest.mark.parametrize("options", [{}, {"flips": 99}])
    def test_seeds_of_very_many_queries_are_compared_by_sums(self, spark, monkeypatch, options):
        few_are_many(monkeypatch)
        runs, qrels = many(1_300)
        random, queries = np.random.default_rng(3), np.arange(1_300)
        trained = {
            f"{name} {seed}": run.filter(
                pl.col("query").is_in(queries[random.random(1_300) < 0.97])
            ).with_columns(
                score=pl.when(pl.col("query") % 10 == seed).then(-pl.col("score")).otherwise("score")
            )
            for name, run in (("new", runs["good"]), ("other", runs["near"]))
            for seed in range(3)
        }
        users = pl.DataFrame({
            "query": queries, "tier": np.where(queries < 20, "few", np.where(queries < 200, "some", "many")),
        })  # fmt: skip
        seeds = {name: [each for each in trained if each.startswith(name)] for name in ("new", "other")}
        tables = {"by": "tier", "users": users} if options else {}
        rules = {"missing": "skip", **tables}
        systems = {"old": runs["old"], **trained}
        whole = rw.compare(systems, qrels, ["rr", "ndcg@2"], seeds=seeds, **rules, **options)
        judged = sent(spark, qrels)
        results = {
            name: rw.evaluate(sent(spark, run), judged, ["rr", "ndcg@2"], **rules)
            for name, run in systems.items()
        }
        monkeypatch.setattr(rw.Results, "collected", lambda self: pytest.fail("values were collected"))
        found = rw.compare(results, seeds=seeds, **tables, **options)
        assert_alike(found.to_dict(), whole.to_dict())
        assert repr(found) == repr(whole)

    def test_folds_that_share_queries_and_lack_some_are_refused(self, spark, monkeypatch):
        few_are_many(monkeypatch)
        runs, qrels = many(1_300)
        judged = sent(spark, qrels)
        results = {name: rw.evaluate(sent(spark, run), judged, ["rr"]) for name, run in runs.items()}
        with pytest.raises(UsageError, match=r"old: .* judged queries are not in this fold"):
            rw.compare(results, folds={"one": ["old", "good"]})

    def test_of_segments_what_signs_are_flipped_of_comes_back(self, spark, monkeypatch):
        few_are_many(monkeypatch)
        users = pl.DataFrame({"query": np.arange(1_300), "half": np.arange(1_300) % 2})
        compared_by_sums(
            spark, monkeypatch, 1_300, {"baseline": "old", "flips": 99}, {"users": users, "by": "half"}
        )

    def test_intervals_by_groups_of_lists_are_those_of_stream(self, spark):
        run = frame(made()[0], "score")
        options = {"items": run.unique("item"), "groups": 7, "seed": 3}
        metrics = ["coverage@5", "personalization@3", "gini@5"]
        whole = rw.jackknife(run, metrics=metrics, engine=rw.Stream(part_rows=50), **options)
        found = rw.jackknife(
            sent(spark, shuffled(run)), metrics=metrics, engine=rw.Spark(spark, groups=3), **options
        )
        assert found.to_dict() == whole.to_dict()
