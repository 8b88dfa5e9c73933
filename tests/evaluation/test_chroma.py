"""The preset of Chroma's chunking_evaluation: what its functions printed for made-up spans, and its formulas on many more."""

from __future__ import annotations

import random

import pytest
from tests.cases import seeds

import rankwell as rw
from rankwell.evaluation.preset import preset_of

NAMES = ["span_r", "span_p", "span_iou"]
# Gold spans of one document, retrieved chunks, and recall, precision and IoU as _scores_from_dataset_and_retrievals of commit 23ee965
# gave them, with all chunks taken.
PRINTED = [
    ([(2, 26), (31, 32)], [("a", 8, 18), ("a", 16, 39), ("a", 6, 19), ("a", 21, 30), ("a", 22, 27)], [0.84, 0.35, 0.328125]),
    ([(4, 36)], [("b", 27, 38)], [0.0, 0.0, 0.0]),
    ([(5, 23)], [("a", 25, 27), ("a", 28, 34), ("a", 1, 2), ("a", 20, 29), ("b", 27, 33)], [0.166666666666667, 0.125, 0.076923076923077]),
    ([(22, 33)], [("a", 3, 10), ("a", 23, 30), ("a", 24, 34), ("a", 15, 36)], [1.0, 0.244444444444444, 0.244444444444444]),
    ([(16, 31)], [("a", 30, 37)], [0.066666666666667, 0.142857142857143, 0.047619047619048]),
    ([(23, 24), (2, 12)], [("a", 13, 32), ("b", 1, 29)], [0.090909090909091, 0.021276595744681, 0.017543859649123]),
    ([(23, 39), (8, 11)], [("b", 5, 38), ("a", 35, 39), ("a", 10, 24)], [0.315789473684211, 0.117647058823529, 0.09375]),
    ([(100, 200), (400, 450)], [("a", 50, 150), ("a", 140, 240), ("a", 400, 500)], [1.0, 0.5, 0.5]),
]  # fmt: skip


def values(questions):
    """The values of each question under the preset."""
    gold = [
        {"question": f"q{at:03}", "corpus_id": "a", "references": [{"content": "", "start_index": start, "end_index": end} for start, end in spans]}
        for at, (spans, *_) in enumerate(questions)
    ]  # fmt: skip
    chunks = sorted({chunk for _, listed, *_ in questions for chunk in listed})
    items = [
        {"corpus_id": document, "start_index": start, "end_index": end} for document, start, end in chunks
    ]
    run = {
        f"q{at:03}": [f"{document}:{start}-{end}" for document, start, end in listed]
        for at, (_, listed, *_) in enumerate(questions)
    }
    res = rw.evaluate(run, gold, NAMES, items=items, preset="chroma")
    assert [str(metric) for metric in res.mean] == [
        "span_r",
        "span_p(overlaps=count)",
        "span_iou(overlaps=count)",
    ]
    return [list(row[1:]) for row in res.per_query.iter_rows()]


def test_values_are_those_that_chroma_printed():
    for found, (*_, printed) in zip(values(PRINTED), PRINTED, strict=True):
        assert found == pytest.approx(printed, abs=1e-14)


def formulas(gold, chunks):
    """Recall, precision and IoU by its formulas, for gold spans that do not overlap."""
    wanted = [at for start, end in gold for at in range(start, end)]
    got = {at for document, start, end in chunks if document == "a" for at in range(start, end)}
    hit, taken = sum(at in got for at in wanted), sum(end - start for _, start, end in chunks)
    return [hit / len(wanted), hit / taken, hit / (taken + len(wanted) - hit)]


@pytest.mark.parametrize("seed", seeds(10))
def test_values_are_those_of_its_formulas(seed):
    rng = random.Random(seed)
    questions = []
    for _ in range(200):
        ends = sorted(rng.sample(range(60), 2 * rng.randint(1, 4)))
        gold = list(zip(ends[::2], ends[1::2], strict=True))
        chunks = [(rng.choice("aab"), *sorted(rng.sample(range(60), 2))) for _ in range(rng.randint(1, 6))]
        questions.append((gold, [*chunks, *chunks[: rng.randint(0, 1)]]))  # one chunk may be retrieved twice
    for found, question in zip(values(questions), questions, strict=True):
        assert found == pytest.approx(formulas(*question), abs=1e-12)


def test_of_gold_spans_that_overlap_chroma_sums_both():
    """The one difference, which the preset says: its functions gave .75 for recall with everything retrieved."""
    assert values([([(0, 20), (10, 30)], [("a", 0, 40)])])[0][0] == 1
    assert any("overlap" in limit for limit in preset_of("chroma").limits)
