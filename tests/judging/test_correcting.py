"""Values over all candidates from runs and from logged ranks; draws by popularity by enumeration; what is refused and why."""

from __future__ import annotations

import json
import math
import random
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.errors import DataError, RankwellError, UsageError
from rankwell.statistics.mixtures import stopped_em
from rankwell.statistics.samples import counts_of_draws

CANDIDATES, NEGATIVES = 80, 10


def lists_of(ranks, negatives=NEGATIVES):
    """Lists in which the relevant item of each query is at a rank, the others being drawn."""
    lists, qrels = {}, {}
    for at, rank in enumerate(ranks):
        items = [f"x{at}.{each}" for each in range(negatives)]
        items.insert(rank - 1, "yes")
        lists[f"q{at:03}"], qrels[f"q{at:03}"] = items, {"yes": 1}
    return lists, qrels


def drawn_ranks(seed=0, queries=200, top=30, negatives=NEGATIVES):
    rng = np.random.default_rng(seed)
    full = rng.integers(1, top + 1, queries)
    return full, 1 + rng.hypergeometric(full - 1, CANDIDATES - full, negatives)


def test_a_run_and_its_ranks_give_the_same():
    full, ranks = drawn_ranks()
    metrics = ["hit@5", "rr", "ndcg@10", "auc", "first_rank"]
    run, qrels = lists_of(ranks)
    found = rw.judging.correct(run, qrels, metrics, candidates=CANDIDATES, max_bias=1)
    other = rw.judging.correct(
        logged_ranks=ranks, metrics=metrics, candidates=CANDIDATES, negatives=NEGATIVES, max_bias=1
    )
    for one, same in zip(found.rows, other.rows, strict=True):
        assert one[0::2] == same[0::2]
        assert one[3::2] == same[3::2]
        assert one.sampled == pytest.approx(same.sampled, rel=1e-12)
    plain = rw.evaluate(run, qrels, metrics).mean
    for row in found.rows:
        assert row.sampled == pytest.approx(plain[row.metric])
    truth = {"hit@5": (full <= 5).mean(), "rr": (1 / full).mean(), "auc": (1 - (full - 1) / 79).mean()}
    for row in found.rows:
        if row.metric in truth:
            assert row.low <= truth[row.metric] <= row.high
    assert found["first_rank", "unbiased"].estimate == pytest.approx(1 + 79 * (ranks - 1).mean() / 10)


def test_full_values_lie_inside_as_often_as_is_said():
    """Many draws of the negatives for the same full ranks; the bound on the share is three standard errors below."""
    full = np.minimum(np.random.default_rng(5).geometric(0.08, 300), CANDIDATES)
    truth = {"hit@5": (full <= 5).mean(), "ndcg@10": np.where(full <= 10, 1 / np.log2(full + 1), 0).mean()}
    truth["auc"] = (1 - (full - 1) / 79).mean()
    inside, times = {}, 40
    for seed in range(times):
        ranks = 1 + np.random.default_rng(seed).hypergeometric(full - 1, CANDIDATES - full, 40)
        found = rw.judging.correct(
            logged_ranks=ranks, metrics=[*truth], candidates=CANDIDATES, negatives=40, max_bias=0.05
        )
        assert {row.metric for row in found.rows if row.is_answered} >= {"auc"}
        for row in found.rows:
            own = inside.setdefault((row.metric, row.method), [])
            own.append(row.low <= truth[row.metric] <= row.high)
            assert not row.is_answered or abs(row.estimate - truth[row.metric]) <= 0.05 + 0.05
    assert all(np.mean(own) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / times) for own in inside.values())


def test_an_estimate_above_the_worst_bias_allowed_is_refused_and_its_range_stays():
    _, ranks = drawn_ranks()
    given = {
        "logged_ranks": ranks,
        "metrics": ["hit@5", "auc"],
        "candidates": CANDIDATES,
        "negatives": NEGATIVES,
    }
    free = rw.judging.correct(**given, max_bias=1)
    found = rw.judging.correct(**given)
    assert found.refused == ("hit@5",)
    assert free.refused == ()
    for one, other in zip(found.rows, free.rows, strict=True):
        assert one[4:] == other[4:]
        assert one.is_answered == (other.bias <= 0.02)
        assert one.estimate == pytest.approx(other.estimate) if one.is_answered else math.isnan(one.estimate)
    assert found["hit@5", "stopped EM"].bias > 0.02
    assert "refused, the worst bias being above 0.02: hit@5; rank all 80 candidates, or draw more" in str(
        found
    )


