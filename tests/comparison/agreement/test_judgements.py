"""agreement of judgements: against a join and scikit-learn; intervals against a loop; which pairs count, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score
from tests.evidence import evidence

import rankwell as rw
from rankwell.statistics.bootstrap import drawn_weights
from rankwell.tables.ids import Ids, fingerprints_of


@pytest.fixture(scope="module")
def frames():
    """Real judgements, and those of a judge who skips some, errs on some and is generous."""
    path = evidence("trec-covid-round1") / "qrels-rnd1.txt"
    rows = [line.split() for line in path.read_text().splitlines()]
    human = pl.DataFrame(
        {"query": [r[0] for r in rows], "item": [r[2] for r in rows], "grade": [int(r[3]) for r in rows]}
    )
    random = np.random.default_rng(7)
    grades = np.clip(human["grade"].to_numpy() + random.choice([-1, 0, 0, 0, 1], len(human)), 0, 2)
    model = human.with_columns(grade=pl.Series(grades)).filter(pl.Series(random.random(len(human)) < 0.8))
    return human, model.sample(fraction=1, shuffle=True, seed=1)


@pytest.fixture(scope="module")
def found(frames):
    human, model = (
        rw.read_qrels(frame, name=name) for frame, name in zip(frames, ("human", "model"), strict=True)
    )
    return rw.agreement(human, model, resamples=200)


@pytest.fixture(scope="module")
def joined(frames):
    return frames[0].join(frames[1], on=["query", "item"], suffix="_model")


def test_measures_are_those_of_a_join_and_of_scikit_learn(found, frames, joined):
    [each] = found.judgements
    one, other = joined["grade"].to_numpy(), joined["grade_model"].to_numpy()
    values = {name: value.value for name, value in each.measures._asdict().items()}
    assert (each.n, each.queries) == (len(joined), 30)
    assert (each.only_first, each.only_second) == (len(frames[0]) - len(joined), 0)
    told = {
        "exact": (one == other).mean(),
        "binary": ((one > 0) == (other > 0)).mean(),
        "kappa": cohen_kappa_score(one, other),
        "kappa_binary": cohen_kappa_score(one > 0, other > 0),
        "kappa_quadratic": cohen_kappa_score(one, other, weights="quadratic"),
        "over": (other - one).mean(),
        "higher": (other > one).mean(),
        "lower": (other < one).mean(),
        "prevalence_first": (one > 0).mean(),
        "prevalence_second": (other > 0).mean(),
    }
    assert {name: values[name] for name in told} == pytest.approx(told, abs=1e-12)
    counted = [[int(((one == a) & (other == b)).sum()) for b in range(3)] for a in range(3)]
    assert [list(row) for row in each.confusion] == counted
    assert each.grades == (0, 1, 2)


def test_judgements_that_are_matched_part_by_part_say_the_same(found, frames, monkeypatch):
    monkeypatch.setattr("rankwell.comparison.agreement.judgements.PART_ROWS", 20)
    human, model = (
        rw.read_qrels(frame, name=name) for frame, name in zip(frames, ("human", "model"), strict=True)
    )
    assert rw.agreement(human, model, resamples=200).to_json() == found.to_json()


def test_intervals_come_from_whole_queries_drawn_anew(found, joined):
    queries = joined["query"].unique().sort()
    [weights] = drawn_weights(fingerprints_of(Ids.of(queries.to_list())), 200, seed=0)
    place = np.searchsorted(queries.to_numpy(), joined["query"].to_numpy())
    one, other = joined["grade"].to_numpy(), joined["grade_model"].to_numpy()
    drawn = sorted(
        cohen_kappa_score(one, other, weights="quadratic", sample_weight=row[place]) for row in weights
    )
    kappa = found.judgements[0].measures.kappa_quadratic
    assert (kappa.low, kappa.high) == pytest.approx(
        (drawn[int(201 * 0.025) - 1], drawn[int(np.ceil(201 * 0.975)) - 1])
    )


def test_rel_moves_what_is_relevant(frames, joined):
    [each] = rw.agreement(*frames, rel=2, resamples=99).judgements
    one, other = joined["grade"].to_numpy(), joined["grade_model"].to_numpy()
    assert each.measures.kappa_binary.value == pytest.approx(cohen_kappa_score(one >= 2, other >= 2))
    assert each.relevant == (False, False, True)


def test_grades_below_0_are_no_judgements_unless_said():
    human = {"q": {"a": 1, "b": -2, "c": 0, "d": 1}}
    model = {"q": {"a": 1, "b": 0, "c": 0, "e": 1}}
    [each] = rw.agreement(human, model, resamples=99).judgements
    assert (each.n, each.only_first, each.only_second, each.negative) == (2, 1, 2, (1, 0))
    [each] = rw.agreement(human, model, resamples=99, negative="nonrelevant").judgements
    assert (each.n, each.grades, each.negative) == (3, (-2, 0, 1), (0, 0))
    assert each.measures.binary.value == 1


def test_integer_ids_are_the_decimal_text_of_others():
    text = rw.Qrels(["1", "1", "2"], ["10", "11", "10"], [1, 0, 1])
    numbers = rw.Qrels([2, 1, 1], [10, 10, 12], [0, 1, 1])
    [each] = rw.agreement(text, numbers, resamples=99).judgements
    assert (each.n, each.only_first, each.only_second) == (2, 1, 1)
    assert each.confusion == ((0, 0), (1, 1))


def test_three_judges_are_compared_by_two_and_all_together(frames):
    human, model = frames
    third = human.with_columns(grade=pl.col("grade").clip(0, 1))
    found = rw.agreement(human, model, third, resamples=99)
    assert [(each.first, each.second) for each in found.judgements] == [
        ("qrels", "qrels 2"), ("qrels", "qrels 3"), ("qrels 2", "qrels 3")
    ]  # fmt: skip
    assert (found.joint.n, found.joint.queries) == (len(human), 30)
    assert (
        0
        < found.joint.alpha_nominal.low
        < found.joint.alpha_nominal.value
        < found.joint.alpha_nominal.high
        < 1
    )
    assert rw.agreement(human, model, resamples=99).joint is None


def test_the_highest_grade_over_topics_counts():
    human = rw.Qrels(["q", "q", "q"], ["a", "a", "b"], [0, 2, 1], topic=["1", "2", "1"])
    [each] = rw.agreement(human, {"q": {"a": 2, "b": 1}}, resamples=99).judgements
    assert each.measures.exact.value == 1


def test_judges_who_agree_on_one_grade_have_no_kappa_and_no_error():
    same = {str(q): {"a": 1, "b": 1} for q in range(5)}
    [each] = rw.agreement(same, same, resamples=99).judgements
    assert each.measures.exact == (1, 1, 1)
    assert np.isnan(each.measures.kappa.value)
    assert (
        json.loads(rw.agreement(same, same, resamples=99).to_json())["judgements"][0]["measures"]["kappa"][
            "value"
        ]
        is None
    )


def test_everything_is_shown(found):
    measures, confusion = found.to_tables()
    assert "model against human" in measures.caption
    assert "likely too short" in " ".join(measures.notes)
    assert confusion.rows[-1][-1] == found.judgements[0].n
    assert "Cohen's κ, quadratic weights" in repr(found)
    row = found.to_frame().row(by_predicate=pl.col("measure") == "kappa", named=True)
    assert row["value"] == found.judgements[0].measures.kappa.value
    assert (row["first"], row["second"], row["n"]) == ("human", "model", found.judgements[0].n)


@pytest.mark.parametrize(
    ("qrels", "other", "options", "message"),
    [
        ({"q": {"a": 1}}, {"q": {"b": 1}}, {}, "no pair of query and item in common"),
        ({"q": {"a": 1}}, {"r": {"a": 1}}, {}, "no pair of query and item in common"),
        (
            {"q": dict.fromkeys("abc", 1) | {str(n): n / 7 for n in range(60)}},
            {"q": {"a": 1}},
            {"rel": 3},
            "60 different grades",
        ),
        ({"q": {str(n): n + 1 for n in range(9)}}, {"q": {"1": 1}}, {}, "grades look like ratings"),
        ({"q": {"a": 1}}, {"q": {"a": 1}}, {"items": ["a"]}, "items= is for leaderboards"),
        ({"q": {"a": 1}}, {"q": {"a": 1}}, {"metrics": ["ap"]}, "give runs too"),
    ],
)
def test_what_cannot_be_compared_is_refused(qrels, other, options, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.agreement(qrels, other, **options)
