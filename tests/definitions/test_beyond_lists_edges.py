"""The edges of metrics of features: missing tables and columns, empty features, who has no history, closed forms at scale."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankwell as rw

FILMS = [
    {"item": "a", "genres": "War", "year": 1990},
    {"item": "b", "genres": "Drama|War", "year": 2000},
    {"item": "c", "genres": None, "year": None},
]
TRAIN = {"u": {"a": 1, "b": 2}}
LISTS = {"u": ["a", "b", "c"]}
OUTSIDE = rw.Policy(outside="ignore")


def evaluated(metric, run=LISTS, qrels=None, **options):
    return rw.evaluate(run, qrels, [metric], **({"items": FILMS, "train": TRAIN} | options))


REFUSED = {
    "ils(features=yeer)": (rw.RankwellError, "items has no column 'yeer'; it has genres or year.*Did you mean year"),
    "ild(features=3)": (ValueError, "features must be a name"),
    "ils(missing=drop)": (ValueError, "missing must be one of zero, skip"),
    "eild(rel=2)": (ValueError, "rel=2 has no effect with the other parameters"),
    "epd(max_grade=2)": (ValueError, "max_grade=2 has no effect"),
    "surprise": (LookupError, "surprise needs judgements: give qrels="),
    "eild(relevance=binary)": (LookupError, "needs judgements"),
    "calibration(divergence=js,base=2)": (ValueError, "base=2 has no effect"),
    "calibration(divergence=tv,smoothing=.1)": (ValueError, "smoothing=0.1 has no effect"),
    "calibration(smoothing=0)": (ValueError, "smoothing must be above 0 and below 1"),
    "calibration(base=1)": (ValueError, "base must be e or a number above 1"),
    "upd(head=top)": (ValueError, "at must be a whole number"),
    "upd(at=1.5)": (ValueError, "at must be a share from 0 to 1"),
    "upd(at=.9)": (ValueError, r"mid=0.8 excludes items of the head \(at=0.9\).*it must be larger than at"),
    "upd(head=reach)": (ValueError, "with head='reach' it must be smaller than at, or equal for no mid"),
    "upd(head=top,at=2)": (ValueError, "head=top, mid=0.8: mid must be a whole number"),
    "upd(mid=none)": (ValueError, "mid must be a number"),
    "aplt(mid=1.5)": (ValueError, "head=volume, mid=1.5: mid must be a share from 0 to 1"),
    "pop_rsp(at=.5,mid=.3)": (ValueError, "mid=0.3 excludes items of the head"),
}  # fmt: skip


@pytest.mark.parametrize("metric", REFUSED)
def test_what_does_not_fit_is_refused_with_the_remedy(metric):
    kind, message = REFUSED[metric]
    with pytest.raises(kind, match=message) as caught:
        evaluated(metric)
    assert isinstance(caught.value, rw.RankwellError)


@pytest.mark.parametrize(
    ("metric", "missing", "message"),
    [
        ("ils", "items", "ils needs a table of items: give items="),
        ("epd", "items", "epd needs a table of items: give items="),
        ("epd", "train", "epd needs what the system learned from: give train="),
        ("calibration", "train", "calibration needs what the system learned from"),
        ("upd", "train", "upd needs what the system learned from"),
    ],
)
def test_a_missing_table_is_named(metric, missing, message):
    with pytest.raises(rw.RankwellError, match=message):
        evaluated(metric, **{missing: None})


def test_a_catalogue_without_topics_is_refused():
    with pytest.raises(rw.RankwellError, match=r"items has no column of topics .* it has only items"):
        evaluated("ils", items=["a", "b", "c"])


def test_text_where_numbers_are_wanted_and_infinite_numbers_are_refused():
    films = [{"item": "a", "size": math.inf}, {"item": "b", "size": 1.0}, {"item": "c", "size": 2.0}]
    with pytest.raises(rw.RankwellError, match="row 1: 'size' is not a finite number"):
        evaluated("ils(features=size)", items=films)


def test_rows_without_features_are_counted_once_per_features():
    res = rw.evaluate(
        {"u": ["a", "c"], "v": ["c"]}, None, ["ils", "ild@1", "ils(features=year)"], items=FILMS
    )
    assert res.counts["rows without topics"] == 2
    assert res.counts["rows without year"] == 2
    assert "rows without topics" not in evaluated("ils@2").counts


def test_a_list_too_short_for_pairs_and_a_user_without_history_are_undefined_and_counted():
    run = {"u": ["a"], "stranger": ["a", "b"]}
    for metric, there in {
        "ils": "stranger",
        "ild": "stranger",
        "epd": "u",
        "calibration": "u",
        "upd": "u",
    }.items():
        res = evaluated(metric, run)
        defined = {query: value for query, value in res.per_query.iter_rows() if value is not None}
        assert defined.keys() == {there}
        assert res.undefined[metric] == {"undefined by the list": 1}


def test_an_item_outside_the_catalogue_has_no_features_and_is_of_no_part_of_it():
    run = {"u": ["a", "elsewhere"]}
    with pytest.raises(rw.RankwellError, match="'elsewhere' is not in the catalogue"):
        evaluated("ils", run)
    assert evaluated("ils", run, policy=OUTSIDE)["ils"] == 0
    assert math.isnan(evaluated("ils(missing=skip)", run, policy=OUTSIDE)["ils(missing=skip)"])
    alone = evaluated("upd(at=.5)", {"u": ["a"]})["upd(at=.5)"]
    assert evaluated("upd(at=.5)", run, policy=OUTSIDE)["upd(at=.5)"] == alone > 0


def test_without_a_catalogue_what_nobody_had_is_of_the_tail():
    train = {"u": {"a": 1}, "v": {"a": 1}}
    res = rw.evaluate({"u": ["a", "new"], "v": ["a"]}, None, ["upd"], train=train)
    one = 0.5 * math.log2(0.5 / 0.75) + 0.5 * math.log2(0.5 / 0.25)  # (½, ½) against the middle (¾, ¼)
    other = math.log2(1 / 0.75)  # (1, 0) against it
    assert dict(res.per_query.iter_rows())["u"] == pytest.approx((one + other) / 2, abs=1e-15)
    assert dict(res.per_query.iter_rows())["v"] == 0


def test_what_needs_relevance_has_values_for_judged_queries_alone():
    run, qrels = {"u": ["a", "b"], "v": ["a"]}, {"u": {"a": 2}, "w": {"b": 1}}
    for metric in ("eild(relevance=binary)", "surprise", "epd(relevance=graded)"):
        res = evaluated(metric, run, qrels, train=TRAIN | {"v": {"a": 1}, "w": {"a": 1}})
        values = dict(res.per_query.iter_rows())
        assert values.keys() == {"u", "w"}
        assert values["u"] is not None
        assert values["w"] is None
        assert res.undefined[metric] == {"undefined by the list": 1}  # w, whose list is missing


def test_negative_training_grades_weigh_nothing():
    films, metric = FILMS[:2], "calibration(weights=grade)"
    some = evaluated(metric, {"u": ["a"]}, items=films, train={"u": {"a": 1, "b": -3}})
    assert some[metric] == pytest.approx(0, abs=1e-15)
    none = evaluated(metric, {"u": ["a"]}, items=films, train={"u": {"a": 0, "b": -3}})
    assert math.isnan(none[metric])


@pytest.mark.parametrize("width", [3, 80])
def test_equal_vectors_are_at_no_distance_however_large(width):
    films = [{"item": f"i{n}", "at": [1e6 + 0.1] * width} for n in range(7)]
    run = {"u": [film["item"] for film in films]}
    metrics = [
        "ild(features=at,distance=euclidean)",
        "ild(features=at,distance=sqeuclidean)",
        "ild(features=at)",
    ]
    values = rw.evaluate(run, None, metrics, items=films).mean
    assert values[metrics[0]] == 0
    assert [values[metric] for metric in metrics[1:]] == pytest.approx([0, 0], abs=1e-15)


def test_close_vectors_far_from_0_keep_their_distance():
    """Years: the sum of squares less the square of the sum would lose ten digits."""
    years = [1999.0, 2000.0, 2000.5, 2001.0]
    films = [{"item": f"i{n}", "year": 1e6 + year} for n, year in enumerate(years)]
    apart = [abs(a - b) for n, a in enumerate(years) for b in years[:n]]
    metrics = ["ild(features=year,distance=euclidean)", "ild(features=year,distance=sqeuclidean)"]
    values = rw.evaluate({"u": ["i2", "i0", "i3", "i1"]}, None, metrics, items=films).mean
    assert values[metrics[0]] == pytest.approx(np.mean(apart), rel=1e-14)
    assert values[metrics[1]] == pytest.approx(np.mean(np.square(apart)), rel=1e-14)


def test_closed_forms_are_what_all_pairs_give_on_long_lists():
    """In NumPy, by the whole matrix of a list of 300 embeddings and of 200 train items."""
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(500, 24))
    films = [{"item": n, "at": vector.tolist()} for n, vector in enumerate(vectors)]
    run, train = {1: list(range(300))}, {1: dict.fromkeys(range(300, 500), 1)}
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    own, across = units[:300] @ units[:300].T, units[:300] @ units[300:].T
    upper = np.triu_indices(300, 1)
    w = 1 / np.log2(np.arange(300) + 2)
    pairs = np.outer(w, w)[upper]
    squares = np.square(vectors[:300, None] - vectors[None, :300]).sum(axis=2)[upper]
    wanted = {
        "ils(features=at)": own[upper].mean(),
        "ild(features=at)": 1 - own[upper].mean(),
        "ild(features=at,distance=euclidean)": np.sqrt(squares).mean(),
        "ild(features=at,distance=sqeuclidean)": squares.mean(),
        "eild(features=at,weights=symmetric)": (pairs * (1 - own[upper])).sum() / pairs.sum(),
        "unserendipity(features=at)": across.mean(),
        "epd(features=at)": (w * (1 - across.mean(axis=1))).sum() / w.sum(),
    }
    found = rw.evaluate(run, None, list(wanted), items=films, train=train).mean
    for metric, value in wanted.items():
        assert found[metric] == pytest.approx(value, rel=0, abs=1e-12), metric
