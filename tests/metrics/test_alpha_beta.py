"""αβ-nDCG: what its name tells, what is refused, what is counted, and that ideal lists are made once."""

from __future__ import annotations

import pytest

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import DataError, NeededError, UsageError
from rankwell.metrics import metric_of
from rankwell.metrics.diversity.alpha_beta import ABnDCG
from rankwell.metrics.diversity.topic_ideal import Normalised

ITEMS = [
    {"item": item, "genres": genres, "maker": maker}
    for item, genres, maker in [
        ("a", "War", 1), ("b", "War", 2), ("c", "Drama", 1), ("d", None, 2), ("x", "War", 3), ("y", "Drama|War", 3),
    ]
]  # fmt: skip
TRAIN = {"u": {"x": 3, "y": 1}, "v": {"x": 1}}
QRELS = {"u": {"a": 5, "c": 1}, "v": {"a": 4}, "w": {"b": 2}}
RUN = {"u": ["b", "c", "d"], "v": ["a", "d"], "w": ["a"]}


def evaluated(*texts, run=RUN, qrels=QRELS, **options):
    return rw.evaluate(run, qrels, list(texts), **{"items": ITEMS, "train": TRAIN} | options)


def test_alpha_and_beta_are_always_written():
    assert str(metric_of("ab_ndcg@10")) == "ab_ndcg(alpha=0.1,beta=0.9)@10"
    assert str(metric_of("ab_dcg(alpha=.2)")) == "ab_dcg(alpha=0.2,beta=0.9)"
    assert str(metric_of("ab_hit@5")) == "ab_hit(beta=0.9)@5"
    assert str(ABnDCG(alpha=0.05, beta=0.5) @ 3) == "ab_ndcg(alpha=0.05,beta=0.5)@3"


def test_a_value_is_at_most_1_where_it_is_kept_to_that():
    assert metric_of("ab_ndcg").range == (0, float("inf"))
    assert metric_of("ab_ndcg(clip=true)").range == metric_of("ab_ndcg(ideal=best_of)").range == (0, 1)


