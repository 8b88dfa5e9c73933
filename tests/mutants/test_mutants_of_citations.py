"""One planted bug per rule and switch of citations and of parts; each is caught by a plain loop."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.definitions.both import same, values_of
from tests.definitions.test_citations import (
    METRICS,
    UNCITED,
    UNJUDGED,
    answers_of,
    frame_of,
    loop,
    parameters,
)
from tests.matching.test_parts import expected, found, random_rows
from tests.mutants.planting import around, fails, put

import rankwell as rw
from rankwell.matching import parts
from rankwell.matching.batch import Judged
from rankwell.metrics.evidence import citations


def compare_with_the_loop():
    answers = answers_of(80, 2)
    frame = frame_of(answers).with_columns(score=-pl.int_range(pl.len()).over("query", "part"))
    judged = {"q000000": {"d0": 1}, "absent": {"d0": 1}}
    flat = [sentence for sentences in answers.values() for sentence in sentences]
    for rules in ({}, {"unjudged": "condense"}):
        res = rw.evaluate(frame.sample(fraction=1, shuffle=True, seed=1), judged, METRICS, **rules)
        for metric in METRICS:
            values = values_of(res, metric)
            assert values.keys() == {*answers, "absent"}
            for query, value in values.items():
                assert same(value, loop(answers.get(query, []), *parameters(metric), bool(rules))), (
                    metric,
                    query,
                )
        assert res.counts[UNCITED] == flat.count([])
        assert res.counts[UNJUDGED] == sum(sentence.count(None) for sentence in flat)
        assert res.counts["rows"] == sum(map(len, flat))


def compare_parts():
    draw = random.Random(3)
    for kind in ("numbers", "texts of numbers", "names"):
        for by_score in (True, False):
            for _ in range(20):
                rows = random_rows(draw, kind)
                query, part, item, score = (list(column) for column in zip(*rows, strict=True))
                run = rw.Run(query, item, score if by_score else None, part=part)
                assert found(run) == expected(rows, by_score), rows


def without(switch, value):
    """Ignore a switch."""
    return lambda original, self, *given: original(replace(self, **{switch: value}), *given)


def all_named(ids):
    return np.zeros(len(ids), np.int64), np.zeros(len(ids), np.bool_)


def by_the_first_digit(original, ids):
    numbers, are_plain = original(ids)
    return np.array([int(str(number)[0]) for number in numbers.tolist()], np.int64), are_plain


OF_METRICS = {
    "support in part counts in full": put(citations, "PARTIAL_SUPPORT", 1.0),
    "full support is support in part": put(citations, "SUPPORT", 0.5),
    "partial is always a half": around(citations.OfCitations, "_parts", without("partial", 0.5)),
    "all citations count for precision": around(citations.CitationP, "counted", without("which", "all")),
    "first citations alone count for precision": around(citations.CitationP, "counted", without("which", "first")),
    "the best citation counts for recall": around(citations.CitationR, "counted", without("which", "all")),
    "the first citation counts for recall": around(citations.CitationR, "counted", without("which", "first")),
    "every citation is a first one": put(citations, "_are_first", lambda query, part: np.ones(len(query), bool)),
    "a sentence goes on in the next answer": put(citations, "_are_first", lambda query, part: np.diff(part, prepend=-1) != 0),
    "no answer is undefined": put(citations.CitationP, "_least", 1),
    "unjudged citations are never left out": lambda patch: patch.setattr(
        Judged, "is_condensed", property(lambda self: False, lambda self, value: None), raising=False
    ),
    "judged queries without rows have no value": put(citations.OfCitations, "sees_missing", False),
    "recall counts the sentences that cite something": put(
        citations.CitationR, "_below", lambda self, judged, counted: counted
    ),
    "precision is over all sentences": put(citations.CitationP, "_below", lambda self, judged, counted: judged.parts),
}  # fmt: skip
OF_PARTS = {
    "what lists nothing is an item": put(parts, "are_gaps", lambda ids: np.zeros(len(ids), bool)),
    "numbers are names": put(parts, "as_integers", all_named),
    "numbers are texts": around(parts, "as_integers", by_the_first_digit),
    "the second part is the first": around(
        parts.PartLists, "joined", lambda original, self, rows: original(replace(self, number=np.maximum(self.number - 1, 1)), rows)
    ),
}  # fmt: skip


def test_nothing_is_caught_where_nothing_is_planted():
    compare_with_the_loop()
    compare_parts()


@pytest.mark.parametrize("name", [*OF_METRICS, *OF_PARTS])
def test_a_planted_bug_is_caught(name, monkeypatch):
    (OF_METRICS | OF_PARTS)[name](monkeypatch)
    assert fails(compare_with_the_loop if name in OF_METRICS else compare_parts)
