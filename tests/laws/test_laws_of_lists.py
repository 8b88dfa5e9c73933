"""Metrics of features, calibration and popularity deviation keep the laws with parameters that are no words, too."""

from __future__ import annotations

import math

import pytest
from tests.cases import drawn
from tests.laws.drawing import ALL, named

import rankwell as rw
from rankwell import testing
from rankwell.metrics import metric_of
from rankwell.metrics.beyond import item_features as pairs
from rankwell.tables import features
from rankwell.testing.checks import groups_of

TEXTS = [
    "ils(features=numbers)@3",
    "ils(features=numeric,similarity=jaccard)",
    "ils(average=matrix,missing=skip)@3",
    "ils(features='n*',average=sum)",
    "ild(features=numeric,distance=euclidean)@3",
    "ild(features=numbers,distance=euclidean,missing=skip)",
    "ild(features=numeric,distance=sqeuclidean)",
    "ild(features=numeric)@3",
    "eild(features=numeric)@3",
    "eild(relevance=binary,rel=2,weights=symmetric,missing=skip)",
    "eild(weights=symmetric,distance=jaccard,discount=reciprocal)@3",
    "unserendipity(features=numbers)",
    "surprise(features=numeric)@3",
    "epd(relevance=graded,max_grade=5)",
    "epd(relevance=binary,rel=2,distance=jaccard)@3",
    "calibration(base=2,smoothing=.2,weights=grade)",
    "calibration(divergence=tv,features=numeric)@3",
    *(
        f"upd(head={rule})@3"
        for rule in ("top,at=2,mid=4", "iqr,at=0,mid=0", "count,at=1,mid=0", "volume,at=.4")
    ),
]


@pytest.mark.parametrize("variants", groups_of(map(metric_of, TEXTS)), ids=named)
def test_a_metric_keeps_every_law(variants):
    testing.check_metrics(variants, cases=drawn(ALL, variants[0]))


@pytest.mark.parametrize(
    "text", ["ils(features='genre_*')", 'ils(features="it\'s")', "ils(features='12')", "ils(features='true')"]
)
def test_the_name_of_any_column_is_written_so_that_it_parses_back(text):
    assert str(metric_of(text)) == text
    assert metric_of(metric_of(text).signature) == metric_of(text)


@pytest.mark.parametrize("text", ["ils(similarity=jaccard)", "ild(distance=euclidean,features=numeric)", "eild",
                                  "epd(distance=jaccard)", "calibration", "ild(distance=sqeuclidean)"])  # fmt: skip
@pytest.mark.parametrize("narrow", [0, 64])
def test_the_size_of_the_tables_made_at_a_time_changes_no_bit(text, narrow, monkeypatch):
    monkeypatch.setattr(pairs, "NARROW", narrow)
    found = []
    for cells in (1, 17, 1 << 20):
        monkeypatch.setattr(pairs, "CELLS", cells)
        monkeypatch.setattr(features, "CELLS", cells)
        found.append([case.results(metric_of(text)).per_query for case in testing.examples(6)])
    assert all(a.equals(b) and a.equals(c) for a, b, c in zip(*found, strict=True))


def test_ranges_go_with_the_parameters():
    assert metric_of("ils(average=sum)").range == (-math.inf, math.inf)
    assert metric_of("ild(distance=euclidean)").range == (0, math.inf)
    assert metric_of("calibration(smoothing=.1,base=10)").range == (0, pytest.approx(1))
    assert "-1 to 1" in str(rw.explain("ils"))
    assert "-∞ to ∞" in str(rw.explain("ils(average=sum)"))
    assert "reads       judgements" in str(rw.explain("epd(relevance=binary)"))
    assert "reads       lists" in str(rw.explain("epd"))
