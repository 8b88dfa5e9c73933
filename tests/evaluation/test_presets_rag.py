"""Presets of tools for passages, search engines and learning to rank: their formulas in plain loops, and the numbers that they print."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

import rankwell as rw
from rankwell.evaluation.preset import preset_of
from rankwell.metrics import metric_of


def dcg(gains):
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def binary(shown, wanted):
    return [float(item in wanted) for item in shown]


def once(shown):
    """Whether each item stands there for the first time."""
    return [item not in shown[:place] for place, item in enumerate(shown)]


def average(hits, divisor):
    total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, start=1) if hit)
    return total / divisor if divisor else 0.0


def first(hits):
    return next((1 / rank for rank, hit in enumerate(hits, start=1) if hit), 0.0)


def over(above, below):
    return above / below if below else 0.0


# Each tool's formulas as its code has them, of the first k and {item: grade above 0}; a value of None counts in no mean. Whole lists have no k.
# Lists and judgements that only one side has are looked at below.


def mlflow(name, shown, wanted, k):
    hits = binary(shown, wanted)
    if name == "ndcg":
        again = sum(hit for hit, fresh in zip(hits, once(shown), strict=True) if not fresh)
        best = [1.0] * (len(wanted) + int(again))
        return over(dcg(hits), dcg(best[: len(shown)]))
    return {"p": over(sum(hits), len(shown)), "r": over(len({*shown} & {*wanted}), len(wanted))}[name]


def llamaindex(name, shown, wanted, k):
    if not shown or not wanted:
        return None
    hits = binary(shown, wanted)
    return {
        "ndcg": lambda: dcg(hits) / dcg([1.0] * len(wanted)),
        "ap": lambda: average(hits, len(wanted)),
        "rr": lambda: first(hits),
        "hit": lambda: float(any(hits)),
        "p": lambda: len({*shown} & {*wanted}) / len({*shown}),
        "r": lambda: len({*shown} & {*wanted}) / len(wanted),
    }[name]()


def haystack(name, shown, wanted, k):
    gains = [wanted.get(item, 0) * fresh for item, fresh in zip(shown, once(shown), strict=True)]
    hits = [float(gain > 0) for gain in gains]
    return {
        "ndcg": lambda: over(dcg(gains), dcg(sorted(wanted.values(), reverse=True))),
        "ap": lambda: average(hits, len(wanted)),
        "rr": lambda: first(hits),
        "hit": lambda: float(any(hits)),
        "r": lambda: over(sum(hits), len(wanted)),
    }[name]()


def trulens(name, shown, wanted, k):
    if not wanted or (name == "p" and not shown):
        return None
    gains = [wanted.get(item, 0) * fresh for item, fresh in zip(shown, once(shown), strict=True)]
    return {
        "ndcg": lambda: dcg(gains) / dcg(sorted(wanted.values(), reverse=True)[:k]),
        "p": lambda: sum(binary(shown, wanted)) / len(shown),
        "r": lambda: len({*shown} & {*wanted}) / len(wanted),
        "rr": lambda: first(gains),
        "hit": lambda: float(any(gains)),
    }[name]()


def deepeval(name, shown, wanted, k):
    hits = binary(shown, wanted)
    return average(hits, sum(hits))


def ragas(name, shown, wanted, k):
    if name == "ap":
        hits = binary(shown, wanted)
        return average(hits, sum(hits) + 1e-10)
    both, of = len({*shown} & {*wanted}), {*shown} if name == "p" else wanted
    return both / len(of) if of else None


def elasticsearch(name, shown, wanted, k):
    gains = [2 ** wanted.get(item, 0) - 1 for item in shown]
    best = sorted((2**grade - 1 for grade in wanted.values()), reverse=True)

    def err():
        left, total = 1.0, 0.0
        for rank, gain in enumerate(gains, start=1):
            total += left * gain / 2**3 / rank
            left *= 1 - gain / 2**3
        return total

    return {
        "p": lambda: over(sum(gain > 0 for gain in gains), len(shown)),
        "r": lambda: over(sum(gain > 0 for gain in gains), len(wanted)),
        "rr": lambda: first(gains),
        "dcg": lambda: dcg(gains),
        "ndcg": lambda: over(dcg(gains), dcg(best[: len(shown)])),
        "err": err,
    }[name]()


def opensearch(name, shown, wanted, k):
    gains = [2 ** wanted.get(item, 0) - 1 for item in shown]
    best = sorted((2**grade - 1 for grade in wanted.values()), reverse=True)
    return dcg(gains) if name == "dcg" else over(dcg(gains), dcg(best[:k]))


PLAIN = {
    "mlflow": mlflow, "llamaindex": llamaindex, "haystack": haystack, "trulens": trulens, "deepeval": deepeval, "ragas": ragas,
    "elasticsearch": elasticsearch, "opensearch": opensearch,
}  # fmt: skip
# numbers of tools that a search index feeds, in which no item is there twice
UNREPEATED = ("elasticsearch",)
MOST = 3  # the highest grade


def asked(tool, name, k):
    return f"err(max_grade={MOST})@{k}" if name == "err" else f"{name}@{k}"


def value(tool, name, k, run, wanted):
    """The number of the preset."""
    policy = rw.Policy(grades="judgements")
    res = rw.evaluate(run, wanted, asked(tool, name, k), preset=tool, policy=policy)
    return next(iter(res.mean.values()))


def expected(tool, name, k, run, wanted):
    values = [PLAIN[tool](name, run.get(q, [])[:k], wanted.get(q, {}), k) for q in {**run, **wanted}]
    return math.fsum(known := [value for value in values if value is not None]) / len(known)


NAMES = [(tool, name) for tool in PLAIN for name in preset_of(tool).metrics]
KINDS = {
    "a normal list": (list("axbyc"), {"a": 1, "c": 2, "d": 3}),
    "a hit twice": (list("axab"), {"a": 2, "b": 1, "c": 1}),
    "a miss twice": (list("xxyxa"), {"a": 2, "b": 1}),
    "one of five": (["a"], dict.fromkeys("abcde", 1)),
    "no hit": (list("xyz"), {"a": 2}),
}


@pytest.mark.parametrize(("tool", "name"), NAMES)
def test_a_list_of_each_kind_has_the_value_of_the_tools_formula(tool, name):
    for kind, (shown, wanted) in KINDS.items():
        if tool in UNREPEATED and len({*shown}) < len(shown):
            continue
        run, qrels = {"q": shown}, {"q": wanted}
        assert value(tool, name, 5, run, qrels) == pytest.approx(
            expected(tool, name, 5, run, qrels), abs=2e-10
        ), kind


@pytest.mark.parametrize(("tool", "name"), NAMES)
def test_200_random_lists_have_the_values_of_the_tools_formula(tool, name):
    rng = random.Random(f"{tool} {name}")
    items = "abcdefgh"
    for k in (1, 3, 5):
        run, qrels = {}, {}
        for n in range(200):
            # a list as long as k: tools of sets are given no more, and cut nothing themselves
            size = rng.randint(1, k)
            run[f"q{n}"] = rng.sample(items, size) if tool in UNREPEATED else rng.choices(items, k=size)
            wanted = rng.sample(items, rng.randint(1, 7))
            qrels[f"q{n}"] = dict(zip(wanted, rng.choices(range(1, MOST + 1), k=len(wanted)), strict=True))
        found = value(tool, name, k, run, qrels)
        assert found == pytest.approx(expected(tool, name, k, run, qrels), abs=2e-10), k


@pytest.mark.parametrize(("tool", "name"), NAMES)
def test_an_empty_list_and_a_query_with_nothing_relevant_count_as_the_tool_has_it(tool, name):
    run, qrels = {"full": list("ab")}, {"full": {"a": 1, "c": 2}}
    alone = value(tool, name, 5, run, qrels)
    for kind, more in {"nothing shown": ({}, {"a": 1}), "nothing relevant": (list("xy"), {})}.items():
        both = (
            {**run, "other": more[0]} if more[0] else run,
            {**qrels, **({"other": more[1]} if more[1] else {})},
        )
        zero = PLAIN[tool](name, *more, 5)
        if tool in ("elasticsearch", "opensearch") and kind == "nothing shown":
            zero = None  # a query that the answer lacks has failed
        assert zero in (None, 0.0)
        found = value(tool, name, 5, *both)
        assert found == pytest.approx(alone if zero is None else alone / 2, abs=2e-10), kind


def ndcg(tool, shown, wanted):
    return value(tool, "ndcg", 5, {"q": shown}, {"q": dict.fromkeys(wanted, 1)})


def test_one_of_five_and_a_doubled_hit_have_the_numbers_that_the_tools_print():
    """MLflow 3.17.2, llama-index-core 0.14.25, haystack-ai 3.4.1, trulens-feedback 2.16.0, each run on these two lists."""
    printed = {"mlflow": (1.0, 0.753698), "llamaindex": (0.339160, 0.906025), "haystack": (0.339160, 0.671386), "trulens": (0.339160, 0.671386)}  # fmt: skip
    for tool, (alone, doubled) in printed.items():
        assert ndcg(tool, ["a"], "abcde") == pytest.approx(alone, abs=1e-6), tool
        assert ndcg(tool, list("axab"), "abc") == pytest.approx(doubled, abs=1e-6), tool
    assert ndcg("elasticsearch", ["a"], "abcde") == 1.0
    assert rw.evaluate({"q": ["a"]}, {"q": dict.fromkeys("abcde", 1)}, "ndcg@5")["ndcg@5"] == pytest.approx(
        0.339160, abs=1e-6
    )
    [table] = rw.rosetta({"q": ["a"]}, {"q": dict.fromkeys("abcde", 1)}, "ndcg@5")
    found = {line.tool: round(line.value, 3) for line in table.lines}
    assert {tool: found[tool] for tool in ("LlamaIndex", "Haystack", "TruLens", "rankwell")} == dict.fromkeys(
        ("LlamaIndex", "Haystack", "TruLens", "rankwell"), 0.339
    )
    assert found["MLflow"] == found["Elasticsearch"] == 1.0
    [table] = rw.rosetta(
        {"q": list("axab")}, {"q": dict.fromkeys("abc", 1)}, "ndcg@5", policy=rw.Policy(duplicates="first")
    )
    found = {line.tool: line for line in table.lines}
    assert {name: round(found[name].value, 3) for name in ("Haystack", "TruLens", "MLflow", "LlamaIndex")} == {
        "Haystack": 0.671, "TruLens": 0.671, "MLflow": 0.754, "LlamaIndex": 0.906
    }  # fmt: skip
    assert "each copy of an item counts" in found["LlamaIndex"].differs


def test_a_list_that_repeats_an_item_stops_the_other_tools_with_one_note():
    [table] = rw.rosetta(
        {"q": list("axab")}, {"q": dict.fromkeys("abc", 1)}, "ap@5", policy=rw.Policy(duplicates="first")
    )
    [note] = [note for note in table.notes if "lists item 'a' twice" in note]
    assert {"BEIR", "RecTools", "XGBoost"} <= {*note.split(":")[0].split(", ")}


@pytest.mark.parametrize(
    "tool", ["mlflow", "llamaindex", "haystack", "trulens", "deepeval", "ragas", "opensearch"]
)
def test_copies_in_a_file_read_in_parts_have_the_values_of_copies_in_memory(tool, tmp_path):
    rng = random.Random(5)
    run, judged = ["query,item,score"], ["query,item,grade"]
    for n in range(40):
        run += [
            f"q{n},{item},{9 - place}" for place, item in enumerate(rng.choices("abcde", k=rng.randint(1, 5)))
        ]
        judged += [f"q{n},{item},{rng.randint(1, 3)}" for item in rng.sample("abcde", 3)]
    for name, lines in (("run.csv", run), ("qrels.csv", judged)):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    for name in preset_of(tool).metrics:
        asked = tmp_path / "run.csv", tmp_path / "qrels.csv", f"{name}@3"
        both = [rw.evaluate(*asked, preset=tool, grades="judgements", engine=engine).mean for engine in ("memory", "stream")]  # fmt: skip
        assert both[0] == both[1]


def test_metrics_that_count_copies_in_other_ways_go_together_where_no_list_has_any():
    run, wanted = {"q": list("axb")}, {"q": dict.fromkeys("abc", 1)}
    res = rw.evaluate(run, wanted, ["p@5", "r@5", "ndcg@5"], preset="llamaindex")
    assert list(res.mean.values()) == [
        value("llamaindex", name, 5, run, wanted) for name in ("p", "r", "ndcg")
    ]
    twice = {"q": list("axab")}
    with pytest.raises(rw.RankwellError, match="set duplicates='first' or 'drop'"):
        rw.evaluate(twice, wanted, ["p@5", "r@5", "ndcg@5"], preset="llamaindex")
    policy = rw.Policy(duplicates="drop")  # the remedy works when pasted
    assert rw.evaluate(twice, wanted, ["p@5", "r@5", "ndcg@5"], preset="llamaindex", policy=policy).mean
    assert len(rw.evaluate(twice, wanted, ["r@5"], preset="llamaindex").mean) == 1
    with pytest.raises(rw.RankwellError, match="and you set duplicates"):
        rw.evaluate(twice, wanted, ["r@5"], preset="llamaindex", policy=policy)


@pytest.mark.parametrize(
    ("asked", "rules", "words"),
    [
        (
            "auc",
            {},
            "auc has no meaning for items that count more than once; use duplicates='first' or 'drop'",
        ),
        ("coverage@2", {"items": ["a", "b"]}, "no meaning for items that count more than once"),
        ("ndcg", {"group": "#"}, "duplicates='each' counts every copy"),
        ("ndcg", {"ties": "expected"}, "ties='expected' is undefined for a later copy"),
    ],
)
def test_where_copies_cannot_count_each_is_said(asked, rules, words):
    items = {"items": rules.pop("items")} if "items" in rules else {}
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate({"q": list("aba")}, {"q": {"a": 1}}, asked, duplicates="each", **rules, **items)
    assert words in str(error.value)


# what the tools print of one small run (tests/data/shapes/peers.json, which says which were run), by metric of the preset
SHAPES = Path(__file__).parents[1] / "data" / "shapes"
PEERS = {
    "mlflow": ("mlflow 3.17.2", {"ndcg@3": "ndcg_at_k k=3", "ndcg@5": "ndcg_at_k k=5", "p@3": "precision_at_k k=3", "p@5": "precision_at_k k=5", "r@3": "recall_at_k k=3", "r@5": "recall_at_k k=5"}),
    "llamaindex": ("llama-index-core 0.14.25", {"ndcg": "ndcg", "ap": "ap", "p@10": "precision", "r@10": "recall", "rr": "mrr", "hit@10": "hit_rate"}),
    "haystack": ("haystack-ai 3.4.1", {"ndcg": "DocumentNDCGEvaluator (graded)", "ap": "DocumentMAPEvaluator", "rr": "DocumentMRREvaluator", "hit@10": "DocumentRecallEvaluator (default single_hit)", "r@10": "DocumentRecallEvaluator multi_hit"}),
    "trulens": ("trulens-feedback 2.16.0", {"ndcg@5": "ndcg_at_k k=5", "p@5": "precision_at_k k=5", "r@5": "recall_at_k k=5", "rr": "mrr"}),
    "deepeval": ("deepeval 4.3.1", {"ap": "contextual precision"}),
    "ragas": ("ragas (commit 3e28e9de)", {"ap": "context precision (verdict = relevant)", "p@10": "id_based_context_precision", "r@10": "id_based_context_recall"}),
    "elasticsearch": ("elasticsearch rank_eval", {"ndcg@5": "dcg normalize k=5", "p@5": "precision k=5", "r@3": "recall k=3", "rr@10": "mean_reciprocal_rank k=10", "err(max_grade=2)@10": "expected_reciprocal_rank maximum_relevance=2 k=10"}),
    "opensearch": ("opensearch search-relevance (commit d8be5d1)", {"ndcg@5": "NDCG@5"}),
    "xgboost": ("xgboost 3.2.0", {"ndcg@5": "ndcg@5", "ap@3": "map@3 (binary labels)", "p@3": "pre@3 (binary labels)"}),
    "lightgbm": ("lightgbm 4.7.0", {"ndcg@5": "ndcg@5", "ap@3": "map@3"}),
    "catboost": ("catboost 1.2.10", {"ndcg@5": "NDCG:top=5", "dcg@5": "DCG:top=5", "ap@3": "MAP:top=3 (binary labels)", "rr": "MRR (binary labels)", "p@3": "PrecisionAt:top=3 (binary labels)", "r@3": "RecallAt:top=3 (binary labels)"}),
    "sklearn": ("scikit-learn 1.9.1", {"ndcg@5": "ndcg_score k=5"}),
}  # fmt: skip


@pytest.mark.parametrize("tool", PEERS)
def test_a_small_run_has_the_means_that_the_tool_prints(tool):
    truth, peers = (
        json.loads((SHAPES / f"{name}.json").read_text(encoding="utf-8")) for name in ("truth", "peers")
    )
    key, metrics = PEERS[tool]
    for metric, name in metrics.items():
        res = rw.evaluate(truth["order"], truth["qrels"], metric, preset=tool, grades="judgements")
        digits = 5.1e-3 if tool == "opensearch" else 1e-6
        assert next(iter(res.mean.values())) == pytest.approx(
            peers[key]["values"][name]["mean"], abs=digits
        ), metric


# Ratings by rank, None where nobody rated; what DiscountedCumulativeGainTests, ExpectedReciprocalRankTests, PrecisionAtKTests,
# RecallAtKTests and MeanReciprocalRankTests of Elasticsearch (modules/rank-eval) expect of them, with the number of hits.
SIX, RATED = [3, 2, 3, 0, 1, 2], [3, 2, 3, None, 1, None]
ELASTIC = [
    ("dcg@10", SIX, 6, 13.84826362927298), ("ndcg@10", SIX, 6, 13.84826362927298 / 14.595390756454922),
    ("dcg@10", RATED, 6, 12.779642067948913), ("ndcg@10", RATED, 6, 12.779642067948913 / 13.347184833073591),
    ("dcg@10", RATED, 4, 12.392789260714371), ("ndcg@10", RATED, 4, 12.392789260714371 / 13.347184833073591),
    ("dcg@10", RATED, 0, 0.0), ("ndcg@10", RATED, 0, 0.0), ("err(max_grade=3)@3", [3, 2, 0, 1], 4, 0.8984375),
    ("err(max_grade=3)@4", [3, 2, 0, 1], 4, 0.8984375 + 0.00244140625), ("err(max_grade=3)@4", [3, None, 0, 1], 4, 0.875 + 0.00390625),
    ("p@10", [1], 1, 1.0), ("p@10", [1, 1, 1, 1, 0], 5, 4 / 5), ("p(rel=2)@5", [0, 1, 2, 3, 4], 5, 3 / 5), ("p@5", [1, 1, 0], 3, 2 / 3),
    ("p@10", [1, 1, None], 3, 2 / 3), ("r@10", [1, 1, 1, 1, 0], 5, 1.0), ("r(rel=2)@5", [0, 1, 2, 3, 4], 3, 1 / 3), ("r@10", [1], 0, 0.0),
    ("rr(rel=2)@10", [0, 1, 2, 3, 4], 5, 1 / 3),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "ratings", "hits", "published"), ELASTIC)
def test_elasticsearch_expects_these_numbers_in_its_own_tests(metric, ratings, hits, published):
    run = {"q": [f"d{n}" for n in range(hits)]}
    wanted = {"q": {f"d{n}": grade for n, grade in enumerate(ratings) if grade is not None}}
    res = rw.evaluate(run, wanted, metric, preset="elasticsearch", grades="judgements")
    assert next(iter(res.mean.values())) == pytest.approx(published, abs=1e-12)


def test_opensearch_expects_these_numbers_in_its_own_tests():
    """EvaluationTests of search-relevance 3.9: d1 … d20 rated 1, 2, 0, 1, 2, 0, …; two digits."""
    ratings, listed = {f"d{n}": n % 3 for n in range(1, 21)}, [f"d{n}" for n in range(1, 21)]
    published = [("ndcg@20", 20, 0.76), ("ndcg@5", 5, 0.51), ("ndcg@8", 5, 0.40), ("ndcg@5", 8, 0.51), ("dcg@5", 20, 4.48)]  # fmt: skip
    for metric, n, theirs in published:
        res = rw.evaluate({"q": listed[:n]}, {"q": ratings}, metric, preset="opensearch", grades="judgements")
        assert next(iter(res.mean.values())) == pytest.approx(theirs, abs=5.1e-3), (metric, n)
        empty = rw.evaluate({"q": []}, {"q": ratings}, metric, preset="opensearch", grades="judgements")
        assert list(empty.mean.values()) == [0.0]


# Groups of labels and scores: XGBoost 3.2.0, LightGBM 4.7.0 and CatBoost 1.2.10 were run on these (the second has no positive).
Y, P, SIZES = [0, 2, 1, 0, 2, 1, 0, 0], [5.0, 4.0, 3.0, 2.0, 2.0, 1.0, 1.0, 1.0], [6, 2]
PRINTED = [
    ("xgboost", "ndcg@3", Y, 0.72185080345578023), ("xgboost", "ap@3", [min(y, 1) for y in Y], 0.69444444444444442),
    ("xgboost", "p@3", [min(y, 1) for y in Y], 0.33333333333333331), ("lightgbm", "ndcg@3", Y, 0.7218508034557801), ("lightgbm", "ndcg@8", Y, 0.83567251798001),
    ("lightgbm", "ap@3", Y, 0.6944444444444444), ("catboost", "ndcg", Y, 0.844871488728723), ("catboost", "ndcg@3", Y, 0.7341740173706042),
    ("catboost", "dcg@3", Y, 0.8809297535714574), ("catboost", "ap@3", [min(y, 1) for y in Y], 0.19444444444444442), ("catboost", "ap", [min(y, 1) for y in Y], 0.30416666666666664),
    ("catboost", "rr", [min(y, 1) for y in Y], 0.25), ("catboost", "p@9", [min(y, 1) for y in Y], 0.3333333333333333), ("catboost", "r@3", [min(y, 1) for y in Y], 0.75),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "metric", "labels", "printed"), PRINTED)
def test_groups_of_learning_to_rank_have_the_number_of_the_booster(tool, metric, labels, printed):
    run, qrels = rw.from_groups(labels, P, SIZES)
    res = rw.evaluate(run, qrels, metric, preset=tool, grades="judgements")
    assert next(iter(res.mean.values())) == pytest.approx(printed, abs=1e-9)


def test_a_group_without_positives_counts_0_under_the_names_with_a_minus():
    """XGBoost 3.2.0: ndcg@3- is .2218508 and map@3- .1944444 of these groups."""
    run, qrels = rw.from_groups(Y, P, SIZES)
    rules = {"ties": "order", "undefined": "zero", "grades": "judgements"}
    res = rw.evaluate(run, qrels, ["ndcg(gain=exp2)@3", "ap@3"], **rules)
    assert list(res.mean.values()) == pytest.approx([0.22185080345578018, 0.19444444444444442], abs=1e-9)


BOOSTERS = ("xgboost", "lightgbm", "catboost")


@pytest.mark.parametrize("tool", BOOSTERS)
def test_random_groups_have_the_values_of_the_boosters_formula(tool):
    rng = random.Random(tool)
    labels, scores, sizes = [], [], []
    for _ in range(200):
        sizes.append(rng.randint(1, 8))
        labels += rng.choices([0, 0, 1, 2, 3], k=sizes[-1])
        scores += rng.choices([0.0, 0.5, 1.0, 1.5], k=sizes[-1])
    run, qrels = rw.from_groups(labels, scores, sizes)
    gain = (lambda y: y) if tool == "catboost" else (lambda y: 2**y - 1)
    for k in (1, 3, 10):
        plain = {name: [] for name in preset_of(tool).metrics}
        start = 0
        for size in sizes:
            y, p = labels[start : start + size], scores[start : start + size]
            start += size
            # Python's sort keeps the order of the rows; CatBoost puts the worst of equal scores first
            order = sorted(range(size), key=lambda n: (-p[n], y[n] if tool == "catboost" else 0))
            gains, hits = [gain(y[n]) for n in order][:k], [float(y[n] > 0) for n in order][:k]
            positive = sum(each > 0 for each in y)
            nothing = 0.0 if tool == "catboost" else 1.0
            best = dcg(sorted(map(gain, y), reverse=True)[:k])
            group = {
                "ndcg": dcg(gains) / best if best else 1.0, "dcg": dcg(gains), "rr": first(hits), "p": sum(hits) / len(hits),
                "ap": average(hits, min(positive, k)) if positive else nothing, "r": sum(hits) / positive if positive else 1.0,
            }  # fmt: skip
            for name, found in plain.items():
                found.append(group[name])
        for name, found in plain.items():
            ours = rw.evaluate(run, qrels, f"{name}@{k}", preset=tool, grades="judgements")
            assert next(iter(ours.mean.values())) == pytest.approx(math.fsum(found) / len(found)), (name, k)


@pytest.mark.parametrize("tool", [*PLAIN, *BOOSTERS])
def test_every_definition_of_a_preset_is_written_and_read_again(tool):
    preset = preset_of(tool)
    assert preset.limits
    for name in preset.metrics:
        made = preset.metric(f"{name}@5")
        assert metric_of(str(made)) == made
