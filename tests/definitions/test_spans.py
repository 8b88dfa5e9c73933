"""Metrics of spans: worked numbers, a plain loop over sets of characters, the law of cutting a chunk in two, and what is refused.

The worked numbers are those of plain code that knows no library, over sets of characters; the random ones are ``plain`` below.
"""

from __future__ import annotations

import random
import warnings

import polars as pl
import pytest
from tests.cases import FEWER

import rankwell as rw

GOLD = [("d", 100, 200), ("d", 400, 450)]
CHUNKS = [("d", 50, 150), ("d", 140, 240), ("d", 400, 500)]
METRICS = [
    "span_r", "span_p", "span_p(overlaps=count)", "span_iou", "span_iou(overlaps=count)", "span_f", "span_f(overlaps=count)",
]  # fmt: skip


def gold_of(spans, query="q"):
    return [
        {
            "query": query,
            "document": document,
            "start": start,
            "end": end,
            "grade": 1 if not more else more[0],
        }
        for document, start, end, *more in spans
    ]


def items_of(chunks):
    return [
        {"chunk_id": f"c{place}", "document": document, "start": start, "end": end}
        for place, (document, start, end) in enumerate(chunks)
    ]


def values(gold, chunks, metrics=METRICS, **options):
    items = items_of(chunks) or items_of([("other", 0, 1)])
    run = {"q": [f"c{place}" for place in range(len(chunks))]}
    res = rw.evaluate(run, gold_of(gold), metrics, items=items, **options)
    return [res[metric] for metric in metrics]


def plain(gold, listed, *, relevant=1):
    """The seven values in the order of METRICS by sets of characters; None without gold."""
    wanted = {
        (each[0], at)
        for each in gold
        if (each[3] if len(each) > 3 else 1) >= relevant
        for at in range(*each[1:3])
    }
    if not wanted:
        return [None] * len(METRICS)
    got = {(document, at) for document, start, end in listed for at in range(start, end)}
    both, total = len(got & wanted), sum(end - start for _, start, end in listed)
    recall = both / len(wanted)
    precisions = [both / below if below else 0 for below in (len(got), total)]
    ious = [both / below for below in (len(got | wanted), total + len(wanted) - both)]
    means = [2 * each * recall / (each + recall) if both else 0 for each in precisions]
    return [recall, *precisions, *ious, *means]


WORKED = {
    "overlapping chunks": (GOLD, CHUNKS, [1.0, 15 / 29, 0.5, 15 / 29, 0.5, 30 / 44, 2 / 3]),
    "an empty list": (GOLD, [], [0.0] * 7),
    "touching chunks, overlapping gold, another document": (
        [("d", 90, 110), ("d", 105, 130)],
        [("d", 0, 100), ("d", 100, 200), ("e", 90, 130)],
        [1.0, 1 / 6, 1 / 6, 1 / 6, 1 / 6, 2 / 7, 2 / 7],
    ),
}


@pytest.mark.parametrize("name", WORKED)
def test_worked_numbers(name):
    gold, chunks, expected = WORKED[name]
    assert values(gold, chunks) == pytest.approx(expected, abs=1e-12)
    assert plain(gold, chunks) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("gold", [[("d", 100, 200, 0)], [("d", 100, 200, 1), ("d", 400, 450, 1)]])
def test_without_a_relevant_span_a_query_is_undefined_by_the_judgements(gold):
    items, run = items_of(CHUNKS), {"q": ["c0"], "other": ["c0"]}
    res = rw.evaluate(
        run, gold_of(gold) + gold_of(GOLD, "other"), METRICS, items=items, rel=1 if gold[0][3] == 0 else 2
    )
    undefined = {"undefined by the judgements": 1 if gold[0][3] == 0 else 2}
    assert all(res.undefined[metric] == undefined for metric in map(str, res.mean))


def test_the_cut_off_counts_chunks_in_rank_order():
    metrics = [f"{metric}@1" for metric in METRICS]
    assert values(GOLD, CHUNKS, metrics) == pytest.approx([1 / 3, 0.5, 0.5, 0.25, 0.25, 0.4, 0.4])
    halves = [("d", 50, 120), ("d", 120, 150), *CHUNKS[1:]]
    expected = [2 / 15, 2 / 7, 2 / 7, 0.1, 0.1, 2 / 11, 2 / 11]
    assert values(GOLD, halves, metrics) == pytest.approx(expected)