def test_what_is_printed_and_saved_is_what_was_found(tmp_path):
    _, ranks = drawn_ranks()
    found = rw.judging.correct(
        logged_ranks=ranks, metrics=["hit@5", "auc"], candidates=CANDIDATES, negatives=NEGATIVES
    )
    saved = json.loads(found.to_json())
    assert [row["estimate"] for row in saved["values"]][:2] == [None, None]
    assert saved["values"][2]["estimate"] == found["auc", "unbiased"].estimate
    frame = found.to_frame()
    assert frame["estimate"].null_count() == 2
    assert frame.columns == [
        *("metric", "sampled", "method", "estimate", "bias", "low", "high", "rounds", "still_gains"),
    ]
    assert frame.filter(method="stopped EM")["rounds"].unique().to_list() == [
        found["hit@5", "stopped EM"].rounds
    ]
    found.save(tmp_path / "found.json")
    assert json.loads((tmp_path / "found.json").read_text()) == saved
    found.save(tmp_path / "found.csv")
    assert pl.read_csv(tmp_path / "found.csv")["bias"].to_list() == pytest.approx(frame["bias"].to_list())
    assert "<table" in found._repr_html_()
    with pytest.raises(UsageError, match=r"is none of .*auc, unbiased"):
        found["auc", "stopped EM"]


def test_ties_are_counted_and_follow_the_policy():
    run = {"a": {"yes": 2, "x": 2, "y": 1}, "b": {"yes": 2, "x": 1, "y": 0}}
    qrels = {"a": {"yes": 1}, "b": {"yes": 1}}
    ends = {}
    for ties in ("best", "worst", "item-desc"):
        found = rw.judging.correct(run, qrels, "first_rank", candidates=9, ties=ties)
        assert found.tied == 1
        ends[ties] = found.rows[0].estimate
    assert ends == {"best": 1.0, "worst": 1 + 8 * 0.25, "item-desc": 1.0}
    assert "1 queries in which the relevant item has the same score" in str(found)
    with pytest.raises(UsageError, match="no one rank; use ties='item-desc'"):
        rw.judging.correct(run, qrels, "auc", candidates=9, ties="expected")


def fixed_size_draws():
    """All samples of 2 of 5 others, with unequal chances; and the chance of each item to be drawn."""
    weight = {"a": 5.0, "b": 3.0, "c": 1.0, "d": 1.0, "e": 0.5}
    samples = {each: weight[each[0]] + weight[each[1]] for each in combinations(weight, 2)}
    total = sum(samples.values())
    samples = {each: value / total for each, value in samples.items()}
    return samples, {item: sum(p for each, p in samples.items() if item in each) for item in weight}


def test_weighted_ranks_are_right_over_all_draws_by_popularity():
    samples, probabilities = fixed_size_draws()
    order = ["a", "c", "yes", "e", "b", "d"]  # the full list: the relevant item is third of six
    rank, auc, plain = 0.0, 0.0, 0.0
    for sample, chance in samples.items():
        run = {"q": [item for item in order if item in (*sample, "yes")]}
        found = rw.judging.correct(
            run,
            {"q": {"yes": 1}},
            ["first_rank", "auc"],
            candidates=6,
            drawn="popularity",
            probabilities=probabilities,
        )
        assert [row.method for row in found.rows] == ["weighted", "weighted"]
        rank += chance * found["first_rank", "weighted"].estimate
        auc += chance * found["auc", "weighted"].estimate
        plain += chance * rw.judging.correct(run, {"q": {"yes": 1}}, "auc", candidates=6).rows[0].estimate
    assert rank == pytest.approx(3)
    assert auc == pytest.approx(3 / 5)
    assert abs(plain - 3 / 5) > 0.05  # what taking the draw for a uniform one would have said