@pytest.mark.parametrize(("text", "words"), [
    ("ab_ndcg(alpha=.5,beta=.4)@5", "probabilities, 0 ≤ alpha ≤ beta ≤ 1"),
    ("ab_ndcg(beta=1.5)@5", "probabilities, 0 ≤ alpha ≤ beta ≤ 1"),
    ("ab_ndcg(alpha=-.1)@5", "probabilities, 0 ≤ alpha ≤ beta ≤ 1"),
    ("ab_hit(beta=2)@5", "probabilities, 0 ≤ alpha ≤ beta ≤ 1"),
    ("ab_ndcg(profile=smoothed,smoothing=2)@5", "smoothing must be between 0 and 1"),
    ("ab_ndcg(profile=dirichlet,mu=-1)@5", "mu, a number of ratings, must be at least 0"),
    ("ab_ndcg(ideal=exact)@7", "down to rank 6; write @6 or less, or use ideal=greedy"),
    ("ab_ndcg(ideal=exact)", "down to rank 6"),
    ("ab_ndcg(mu=3)@5", "mu=3 has no effect"),
    ("ab_ndcg(min_grade=1)@5", "min_grade=1 has no effect"),
    ("ab_ndcg(profile=given,profile_source=test)@5", "profile_source=test has no effect"),
    ("ab_ndcg(ideal=best_of,clip=true)@5", "clip=true has no effect"),
    ("ab_topic(rel=3)@5", "ab_topic has no parameter 'rel'"),
    ("ab_ndcg(topics=genre)@5", r"no column 'genre'.*Did you mean genres"),
    ("ab_ndcg(max_grade=4)@5", "a grade is above max_grade"),
    ("ab_ndcg(rating_map=minmax,min_grade=2)@5", "a grade is below min_grade"),
    ("ab_ndcg(profile=given)@5", r"needs a table of users: give users="),
    ("by_topic(metric=ab_dcg@5)", "reads data about the user"),
    ("ips(metric=ab_dcg@5)", "not a sum over the relevant items found"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_sentence(text, words):
    with pytest.raises(rw.RankwellError, match=words):
        evaluated(text)


@pytest.mark.parametrize("missing", ["items", "train"])
def test_a_table_that_is_missing_is_asked_for(missing):
    with pytest.raises(NeededError, match=f"give {missing}="):
        evaluated("ab_ndcg@5", **{missing: None})


def test_minmax_of_one_grade_has_no_span():
    with pytest.raises(
        UsageError, match=r"all grades are 4, so minmax has no span\. Set min_grade= and max_grade="
    ):
        evaluated("ab_ndcg(rating_map=minmax)@5", qrels={"u": {"a": 4}})
    assert evaluated("ab_dcg(rating_map=minmax,min_grade=1,max_grade=5)@1", run={"u": ["a"]}, qrels={"u": {"a": 4}}).mean == {
        "ab_dcg(alpha=0.1,beta=0.9,rating_map=minmax,max_grade=5,min_grade=1)@1": pytest.approx(0.9 * 0.75 * 0.8)
    }  # fmt: skip


def test_given_profiles_are_columns_of_users_named_like_topics():
    users = [{"query": "u", "War": 0.5, "Drama": 0.25}, {"query": "v", "War": None, "Drama": None}]
    res = evaluated("ab_dcg(profile=given)@2", users=users, train=None)
    assert res.per_query.to_series(1).to_list() == [
        pytest.approx(0.05 + 0.63092975357 * 0.9 * 0.2 * 0.25),
        None,
        None,
    ]
    assert res.counts["users without a profile"] == 2
    with pytest.raises(UsageError, match=r"no column named after a topic \(Drama or War …\); it has war"):
        evaluated("ab_dcg(profile=given)", users=[{"query": "u", "war": 1.0}])
    with pytest.raises(
        DataError, match="query 'v' has 3 for 'War'; the interest in a topic must be a share between 0 and 1"
    ):
        evaluated("ab_dcg(profile=given)", users=[{"query": "v", "War": 3.0}])


def test_ratings_need_no_threshold_but_under_binary():
    ratings = {
        "u": dict(zip("abc", (1, 3, 4), strict=True)),
        "v": {"a": 5, "b": 2},
    }
    assert evaluated("ab_ndcg@5", qrels=ratings).grades == "ratings"
    with pytest.raises(UsageError, match="grades look like ratings"):
        evaluated("ab_ndcg(rating_map=binary)@5", qrels=ratings)
    evaluated("ab_ndcg(rating_map=binary,rel=3)@5", qrels=ratings)


def test_whole_numbers_are_names_of_topics():
    makers = evaluated("ab_dcg(topics=maker,cold=uniform)@1", run={"w": ["a"]}, qrels={"w": {"b": 1}})
    assert makers["ab_dcg(topics=maker,cold=uniform)@1"] == pytest.approx(0.1 / 3)


def test_what_was_counted_is_told_in_words():
    counts = evaluated("ab_ndcg@3", run={"u": ["b", "d", "a"], "v": ["d"], "w": ["b"]}).counts
    assert counts["users without a profile"] == 1  # w
    assert counts["rows without topics"] == 2
    assert counts["users who rated nothing in their list"] == 1  # v
    assert "users who rated no candidate that has topics" not in counts
    rated_what_they_had = {"u": {"x": 5, "y": 4}, "v": {"d": 5}}
    counted = evaluated("ab_ndcg@3", qrels=rated_what_they_had).counts
    assert counted["users who rated no candidate that has topics"] == 2


def test_disliked_items_that_count_for_no_less_than_unrated_ones_are_counted():
    words = "disliked items that count at least as much as unrated ones (alpha ≤ beta·rating)"
    assert evaluated("ab_ndcg@3").counts[words] == 1  # .9 · 1/5 for c, against .1
    assert words not in evaluated("ab_ndcg(rating_map=minmax)@3").counts
    assert words not in evaluated("ab_ndcg(alpha=.2)@3").counts
    assert evaluated("ab_ndcg(alpha=.2)@3", policy=rw.Policy(rel=5)).counts[words] == 2  # 2/5 and 4/5
    assert words not in evaluated("ab_hit@3", "ab_topic@3").counts


def test_values_above_1_are_counted_and_clipped_on_request():
    text, items = "ab_ndcg(candidates=judged)@2", [{"item": item, "genres": "War"} for item in "abx"]
    given = {"run": {"u": ["a", "b"]}, "qrels": {"u": {"a": 1}}, "items": items, "train": {"u": {"x": 1}}}
    res = evaluated(
        text, "ab_ndcg(candidates=judged,clip=true)@2", "ab_ndcg(candidates=judged,ideal=best_of)@2", **given
    )
    above, clipped, best = res.mean.values()
    assert above == pytest.approx(1 + 0.1 * 0.1 * 0.63092975357 / 0.9)
    assert (clipped, best) == (1, 1)
    assert res.counts[f"values of {metric_of(text)} above 1"] == 1


def test_profiles_of_the_test_are_said_to_leak():
    res = evaluated("ab_ndcg(profile_source=test)@3")
    assert "leaks: profiles are made from the judgements" in str(res.to_table())
    assert "leaks" not in str(evaluated("ab_ndcg@3").to_table())


def test_ideal_lists_are_made_once_for_all_runs_and_cuts(monkeypatch):
    made = []
    original = Normalised.measured
    monkeypatch.setattr(
        Normalised, "measured", lambda self, *given: made.append(self) or original(self, *given)
    )
    evaluator = rw.Evaluator(
        QRELS, ["ab_ndcg@1", "ab_ndcg@2", "ab_ndcg(clip=true)@2"], items=ITEMS, train=TRAIN
    )
    values = [evaluator.evaluate(run).mean for run in (RUN, {"u": ["a"]}, {"v": ["b", "a"]})]
    assert len(made) == 1
    fresh = rw.evaluate({"v": ["b", "a"]}, QRELS, ["ab_ndcg@2"], items=ITEMS, train=TRAIN)
    assert fresh["ab_ndcg@2"] == values[2]["ab_ndcg(alpha=0.1,beta=0.9)@2"]


def test_equal_candidates_go_by_their_ids_as_text():
    """All gain alike: after 10 (War, Drama) the others overlap; 9 before 10, as numbers, would leave two that do not."""
    genres = {10: "A|B", 9: "A|C", 11: "B|D", 1: None}
    items = [{"item": item, "genres": each} for item, each in genres.items()]
    text = "ab_ndcg(alpha=.5,cold=uniform)@2"
    res = rw.evaluate({7: [9, 11]}, {7: {1: 1}}, text, items=items, train={8: {9: 1}})
    one = 1 - (1 - 0.5 / 4) ** 2
    overlapping = 1 - (1 - 0.5 / 4) * (1 - 0.25 / 4)
    best = one * (1 + 0.63092975357)
    assert res[text] == pytest.approx(best / (one + overlapping * 0.63092975357), rel=1e-9)
    assert res[text] > 1


def test_a_later_copy_of_an_item_gains_nothing_and_takes_nothing_away():
    once = evaluated("ab_dcg@3", run={"u": {"a": 3, "d": 2, "b": 1}}, qrels={"u": {"a": 5}})
    rows = rw.Run(query=["u"] * 3, item=["a", "a", "b"], rank=[1, 2, 3])
    twice = evaluated("ab_dcg@3", run=rows, qrels={"u": {"a": 5}}, policy=rw.Policy(duplicates="first"))
    assert twice["ab_dcg@3"] == once["ab_dcg@3"]


def test_a_row_outside_the_catalogue_takes_up_its_rank_alone():
    ignore = rw.Policy(outside="ignore", missing="skip")

    def value(text, *listed):
        return evaluated(text, run={"u": listed}, policy=ignore)[text]

    ideal = value("ab_dcg@3", "a", "c", "b")
    outside = value("ab_ndcg(unknown_topic=true)@3", "?", "a")
    assert outside == pytest.approx(value("ab_dcg@1", "a") * 0.63092975357 / ideal, rel=1e-9)


def test_interactions_are_all_rated_best():
    qrels = rw.Qrels(query=["u", "u"], item=["a", "c"])
    for rating_map in ("ratio", "minmax", "exp", "binary"):
        text = f"ab_dcg(rating_map={rating_map})@1"
        assert evaluated(text, run={"u": ["a"]}, qrels=qrels)[text] == pytest.approx(0.9 * 0.8)


def test_a_user_without_a_list_counts_0():
    frame = evaluated("ab_ndcg@3", run={"v": ["a"]}).per_query
    assert dict(frame.iter_rows())["u"] == 0


def test_results_with_different_users_do_not_add():
    text, skip = "ab_dcg(profile=given,max_grade=5)@3", rw.Policy(missing="skip")

    def part(user, war):
        users = [{"query": "u", "War": war}, {"query": "v", "War": 1.0}]
        return evaluated(text, run={user: ["a"]}, users=users, policy=skip)

    assert (part("u", 0.5) + part("v", 0.5)).n[str(metric_of(text))] == 2
    with pytest.raises(UsageError, match="different tables of users"):
        part("u", 0.5) + part("v", 0.25)


def test_slices_are_refused():
    with pytest.raises(UsageError, match="not defined on a slice"):
        evaluated("ab_ndcg@3", slices={"head": ["a"]})


def test_the_worked_table_is_there_on_the_command_line(tmp_path, capsys):
    for name, lines in {
        "qrels.csv": ["query,item,grade", "u,a,5", "u,c,1"],
        "run.csv": ["query,item,score", "u,b,3", "u,a,2"],
        "items.csv": ["item,genres", *(f"{row['item']},{row['genres'] or ''}" for row in ITEMS)],
        "train.csv": ["query,item,grade", "u,x,3", "u,y,1"],
    }.items():
        (tmp_path / name).write_text("\n".join(lines))
    paths = [str(tmp_path / name) for name in ("qrels.csv", "run.csv", "items.csv", "train.csv")]
    code = command(["explain", "ab_ndcg@2", *paths[:2], "--items", paths[2], "--train", paths[3]])
    shown = capsys.readouterr().out
    assert code == 0
    assert "ideal item" in shown
    assert "÷ IDCG" in shown


def test_a_cut_off_beyond_the_catalogue_is_the_whole_list():
    assert evaluated("ab_ndcg@1000000")["ab_ndcg@1000000"] == evaluated("ab_ndcg")["ab_ndcg"]
    far, whole = (
        rw.explain(text, run=RUN, qrels=QRELS, query="u", items=ITEMS, train=TRAIN)
        for text in ("ab_ndcg@1000000", "ab_ndcg")
    )
    assert far.rows == whole.rows