def random_spans(rng, count):
    ends = [sorted(rng.sample(range(41), 2)) for _ in range(count)]
    return list(dict.fromkeys((rng.choice("de"), start, end) for start, end in ends))


def many(queries, seed):
    """Random gold spans with grades and lists for many queries over one table of chunks."""
    rng = random.Random(seed)
    chunks = random_spans(rng, 60)
    gold, lists = {}, {}
    for query in map(str, range(queries)):
        gold[query] = [(*span, rng.randrange(3)) for span in random_spans(rng, rng.randrange(1, 6))]
        lists[query] = rng.sample(range(len(chunks)), rng.randrange(5))
    return chunks, gold, lists


@pytest.mark.parametrize("rel", [None, 2])
@pytest.mark.parametrize("cut", [None, 2])
def test_values_are_those_of_sets_of_characters(cut, rel):
    queries = 2_500 if FEWER != 1 else 25_000
    chunks, gold, lists = many(queries, f"{cut} {rel}")
    rows = [row for query, spans in gold.items() for row in gold_of(spans, query)]
    run = {query: [f"c{place}" for place in places] for query, places in lists.items()}
    metrics = METRICS if cut is None else [f"{metric}@{cut}" for metric in METRICS]
    res = rw.evaluate(run, pl.DataFrame(rows), metrics, items=items_of(chunks), rel=rel)
    found = res.per_query.to_dicts()
    assert len(found) == queries
    for row in found:
        listed = [chunks[place] for place in lists[row["query"]][:cut]]
        expected = plain(gold[row["query"]], listed, relevant=rel or 1)
        assert list(row.values())[1:] == pytest.approx(expected, abs=1e-12), (row, gold[row["query"]], listed)


def test_cutting_a_listed_chunk_in_two_changes_no_value_without_a_cut_off():
    rng = random.Random(7)
    for _ in range(100):
        gold, chunks = random_spans(rng, 4), [span for span in random_spans(rng, 5) if span[2] - span[1] > 1]
        if not chunks:
            continue
        at = rng.randrange(len(chunks))
        document, start, end = chunks[at]
        middle = rng.randrange(start + 1, end)
        halves = [*chunks[:at], (document, start, middle), (document, middle, end), *chunks[at + 1 :]]
        assert values(gold, halves) == values(gold, chunks)


def test_of_a_chunk_listed_twice_only_counting_overlaps_counts_both():
    run, items = {"q": ["c0", "c0"]}, items_of(CHUNKS)
    res = rw.evaluate(run, gold_of(GOLD), METRICS, items=items, duplicates="first")
    assert list(res.mean.values()) == pytest.approx(plain(GOLD, [CHUNKS[0]] * 2))


@pytest.mark.parametrize(
    ("chunk", "said"),
    [
        (("d", 5, 5), r"item 'c0': the end \(5\) must be above the start \(5\)"),
        (("d", 7, 5), r"item 'c0': the end \(5\) must be above the start \(7\)"),
        (("d", 1.5, 9.0), "item 'c0': the start is 1.5; it must be a whole number"),
        (("d", None, 9), "item 'c0': the start is missing"),
        (("d", -1, 9), "item 'c0': the start is -1"),
        ((None, 1, 9), "item 'c0': the document id is missing"),
        (("d", "one", 9), "item 'c0': the start is 'one'"),
    ],
)
def test_a_chunk_without_a_span_is_one_error_that_names_it(chunk, said):
    with pytest.raises(rw.RankwellError, match=said):
        rw.evaluate({"q": ["c0"]}, gold_of(GOLD), "span_r", items=items_of([chunk]))


def test_a_listed_chunk_that_items_lacks_follows_outside():
    run = {"q": ["c9", "c0"]}
    with pytest.raises(rw.RankwellError, match="item 'c9' is not in the catalogue"):
        rw.evaluate(run, gold_of(GOLD), "span_r", items=items_of(CHUNKS))
    res = rw.evaluate(run, gold_of(GOLD), ["span_r", "span_r@1"], items=items_of(CHUNKS), outside="ignore")
    assert res.mean == pytest.approx({"span_r": 1 / 3, "span_r@1": 0})
    assert res.counts["rows outside the catalogue"] == 1