def test_probabilities_may_be_a_table_and_every_query_counts(tmp_path):
    _, probabilities = fixed_size_draws()
    table = pl.DataFrame({"item": [*probabilities], "probability": [*probabilities.values()]})
    table.write_csv(tmp_path / "items.csv")
    run = {"q": ["a", "yes", "b"], "r": ["yes", "c", "d"], "s": ["a", "e", "yes"]}
    qrels = {query: {"yes": 1} for query in run}
    given = {"metrics": "first_rank", "candidates": 6, "drawn": "popularity"}
    found = [
        rw.judging.correct(run, qrels, **given, probabilities=each).rows
        for each in (probabilities, table, str(tmp_path / "items.csv"))
    ]
    assert found[0] == found[1] == found[2]
    p = probabilities
    assert found[0][0].estimate == pytest.approx(1 + (1 / p["a"] + 0 + 1 / p["a"] + 1 / p["e"]) / 3)


def poisson_draws(seed=3, queries=60, items=40):
    """Lists of five negatives drawn with unequal probabilities by systematic sampling, and these probabilities."""
    rng = np.random.default_rng(seed)
    size = rng.random(items) + 0.2
    chance = 5 * size / size.sum()
    edges = np.concatenate([[0], np.cumsum(chance)])
    run = {}
    for query in range(queries):
        hit = np.searchsorted(edges, rng.random() + np.arange(5), side="right") - 1
        run[f"q{query}"] = [f"i{each}" for each in sorted(hit.tolist())]
        run[f"q{query}"].insert(query % 6, "yes")
    return run, {f"i{at}": float(each) for at, each in enumerate(chance)}


def test_shares_of_draws_are_no_probabilities_of_lists():
    run, chances = poisson_draws()
    qrels = {query: {"yes": 1} for query in run}
    given = {"metrics": "auc", "candidates": 41, "drawn": "popularity"}
    assert rw.judging.correct(run, qrels, **given, probabilities=chances).rows[0].method == "weighted"
    shares = {item: chance / 5 for item, chance in chances.items()}
    with pytest.raises(DataError, match=r"add up to \d+ candidates, and there are 40 others"):
        rw.judging.correct(run, qrels, **given, probabilities=shares)
    with pytest.raises(DataError, match="and there are 99 others"):  # some can never be drawn
        rw.judging.correct(run, qrels, **given | {"candidates": 100}, probabilities=chances)
    with pytest.raises(UsageError, match="do not go together"):
        rw.judging.correct(run, qrels, **given, probabilities=chances, ties="best")


def test_ranks_with_gaps_are_refused():
    run = pl.DataFrame({"query": ["q"] * 3, "item": ["x", "y", "yes"], "rank": [1, 2, 9]})
    with pytest.raises(DataError, match=r"at rank 9 of a list of 3: .* ranks='closed'"):
        rw.judging.correct(run, {"q": {"yes": 1}}, "auc", candidates=50)
    closed = rw.judging.correct(run, {"q": {"yes": 1}}, "auc", candidates=50, ranks="closed")
    assert closed["auc", "unbiased"].estimate == 0.0


