"""Calls of every public function and method with arguments that are valid, drawn at random."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import rankwell as rw
from rankwell import metrics, prepare
from rankwell.compat import ir_measures, pytrec_eval

METRICS = [
    "ndcg@10",
    "ap",
    "rr",
    "p@2",
    "ap(denom=R)@5",
    "bpref",
    "judged@3",
    "err",
    "rbp(p=0.8)",
    "coverage@2",
    "gini",
]
TEXTS = [
    *METRICS,
    "NDCG@5",
    "mrr",
    "ndcg(gain={0:0,1:1,2:3})@3",
    "ips(metric=dcg@3)",
    "q",
    "inst",
    "compat",
    "hit@1",
]
ITEMS = [f"i{number}" for number in range(8)]
QUERIES = ["1", "2", "3"]
RULES: dict[str, list[Any]] = {
    "ties": ["item-desc", "item-asc", "order"],
    "missing": ["empty", "skip"],
    "undefined": ["skip", "zero"],
    "negative": ["unjudged", "nonrelevant"],
    "depth": [None, 3],
    "scores": ["double", "single"],
    "rel": [None, 1, 2],
}
CALLS: dict[str, Callable[[random.Random], tuple[Callable[..., Any], dict[str, Any]]]] = {}


def call(make: Callable[[random.Random], tuple[Callable[..., Any], dict[str, Any]]]) -> Any:
    """Keep a function that makes a call: what is called, and its arguments by name."""
    CALLS[make.__name__] = make
    return make


def lists(draw: random.Random) -> dict[str, Any]:
    """Return a run as a dict, or as a dict of lists."""
    scored = draw.random() < 0.7
    run: dict[str, Any] = {}
    for query in QUERIES:
        chosen = draw.sample(ITEMS, draw.randint(1, 6))
        run[query] = {item: round(draw.random(), 1) for item in chosen} if scored else chosen
    return run


def judged(draw: random.Random) -> dict[str, Any]:
    """Return judgements as a dict."""
    return {query: {item: draw.randint(0, 2) for item in draw.sample(ITEMS, 4)} for query in QUERIES}


def log(draw: random.Random) -> Any:
    """Return a log as a frame or records."""
    rows = 24
    columns = {
        "query": [draw.choice(QUERIES) for _ in range(rows)],
        "item": [draw.choice(ITEMS) for _ in range(rows)],
        "grade": [float(draw.randint(1, 5)) for _ in range(rows)],
        "time": [draw.randint(0, 99) for _ in range(rows)],
    }
    return framed(columns, draw)


def framed(columns: dict[str, list[Any]], draw: random.Random) -> Any:
    """Return columns as a frame or as records."""
    frame = pl.DataFrame(columns)
    return frame if draw.random() < 0.5 else frame.to_dicts()


def table(draw: random.Random) -> Any:
    """Return a catalogue."""
    genres, prices = [draw.choice("abc") for _ in ITEMS], [draw.random() for _ in ITEMS]
    return framed({"item": ITEMS, "genre": genres, "price": prices}, draw)


def users(draw: random.Random) -> Any:
    """Return a table of users."""
    return framed(
        {"query": QUERIES, "tier": [draw.choice("xy") for _ in QUERIES], "weight": [1.0, 2.0, 0.5]}, draw
    )


def rules(draw: random.Random) -> dict[str, Any]:
    """Return some fields of a policy."""
    return {name: draw.choice(RULES[name]) for name in draw.sample(list(RULES), 2)}


def asked(draw: random.Random) -> Any:
    """Return metrics."""
    return draw.choice([draw.choice(METRICS), draw.sample(METRICS, 3)])


def results(draw: random.Random, **options: Any) -> rw.Results:
    """Return results of a valid evaluation."""
    return rw.evaluate(lists(draw), judged(draw), ["ndcg@10", "ap"], **options)


@call
def evaluate(draw):
    return rw.evaluate, {
        "run": lists(draw),
        "qrels": judged(draw),
        "metrics": asked(draw),
        "items": table(draw),
    } | rules(draw)


@call
def evaluate_tables(draw):
    run = [{"query": q, "item": i, "score": draw.random()} for q in QUERIES for i in draw.sample(ITEMS, 3)]
    return rw.evaluate, {
        "run": draw.choice([run, pl.DataFrame(run), {name: [row[name] for row in run] for name in run[0]}]),
        "qrels": log(draw) if draw.random() < 0.1 else judged(draw),
        "metrics": ["ndcg@3", "arp@2", "coverage@2"],
        "train": log(draw),
        "items": table(draw),
        "users": users(draw),
        "by": "tier",
        "weights": draw.choice([None, "weight"]),
        "threads": draw.choice([None, 1, 2]),
    }


@call
def evaluate_matrices(draw):
    scores = [[draw.random() for _ in range(5)] for _ in range(3)]
    labels = [[draw.random() < 0.5 for _ in range(5)] for _ in range(3)]
    return rw.evaluate, {"run": np.array(scores), "qrels": np.array(labels), "metrics": ["ndcg@3", "ap"]}


@call
def evaluate_presets(draw):
    preset = draw.choice(["trec_eval", "rectools", "ranx", "pytrec_eval"])
    return rw.evaluate, {"run": lists(draw), "qrels": judged(draw), "metrics": ["ndcg@10"], "preset": preset}


@call
def evaluate_slices(draw):
    slices = {"head": ITEMS[:4], "tail": pl.DataFrame({"item": ITEMS[4:]})}
    return rw.evaluate, {"run": lists(draw), "qrels": judged(draw), "metrics": ["ap"], "slices": slices}


@call
def evaluator(draw):
    return rw.Evaluator, {"qrels": judged(draw), "metrics": asked(draw), "items": table(draw)} | rules(draw)


@call
def evaluator_evaluates(draw):
    made = rw.Evaluator(judged(draw), ["ndcg@3", "ap"])
    if draw.random() < 0.5:
        return made.evaluate, {"run": lists(draw)}
    return made.evaluate_all, {"runs": {"a": lists(draw), "b": lists(draw)}}


@call
def evaluator_curves(draw):
    made = rw.Evaluator(judged(draw), ["ap"])
    if draw.random() < 0.5:
        return made.curve, {"run": lists(draw), "query": None, "levels": [0, 0.5, 1], "rel": None}
    return made.contingency, {
        "run": lists(draw),
        "k": draw.choice([None, 2]),
        "collection": 1000,
        "rel": None,
    }


@call
def results_are_read(draw):
    found = results(draw)
    return found.__getitem__, {"metric": draw.choice(["ndcg@10", "ap", rw.AP, "map"])}


@call
def results_are_summed_up(draw):
    how = draw.choice(["mean", "geometric", "median"])
    return results(draw).aggregate, {"metric": "ap", "how": how} | draw.choice([{}, {"floor": 1e-4}])


@call
def results_are_written(draw):
    name = draw.choice(["to_json", "to_dict", "to_table", "to_markdown", "to_latex", "to_html", "to_csv"])
    return getattr(results(draw), name), {"per_query": draw.random() < 0.5}


@call
def results_are_saved(draw):
    folder = Path(tempfile.mkdtemp(prefix="rankwell-calls-"))
    return results(draw).save, {"path": folder / draw.choice(["a.json", "a.parquet", "a.csv", "a.md"])}


@call
def results_are_loaded(draw):
    folder = Path(tempfile.mkdtemp(prefix="rankwell-calls-"))
    results(draw).save(folder / "a.json")
    return rw.Results.load, {"path": folder / "a.json"}


@call
def results_are_added(draw):
    left, right = {"1": ["i1", "i2"]}, {"2": ["i1", "i3"]}
    first = rw.evaluate(left, {"1": {"i1": 1}}, ["ap"])
    return first.__add__, {"other": rw.evaluate(right, {"2": {"i3": 1}}, ["ap"])}


@call
def run(draw):
    return rw.Run, {"query": ["1", "1", "2"], "item": ["a", "b", "a"], "score": [2.0, 1.0, draw.random()]}


@call
def run_by_rank(draw):
    return rw.Run, {"query": [1, 1, 2], "item": [7, 8, 7], "rank": [1, 2, draw.randint(1, 5)], "name": "x"}


@call
def qrels(draw):
    return rw.Qrels, {"query": ["1", "1", "2"], "item": ["a", "b", "a"], "grade": [1, 0, draw.randint(0, 3)]}


@call
def read_run(draw):
    return rw.read_run, {"source": lists(draw), "name": "x", "columns": None}


@call
def read_qrels(draw):
    return rw.read_qrels, {"source": judged(draw), "name": "x"}


@call
def read_a_file(draw):
    path = Path(tempfile.mkdtemp(prefix="rankwell-calls-")) / draw.choice(["a.run", "a.txt", "a"])
    path.write_text(
        "".join(f"{q} Q0 {i} 1 {draw.random()} t\n" for q in QUERIES for i in draw.sample(ITEMS, 3))
    )
    return rw.read_run, {"source": draw.choice([path, str(path)]), "format_in": draw.choice([None, "trec"])}


@call
def policy(draw):
    return rw.Policy, rules(draw)


@call
def explain(draw):
    return rw.explain, {"metric": draw.choice(TEXTS)}


@call
def explain_a_value(draw):
    given = {
        "metric": draw.choice(["ap", "ndcg@3", "rr"]),
        "run": lists(draw),
        "qrels": judged(draw),
        "query": "1",
    }
    return rw.explain, given


@call
def lint(draw):
    return rw.lint, {"runs": lists(draw), "qrels": judged(draw), "items": table(draw), "k": 3, "metric": "ap"}


@call
def rosetta(draw):
    return rw.rosetta, {
        "run": lists(draw),
        "qrels": judged(draw),
        "metrics": draw.choice(["ap@3", ["rr", "ndcg@2"]]),
    }


@call
def rbo(draw):
    return rw.rbo, {"run": lists(draw), "other": lists(draw), "p": draw.choice([0.5, 0.9])} | {
        "ties": "order"
    }


@call
def trend(draw):
    dates = draw.sample(["2026-11-02", "2026-11-09", "2026-11-16"], draw.randint(1, 3))
    asked = draw.sample(["ndcg@3", "rr", "p@2", "err(max_grade=9)"], 2)
    weeks = {day: rw.evaluate(lists(draw), judged(draw), asked) for day in dates}
    return rw.trend, {
        "results": weeks,
        "metrics": draw.choice([None, asked[0]]),
        "level": draw.choice([0.9, 0.95]),
    }


@call
def watch(draw):
    days = {
        f"2026-11-{at:02}": rw.evaluate(lists(draw), judged(draw), ["ndcg@3", "rr"]) for at in range(1, 20)
    }
    return rw.watch, {
        "results": days,
        "metric": draw.choice(["rr", "ndcg@3"]),
        "reference": draw.choice([14, "16d"]),
        "false_alarms": draw.choice(["1/year", "1/month"]),
        "drop": draw.choice(["5%", 0.1]),
        "since": draw.choice([None, "2026-11-18"]),
    }


@call
def online(draw):
    gains = {word: [draw.randint(-3, 3) for _ in range(9)] for word in ("offline", "online")}
    errors = {word: [0.5] * 9 for word in draw.choice([[], ["se_offline", "se_online"]])}
    return rw.online, {"table": gains | errors, "level": draw.choice([0.9, 0.95])}


@call
def read_ledger(draw):
    path = Path(tempfile.mkdtemp()) / "ledger.jsonl"
    asked = draw.sample(["ndcg@3", "rr", "first_rank", "gmap"], 2)
    for _ in range(draw.randint(1, 3)):
        rw.evaluate(lists(draw), judged(draw), asked, ledger=path)
    return rw.read_ledger, {
        "path": path,
        "sd": draw.choice([None, 0.2]),
    }


def diff_of_query(query, top, **given):
    """Both lists of one query, in every form."""
    found = rw.diff(**given).query(query, top)
    return repr(found), found.to_json(), found.to_frame()


def shown(**given):
    """A diff in every form."""
    found = rw.diff(**given)
    return repr(found), found.to_json(), found.to_frame()


@call
def diff(draw):
    given = {
        "runs": {draw.choice(["x", "a"]): lists(draw), "b": lists(draw)},
        "qrels": judged(draw),
        "metric": draw.choice(["ndcg@3", "ap", "err"]),
    }
    given |= {"top": draw.randint(1, 3), "direction": draw.choice(["both", "better", "worse"])}
    given |= {
        "queries": {query: f"text of {query}" for query in QUERIES},
    }
    given |= {"users": [{"query": query, "tier": draw.choice("ab")} for query in QUERIES], "by": "tier"}
    if draw.random() < 0.5:
        return shown, given
    items = [{"item": item, "title": item.upper()} for item in ITEMS]
    return diff_of_query, given | {"query": draw.choice(QUERIES), "top": 2, "items": items, "text": "title"}


@call
def fuse(draw):
    method = draw.choice(["rrf", "borda", "condorcet", "isr", "comb_mnz", "weighted"])
    scored = [
        {query: {item: draw.random() for item in draw.sample(ITEMS, 4)} for query in QUERIES}
        for _ in range(3)
    ]
    runs = draw.choice([scored, dict(zip("abc", scored, strict=True))])
    learned = {"qrels": judged(draw), "metric": "ndcg@3", "folds": draw.choice([1, 2]), "seed": 1}
    weights = {"weights": draw.choice([[0.5, 0.3, 0.2], [1, 0, 2]])}
    return rw.fuse, {
        "runs": runs,
        "method": method,
        "top": draw.choice([None, 2]),
        "name": "x",
    } | draw.choice([learned, weights])


@call
def confidence_sequence(draw):
    users = [{"query": query, "day": draw.randint(1, 9)} for query in QUERIES]
    return rw.confidence_sequence, {
        "runs": {"a": lists(draw), "b": lists(draw)},
        "qrels": judged(draw),
        "metric": "ndcg@3",
        "arrival": "day",
        "users": users,
        "method": draw.choice(["betting", "bernstein"]),
    }


@call
def agreement(draw):
    def agreed(qrels: Any, other: Any, **options: Any) -> Any:
        return rw.agreement(qrels, other, **options)

    # two items are judged by all, so that there is something to compare
    both = [
        {query: {"i0": draw.randint(0, 2), "i1": 1, **own} for query, own in judged(draw).items()}
        for _ in range(2)
    ]
    given = {"qrels": both[0], "other": both[1], "level": 0.9, "resamples": 99, "seed": 1}
    boards = {
        "runs": {"a": lists(draw), "b": lists(draw)},
        "metrics": ["rr", "p@2"],
        "top": 2,
        "p": 0.8,
        "rbo_ties": "b",
    }
    return agreed, given | draw.choice([{}, boards])


@call
def pool_bias(draw):
    runs = {"a": lists(draw), "b": lists(draw), "c": lists(draw)}
    return rw.pool_bias, {
        "runs": runs,
        "qrels": judged(draw),
        "metrics": ["p@2", "rr"],
        "depth": draw.choice([1, 3]),
    }


@call
def prediction_powered(draw):
    queries = [f"q{number}" for number in range(9)]
    everything = {query: {item: draw.randint(0, 1) for item in ITEMS} for query in queries}
    people = {query: everything[query] for query in draw.sample(queries, 5)}
    runs = {name: {query: draw.sample(ITEMS, 4) for query in queries} for name in "ab"}
    drawn = draw.choice(["random", dict.fromkeys(queries, 0.6)])
    given = {"runs": runs, "qrels": people, "model": everything, "metrics": ["dcg@2"], "drawn": drawn}
    return rw.prediction_powered, given | {
        "baseline": draw.choice([None, "a"]),
        "level": 0.9,
        "undefined": "zero",
    }


@call
def stability(draw):
    queries = [f"q{number}" for number in range(8)]
    runs = {name: {query: draw.sample(ITEMS, 4) for query in queries} for name in "abc"}
    qrels = {query: {item: draw.randint(0, 1) for item in ITEMS} | {"i0": 1} for query in queries}
    given = {
        "runs": runs,
        "qrels": qrels,
        "metrics": ["p@2"],
        "sizes": draw.choice([None, [2, 4]]),
        "correction": "holm",
    }
    return rw.stability, given | {"alpha": 0.1, "flips": 99, "times": 9, "seed": 1}


@call
def assessor(draw):
    kind, name = draw.choice([("human", ""), ("model", "gpt-4o")])
    return rw.Assessor, {
        "kind": kind,
        "name": name,
        "prompt": draw.choice(["", "ab12", "How good is it?"]),
        "date": "",
    }


@call
def jackknife(draw):
    return rw.jackknife, {"run": lists(draw), "metrics": ["personalization@3"], "groups": None, "level": 0.9}


@call
def check_axioms(draw):
    return rw.check_axioms, {
        "metric": draw.choice(["p@3", "rr"]),
        "axioms": "Pri",
        "trials": 3,
        "seed": draw.randint(0, 9),
    }


@call
def long_tail(draw):
    return rw.long_tail, {
        "train": log(draw),
        "at": draw.choice([0.2, 0.8]),
        "head": draw.choice(["volume", "fraction"]),
    }


@call
def metric_of_text(draw):
    return metrics.metric_of, {"wanted": draw.choice(TEXTS)}


@call
def metric_of_parameters(draw):
    made, given = draw.choice([
        (rw.nDCG, {"gain": "exp2", "discount": "log2p1"}), (rw.AP, {"denom": "R", "rel": 2}), (rw.RBP, {"p": 0.5}),
        (rw.ERR, {"max_grade": 4}), (rw.F, {"beta": 2.0, "k": 3}), (rw.P, {"k": 5}), (rw.Gini, {"k": 3}),
        (rw.ILS, {"features": "genre", "k": 3}), (rw.AlphanDCG, {"alpha": 0.3, "k": 3}), (rw.DCG, {"k": 4}),
    ])  # fmt: skip
    return made, dict(given)


def cut(k: Any) -> Any:
    """Return a metric at k."""
    return rw.nDCG @ k


@call
def cut_offs(draw):
    return cut, {"k": draw.randint(1, 20)}


@call
def metric_of_a_function(draw):
    return rw.metric, {
        "name": f"mine_{draw.randrange(10**9)}",
        "range": (0.0, 1.0),
        "better": "higher",
        "needs": (),
    }


@call
def split(draw):
    how = draw.choice(["time", "user_time", "last", "random", "cold_users", "cold_items"])
    return prepare.split, {"log": log(draw), "how": how, "test": 0.3, "seed": 1}


@call
def folds(draw):
    return prepare.folds, {"log": log(draw), "k": 3, "of": draw.choice(["rows", "users", "items"]), "seed": 2}


@call
def backtest(draw):
    times = [f"2026-01-{day:02}" for day in range(1, 31)]
    own = {"user": draw.choices(QUERIES, k=30), "item": draw.choices(ITEMS, k=30), "time": times}
    lengths = {
        "every": "7d",
        "horizon": draw.choice(["7d", "36h"]),
        "gap": draw.choice([None, "1d"]),
        "window": draw.choice([None, "7d"]),
    }
    return prepare.backtest, {"log": own, **lengths}


@call
def core(draw):
    return prepare.core, {"log": log(draw), "min_per_user": 2, "max_per_item": None}


@call
def baselines(draw):
    return prepare.baselines, {"train": log(draw), "test": judged(draw), "k": 3, "kinds": None, "seed": 1}


@call
def check(draw):
    return prepare.check, {"train": log(draw), "test": log(draw), "lists": lists(draw), "k": 3}


@call
def impute(draw):
    how = draw.choice(["user_mean", "item_mean", "constant"])
    given = {"qrels": log(draw), "lists": lists(draw), "how": how}
    return prepare.impute, given | ({"grade": 3.0} if how == "constant" else {"train": log(draw)})


@call
def scale_by_tier(draw):
    tiers = {"query": QUERIES, "tier": ["x", "y", "x"]}
    return prepare.scale_by_tier, {"interactions": log(draw), "tiers": tiers, "factors": {"x": 1.0, "y": 2.0}}


@call
def popularity_cut(draw):
    return prepare.PopularityCut, draw.choice([{"share_of_volume": 0.5}, {"top": 2}])


@call
def pytrec_eval_class(draw):
    return pytrec_eval.RelevanceEvaluator, {"query_relevance": judged(draw), "measures": {"map", "ndcg"}}


@call
def from_ir_measures(draw):
    return ir_measures.from_ir_measures, {"text": draw.choice(["nDCG@10", "AP", "P(rel=2)@5", "RR"])}


@call
def to_ir_measures(draw):
    return ir_measures.to_ir_measures, {"metric": draw.choice(["ndcg@10", "ap", "p(rel=2)@5", "rr"])}


@call
def judging_sheet(draw):
    def made(pairs: Any, **options: Any) -> str:
        return rw.judging.sheet(pairs, **options).to_html()

    return made, {
        "pairs": judged(draw),
        "items": framed({"item": ITEMS, "title": ITEMS, "text": [item * 2 for item in ITEMS]}, draw),
        "queries": draw.choice([None, {query: f"what is {query}?" for query in QUERIES}]),
        "text": draw.choice([None, "title", ["title", "text"]]),
        "image": None,
        "scale": draw.choice([None, "0-2", "0=no,1=yes", {0: "no", 3: "yes"}]),
        "guidelines": None,
        "repeats": draw.choice([0, 0.1, 1]),
        "order": draw.choice(["query", "given", "random"]),
        "seed": draw.randint(0, 9),
        "title": draw.choice([None, "Title"]),
        "lang": draw.choice(["en", "ko"]),
        "read": None,
        "encoding": None,
    }


@call
def judging_merge(draw):
    def merged(sheet: Any, other: Any, how: Any) -> str:
        found = rw.judging.merge(sheet, other, how=how)
        return str(found) + found.to_json()

    folder = Path(tempfile.mkdtemp(prefix="rankwell-calls-"))
    for judge in "ab":
        rows = [
            f"{q},{i},{draw.randint(0, 2)},{judge},,1,{draw.choice(['true', 'false'])},"
            for q in QUERIES
            for i in ITEMS
        ]
        (folder / judge).write_text("\n".join(["query,item,grade,judge,time,order,is_repeat,comment", *rows]))
    how = draw.choice(["max", "majority", "dawid-skene"])
    return merged, {"sheet": folder / "a", "other": str(folder / "b"), "how": how}