@pytest.mark.parametrize(
    ("metrics", "options", "said"),
    [
        (
            ["span_r", "r@5"],
            {},
            "span_r reads judgements of spans, r@5 judgements of items: ask for them in two calls",
        ),
        (
            ["span_r"],
            {"items": None},
            "span_r needs the spans of the chunks: give items= with columns item, document, start and end",
        ),
        (["span_r"], {"items": ["c0"]}, "no document and no start and no end"),
        (["span_r"], {"ties": "best"}, "ties='best' orders equal scores by the grades of items"),
        (["span_r"], {"unjudged": "condense"}, "cannot condense"),
        (["by_topic(metric=span_r)"], {}, "a metric of spans cannot be part of another metric"),
        (["span_r"], {"slices": {"head": ["c0"]}}, "span_r is not defined on a slice of the items"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(metrics, options, said):
    with pytest.raises(rw.RankwellError, match=said):
        rw.evaluate({"q": ["c0"]}, gold_of(GOLD), metrics, **{"items": items_of(CHUNKS), **options})


@pytest.mark.parametrize("engine", [None, "stream"])
def test_judged_items_that_are_no_spans_are_refused_with_both_ways_to_give_them(engine):
    said = r"'d' is no span\. Give judgements of spans the columns document, start and end, or write items as document:start-end"
    read = rw.read_qrels(gold_of(GOLD))  # nobody said that the document of a row is not its item
    for gold in ({"q": {"d": 1}}, read):
        with pytest.raises(
            rw.RankwellError, match=said if engine is None or gold is not read else "twice|no span"
        ):
            rw.evaluate({"q": ["c0"]}, gold, "span_r", items=items_of(CHUNKS), engine=engine)


def test_metrics_of_lists_may_stand_beside_them():
    res = rw.evaluate({"q": ["c0"]}, gold_of(GOLD), ["span_r", "coverage"], items=items_of(CHUNKS))
    assert res.mean == pytest.approx({"span_r": 1 / 3, "coverage": 1 / 3})


@pytest.mark.parametrize("ids", [[7, 8, 9], ["7", "8", "9"]])
def test_chunks_are_never_matched_with_judged_spans_by_id(ids):
    items = [
        {"item": item, "document": 4, "start": 10 * row, "end": 10 * row + 10} for row, item in enumerate(ids)
    ]
    gold = [{"query": 1, "document": 4, "start": at, "end": at + 6} for at in range(0, 24, 2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        res = rw.evaluate({1: ids[:2]}, gold, "span_r", items=items)
    assert res["span_r"] == pytest.approx(20 / 28)
    assert res.counts["judged items found"] == 10  # those that begin before character 20


def test_spans_of_which_no_chunk_has_a_character_are_warned_of():
    with pytest.warns(rw.errors.DataWarning, match="no listed chunk shares a character with a judged span"):
        rw.evaluate({"q": ["c0"]}, gold_of([("docs/d", 100, 200)]), "span_r", items=items_of(CHUNKS))


def test_streams_have_the_values_of_memory(tmp_path):
    chunks, gold, lists = many(40, "stream")
    rows = [row for query, spans in gold.items() for row in gold_of(spans, query)]
    run = [
        {"query": query, "item": f"c{place}", "score": -rank}
        for query, places in lists.items()
        for rank, place in enumerate(places)
    ]
    frames = {"run": pl.DataFrame(run), "gold": pl.DataFrame(rows), "items": pl.DataFrame(items_of(chunks))}
    whole = rw.evaluate(frames["run"], frames["gold"], METRICS, items=frames["items"])
    for suffix, write in (("csv", "write_csv"), ("parquet", "write_parquet"), ("jsonl", "write_ndjson")):
        paths = {name: str(tmp_path / f"{name}.{suffix}") for name in frames}
        for name, frame in frames.items():
            getattr(frame, write)(paths[name])
        for options in ({}, {"engine": "stream"}, {"engine": rw.Stream(part_rows=7)}):
            part = rw.evaluate(paths["run"], paths["gold"], METRICS, items=paths["items"], **options)
            assert part.per_query.equals(whole.per_query), (suffix, options)
            assert part.mean == whole.mean
            assert part.counts == whole.counts


def test_axioms_about_judged_items_say_nothing_of_them():
    verdicts = rw.check_axioms("span_r", "Pri", trials=5)
    assert [(each.verdict, each.reason) for each in verdicts] == [
        ("not applicable", "it reads judgements of spans, not of items")
    ]