RUN, QRELS = lists_of([1, 3, 5, 2])
GIVEN = {"candidates": CANDIDATES}
REFUSED = [
    ({"drawn": "popularity"}, "drawn='popularity' needs probabilities="),
    ({"probabilities": {"x": 0.1}}, "probabilities= are for drawn='popularity'"),
    ({"candidates": 11}, "10 negatives and the relevant item are no sample of so many"),
    ({"candidates": 10, "replace": True}, "no sample of so many"),
    ({"candidates": 1}, "must be at least 2"),
    ({"negatives": 0}, "negatives=0: must be at least 1"),
    ({"negatives": 20}, r"the list of query 'q000' has 11 items, not 21, as negatives=20"),
    ({"level": 1.0}, "level=1: must be a share"),
    ({"gamma": 1.5}, "gamma=1.5: must be from 0"),
    ({"max_bias": -1}, "max_bias=-1: must be at least 0"),
    ({"logged_ranks": [1, 2]}, "logged_ranks= is given in place of run and qrels"),
    ({"metrics": "coverage@3"}, "coverage@3 is not the mean of a function of the rank"),
    ({"metrics": "hit(sampled=10)@5"}, "leave it out, and give negatives=10"),
    ({"metrics": ["hit(rel=1)@5", "rr(rel=2)"]}, "different lowest relevant grades: 1, 2"),
    ({"metrics": "hit@5", "rank": 3}, "there is no argument rank=. Did you mean ranks"),
    ({"drawn": "popularity", "probabilities": {"x": 0.1}, "metrics": "hit@5"}, "hit@5 is no straight line"),
    ({"drawn": "popularity", "probabilities": {"x": 0.1}, "metrics": "auc"}, "item 'x0.0' has no probability"),
    ({"drawn": "popularity", "probabilities": {"x": 1}, "metrics": "auc", "replace": True}, "holds? each negative once"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[message[:30] for _, message in REFUSED])
def test_what_cannot_be_estimated_is_refused_with_the_reason(words, message):
    with pytest.raises(RankwellError, match=message):
        rw.judging.correct(RUN, QRELS, **{"metrics": "hit@5", **GIVEN, **words})


DAMAGES = [
    (lambda run, qrels: run.pop("q001"), "query 'q001' has no list"),
    (lambda run, qrels: run["q001"].remove("yes"), "query 'q001' has a list without the relevant item"),
    (lambda run, qrels: run["q002"].pop(), r"'q002' has 10 items, not 11, as that of query 'q000'"),
    (lambda run, qrels: run["q003"].append("yes"), "lists item 'yes' twice"),
    (lambda run, qrels: qrels["q002"].update({"x2.1": 1}), "query 'q002' has 2 relevant items.*u1/a"),
    (lambda run, qrels: qrels["q002"].update({"yes": 0}), "query 'q002' has 0 relevant items"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES, ids=[message[:30] for _, message in DAMAGES])
def test_lists_that_are_no_sample_with_one_relevant_item_are_refused(damage, message):
    run, qrels = lists_of([1, 3, 5, 2])
    damage(run, qrels)
    with pytest.raises(DataError, match=message):
        rw.judging.correct(run, qrels, "hit@5", candidates=CANDIDATES)


def test_queries_without_a_list_can_be_left_out():
    run, qrels = lists_of([1, 3, 5, 2])
    del run["q001"]
    assert rw.judging.correct(run, qrels, "auc", candidates=CANDIDATES, missing="skip").queries == 3


def test_a_metric_that_reads_other_judgements_is_refused():
    run, qrels = lists_of([2, 3, 5, 2])
    qrels["q001"]["x1.0"] = 0
    with pytest.raises(UsageError, match=r"judged@5 is 0\.4 for query 'q001', and 0\.2 by the rank"):
        rw.judging.correct(run, qrels, "judged@5", candidates=CANDIDATES)
    assert rw.judging.correct(run, qrels, "hit@5", candidates=CANDIDATES).queries == 4


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ([0, 1], "logged_ranks= has 0 at place 0.*those from 0 need"),
        ([1, 12], "has 12 at place 1: .* from 1 to 11"),
        ([1.5], "has 1.5 at place 0"),
        ([math.nan], "has nan at place 0"),
        ([], "must be a list of ranks"),
        ("many", "must be a list of ranks"),
    ],
)
def test_logged_ranks_are_whole_numbers_from_one(ranks, message):
    with pytest.raises(RankwellError, match=message):
        rw.judging.correct(logged_ranks=ranks, metrics="auc", candidates=80, negatives=10)


def test_logged_ranks_need_the_number_of_negatives():
    with pytest.raises(UsageError, match="give negatives=100"):
        rw.judging.correct(logged_ranks=[1], metrics="auc", candidates=80)
    with pytest.raises(UsageError, match="give run and qrels, or the ranks"):
        rw.judging.correct(metrics="auc", candidates=80)


def test_ranks_that_no_uniform_draw_gives_are_refused():
    with pytest.raises(
        DataError, match="no ranks among 1,000 candidates give these ranks among 20 negatives"
    ):
        rw.judging.correct(logged_ranks=[11] * 5000, metrics="hit@10", candidates=1000, negatives=20)


def test_negatives_drawn_twice_leave_another_rank_distribution():
    _, ranks = drawn_ranks()
    given = {
        "logged_ranks": ranks,
        "metrics": "rr",
        "candidates": CANDIDATES,
        "negatives": NEGATIVES,
        "max_bias": 1,
    }
    once, twice = rw.judging.correct(**given), rw.judging.correct(**given, replace=True)
    assert once.rows[0].estimate != twice.rows[0].estimate
    assert "with replacement" in str(twice)
    assert "each at most once" in str(once)


