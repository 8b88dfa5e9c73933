"""Results that are added: the same as one evaluation of all, to the last bit, or an error that names the difference."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

import jsonschema
import polars as pl
import pytest
from tests.results.test_segments import ITEMS, QRELS, QUERIES, RUN, USERS

import rankwell as rw
from rankwell.metrics.metric import CorpusMetric, definition

SCHEMA = json.loads((files("rankwell") / "data" / "results.schema.json").read_text(encoding="utf-8"))
METRICS = [
    "ndcg@5", "ap", "gmap", "num_rel", "ild@5", "coverage@3", "coverage(users=5,weights=weight)", "gini@5",
    "personalization", "personalization(similarity=jaccard)@5", "personalization(similarity=overlap)", "dp_ratio(groups=group)@5",
    "pop_reo@5", "delta_gap@5", "msi@5",
]  # fmt: skip
CATALOGUE = pl.DataFrame(
    {
        "item": ITEMS,
        "topics": [["x", "y"][: 1 + n % 2] for n in range(20)],
        "group": [f"g{n // 3 % 2}" for n in range(20)],
        "weight": [n / 7 for n in range(20)],
    }
)
TRAIN = {query: {ITEMS[(n * 7 + each) % 20]: 1 for each in range(4)} for n, query in enumerate(QUERIES)}
WHOLE = USERS.vstack(USERS[:10].with_columns(user_id=pl.Series(QUERIES[30:]))).unique(
    "user_id", maintain_order=True
)
DAYS = [QUERIES[:3], QUERIES[3:20], [*QUERIES[20:], "missing"]]


@dataclass(frozen=True)
class Hits:
    hits: int
    n: int

    def __add__(self, other):
        return Hits(self.hits + other.hits, self.n + other.n)


@definition
class AllHits(CorpusMetric):
    """A metric of a user, whose state is a dataclass of its module."""

    name = "all_hits_of_tests"
    range = (0.0, float("inf"))
    judgements = True

    def state(self, judged, context):
        return Hits(int(judged.relevant().top(self.k).count().sum()), len(judged))

    def value(self, state):
        return float(state.hits)


def evaluated(queries, metrics=METRICS, **options):
    kinds = options.pop("ints", False)
    run, qrels = ({q: table[q] for q in queries if q in table} for table in (RUN, QRELS))
    if kinds:
        run, qrels = (
            {int(q.strip("q").replace("missing", "99")): row for q, row in t.items()} for t in (run, qrels)
        )
    return rw.evaluate(run, qrels, metrics, **{"items": CATALOGUE, "train": TRAIN} | options)


OPTIONS = {
    "plain": {},
    "by": {"users": WHOLE, "by": ["tier", "country"]},
    "weights": {"users": WHOLE, "weights": "spent"},
    "by and weights": {"users": WHOLE, "by": "tier", "weights": "spent"},
    "slices": {"slices": {"head": ITEMS[:5], "tail": ITEMS[5:]}, "users": WHOLE, "weights": "spent"},
    "no values per query": {"per_query": False, "users": WHOLE, "by": "tier"},
    "judged lists alone": {"policy": rw.Policy(population="judged", rel=1)},
    "zero where undefined": {"policy": rw.Policy(undefined="zero", ties="worst", scores="single")},
}


def loaded(res, folder, suffix):
    res.save(folder / f"kept{suffix}")
    return rw.Results.load(folder / f"kept{suffix}")


def words(res):
    """The lines of the table, the counts in the last of them in any order."""
    return [sorted(line.split("; ")) for line in res.to_table().to_text().splitlines()[1:]]


def same(left, right):
    assert left.to_dict(per_query=True) == right.to_dict(per_query=True)
    assert left.per_query.equals(right.per_query)
    assert left.part.ends == right.part.ends
    assert words(left) == words(right)
    if left.has_segments:
        assert str(left.segments) == str(right.segments)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_sum_of_three_days_is_the_evaluation_of_all(name, tmp_path):
    options = OPTIONS[name]
    whole, days = evaluated([*QUERIES, "missing"], **options), [evaluated(day, **options) for day in DAYS]
    same(rw.Results.sum(days), whole)
    same(days[2] + days[0] + days[1], whole)
    for suffix in (".parquet", ".json"):
        kept = [loaded(day, tmp_path, suffix) for day in days]
        same(kept[0], days[0])
        same(rw.Results.sum(reversed(kept)), whole)
        same(kept[0] + days[1] + kept[2], whole)
        same(loaded(kept[2] + kept[0], tmp_path, suffix) + kept[1], whole)
        same(days[1] + loaded(days[0] + kept[2], tmp_path, suffix), whole)


def test_the_intervals_of_a_sum_are_those_of_all(tmp_path):
    options = {"users": WHOLE, "by": "tier"}
    whole, days = evaluated([*QUERIES, "missing"], **options), [evaluated(day, **options) for day in DAYS]
    total = rw.Results.sum(loaded(day, tmp_path, ".parquet") for day in days)
    assert total.interval("ndcg@5") == whole.interval("ndcg@5")
    assert total.interval("ap", resamples=200) == whole.interval("ap", resamples=200)
    assert total.segments.gap("ap") == whole.segments.gap("ap")


def test_ids_may_be_integers(tmp_path):
    whole, days = evaluated([*QUERIES, "missing"], train=None, metrics=["ap", "coverage@3"], ints=True), []
    days = [evaluated(day, train=None, metrics=["ap", "coverage@3"], ints=True) for day in DAYS]
    same(rw.Results.sum(loaded(day, tmp_path, ".json") for day in days), whole)
    with pytest.raises(rw.RankwellError, match="ids are text in one part of the data, integers in another"):
        days[0] + evaluated(DAYS[1], train=None, metrics=["ap", "coverage@3"])


def test_the_first_name_wins_and_an_experiment_stays_if_it_is_the_same():
    a, b = (rw.evaluate({q: ["a"]}, {q: {"a": 1}}, ["rr"]) for q in "ab")
    a, b = (
        rw.Results(name, each.metrics, each.conditions, each.part, experiment="e")
        for name, each in zip("xy", (a, b), strict=True)
    )
    assert [(a + b).name, (b + a).name, (a + b).experiment] == ["x", "y", "e"]
    other = rw.Results("z", b.metrics, b.conditions, b.part)
    assert (a + other).experiment == ""


def test_queries_without_a_row_per_query_are_noticed_when_they_occur_again(tmp_path):
    day = rw.evaluate(
        {"a": ["x"], "unjudged": ["x"]}, {"a": {"x": 1}}, ["rr", "coverage@1"], items=["x", "y"]
    )
    again = rw.evaluate(
        {"b": ["x"], "unjudged": ["y"]}, {"b": {"x": 1}}, ["rr", "coverage@1"], items=["x", "y"]
    )
    assert day.per_query["query"].to_list() == ["a"]
    with pytest.raises(rw.RankwellError, match="query 'unjudged' is on both sides"):
        loaded(day, tmp_path, ".parquet") + loaded(again, tmp_path, ".json")


DIFFERENCES = {
    "different metrics: ap and rr": {"metrics": ["ap"]},
    "different policies: .*missing=empty.* and .*missing=skip": {"policy": rw.Policy(missing="skip")},
    "different catalogues: 20 and 21 items": {"items": [*ITEMS, "more"]},
    "different catalogues: give both": {"items": [*ITEMS[:19], "other"], "policy": rw.Policy(outside="ignore"),
                                       "first": {"policy": rw.Policy(outside="ignore")}},
    "different highest grades: 1.0 and 2.0.*max_grade=": {"metrics": ["err"], "qrels": {"q4": {"i1": 2}}, "first": {"metrics": ["err"]}},
    "different segments or weights": {"users": WHOLE, "by": "tier"},
    "different slices": {"slices": {"head": ITEMS[:2]}, "metrics": ["rr"], "items": CATALOGUE},
}  # fmt: skip


@pytest.mark.parametrize("message", DIFFERENCES)
@pytest.mark.parametrize("suffix", [None, ".parquet", ".json"])
def test_a_difference_is_named(message, suffix, tmp_path):
    plain = {"metrics": ["rr", "coverage@3"], "items": CATALOGUE}
    change = dict(DIFFERENCES[message])
    first = plain | change.pop("first", {})
    if message.startswith(("different metrics", "different slices")):
        first["metrics"] = ["rr"]
    second = first | change
    judged = second.pop("qrels", None)
    qrels = [{"q3": {"i1": 1}}, judged or {"q4": {"i1": 1}}]
    pair = [
        rw.evaluate({q: RUN[q]}, own, **options)
        for q, own, options in zip(("q3", "q4"), qrels, (first, second), strict=True)
    ]
    if suffix:
        pair = [loaded(each, tmp_path, suffix) for each in pair]
    with pytest.raises(rw.RankwellError, match=message):
        pair[0] + pair[1] if "metrics: ap" not in message else pair[1] + pair[0]


def test_other_tables_behind_corpus_metrics_are_noticed_in_files(tmp_path):
    groups, weights = ("dp_ratio(groups=group)@5", "coverage(weights=weight)@5")
    other = CATALOGUE.with_columns(group=pl.col("group").reverse(), weight=pl.col("weight").reverse())
    for metric in (groups, weights):
        pair = [
            evaluated(day, [metric], train=None, items=items)
            for day, items in zip(DAYS, (CATALOGUE, other), strict=False)
        ]
        for left, right in (pair, [loaded(each, tmp_path, ".json") for each in pair]):
            with pytest.raises(rw.RankwellError, match="different catalogues: give both"):
                left + right
    trains = [TRAIN, TRAIN | {"q0": {"i3": 1}}]
    pair = [
        loaded(evaluated(day, ["arp@3"], train=own), tmp_path, ".json")
        for day, own in zip(DAYS, trains, strict=False)
    ]
    with pytest.raises(rw.RankwellError, match="different training data"):
        pair[0] + pair[1]


def test_what_is_held_against_all_judgements_cannot_be_added_under_others(tmp_path):
    days = [loaded(evaluated(day, ["test_share@3"], train=None), tmp_path, ".json") for day in DAYS]
    with pytest.raises(rw.RankwellError, match="test_share@3 counts what is judged for any query"):
        days[0] + days[1]


def test_a_metric_of_the_user_is_kept_if_its_state_is_a_dataclass_of_its_module(tmp_path):
    days = [evaluated(day, [AllHits, AllHits @ 2], train=None) for day in DAYS]
    whole = evaluated([*QUERIES, "missing"], [AllHits, AllHits @ 2], train=None)
    same(rw.Results.sum(loaded(day, tmp_path, ".json") for day in days), whole)


def test_a_state_that_a_file_does_not_hold_is_named(tmp_path):
    @dataclass(frozen=True)
    class Local:
        n: int

        def __add__(self, other):
            return Local(self.n + other.n)

    class WithLocal(AllHits):
        name = "local_hits_of_tests"

        def state(self, judged, context):
            return Local(len(judged))

        def value(self, state):
            return float(state.n)

    days = [evaluated(day, ["ap", WithLocal], train=None) for day in DAYS]
    kept = [loaded(day, tmp_path, ".parquet") for day in days]
    assert [each.mean for each in kept] == [each.mean for each in days]
    assert rw.Results.sum(days)["local_hits_of_tests"] == 36  # the judged lists
    for left, right in ((kept[0], kept[1]), (kept[0], days[1]), (days[0], kept[1])):
        with pytest.raises(
            rw.RankwellError, match="holds the value of local_hits_of_tests and not its state"
        ):
            left + right


def test_a_saved_file_is_of_its_schema_and_a_damaged_state_is_said(tmp_path):
    evaluated(DAYS[0], **OPTIONS["by and weights"]).save(tmp_path / "day.json")
    data = json.loads((tmp_path / "day.json").read_text(encoding="utf-8"))
    jsonschema.validate(data, SCHEMA)
    for change in (
        {"judged": {"array": "<i8", "shape": [3], "zlib": "AAAA"}},
        {"judged": {"array": "|O", "shape": [3], "zlib": "AAAA"}},
        {"metrics": {"coverage@3": {"state": {"state": "Popen", "fields": {}}}}},
        {"metrics": {"coverage@3": {"state": {"state": "ItemCounts", "fields": {"n": 1}}}}},
        {"conditions": {}},
    ):
        at = next(iter(change))
        (tmp_path / "damaged.json").write_text(json.dumps(data | {"states": data["states"] | change}))
        with pytest.raises(
            rw.RankwellError,
            match=rf"damaged\.json: this file of results is damaged \(states\.{at}\b.*; evaluate and save it again",
        ):
            rw.Results.load(tmp_path / "damaged.json")


def test_nothing_is_no_sum_and_something_else_is_no_summand():
    with pytest.raises(rw.RankwellError, match="there are no results to add"):
        rw.Results.sum([])
    with pytest.raises(TypeError):
        evaluated(DAYS[0]) + 1