NOTHING = [
    ({"1": ["a", "b"]}, {"1": {}}, {}, "no list has a judged query"),
    ({"1": ["a", "b"]}, {"1": {}}, {"negatives": 1, "missing": "skip"}, "no list has a judged query"),
    ({"1": ["a", "b"]}, {"2": {"a": 1}}, {"missing": "skip"}, "quer"),
    ({"1": ["a"]}, {"1": {"a": 1}}, {}, "has one item, the relevant one, so no negative was sampled"),
    ({"1": ["a", "b"]}, {"1": {"a": 1}}, {"unjudged": "condense"}, "has one item, the relevant one"),
]


@pytest.mark.parametrize(("run", "qrels", "words", "message"), NOTHING)
@pytest.mark.filterwarnings("ignore")
def test_lists_that_know_no_rank_among_negatives_are_one_error(run, qrels, words, message):
    with pytest.raises(DataError, match=message):
        rw.judging.correct(run, qrels, ["hit@1"], candidates=9, **words)


@pytest.mark.filterwarnings("ignore")
def test_any_lists_and_judgements_are_corrected_or_refused_with_an_error_of_rankwell():
    rng = random.Random(5)
    values = [0, 1, 2, -1, 0.5]
    words = {
        "negatives": [1, 3, 5], "missing": ["skip", "empty"], "grades": ["interactions", "judgements"], "rel": [1, 2, 0, -1],
        "depth": [1, 2], "unjudged": ["nonrelevant", "condense"], "negative": ["unjudged", "nonrelevant"],
    }  # fmt: skip
    refused = 0
    for _ in range(400):
        run = {str(q): rng.sample("abcdef", rng.choice([4, 4, 1, 0])) for q in range(rng.randint(0, 3))}
        qrels = {
            str(q): {item: rng.choice(values) for item in rng.sample("abcdef", rng.randint(0, 3))}
            for q in range(3)
        }
        given = {word: rng.choice(own) for word, own in words.items() if rng.random() < 0.3}
        metric = rng.choice(["hit@1", "rr", "ndcg@2", "hit(rel=2)@2", "ap", "auc"])
        try:
            rw.judging.correct(run, qrels, [metric], candidates=rng.choice([1, 6, 9]), **given)
        except RankwellError:
            refused += 1
    assert 0 < refused < 400


def test_an_estimate_by_em_says_after_how_many_rounds_it_was_stopped():
    """400 ranks among 20 negatives of 199: EM is not at the likeliest distribution, and more rounds give another hit@10."""
    random = np.random.default_rng(5)
    full = np.minimum(random.geometric(0.02, 400), 200)
    ranks = 1 + random.hypergeometric(full - 1, 200 - full, 20)
    found = rw.judging.correct(
        logged_ranks=ranks, metrics=["hit@10", "auc"], candidates=200, negatives=20, max_bias=1
    )
    row, other = found["hit@10", "stopped EM"], found["hit@10", "bias-variance"]
    assert (row.rounds, row.still_gains, other.rounds, other.still_gains) == (1000, True, 0, False)
    shown = str(found)
    assert "stopped EM, 1,000 rounds" in shown
    assert (
        "stopped EM: round 1,000 still made the sampled ranks likelier; more rounds would give other values"
        in " ".join(shown.split())
    )
    kernel = counts_of_draws(np.arange(200), 199, 20)
    counts = np.bincount(ranks - 1, minlength=21)
    values = {}
    for rounds in (1000, 10_000):
        weights, done, still_gains = stopped_em(kernel, counts, np.ones(200), rounds=rounds, gain=0.0)
        values[rounds] = weights[:10].sum()
        assert (done, still_gains) == (rounds, True)
    assert row.estimate == pytest.approx(values[1000], abs=1e-9)
    assert abs(values[10_000] - values[1000]) > 0.005


def test_no_note_stands_where_em_no_longer_gains():
    found = rw.judging.correct(
        logged_ranks=[1, 2, 3] * 40, metrics=["hit@1"], candidates=4, negatives=2, max_bias=1
    )
    row = found["hit@1", "stopped EM"]
    assert (0 < row.rounds < 1000, row.still_gains) == (True, False)
    assert "still made" not in str(found)
