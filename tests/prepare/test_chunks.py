"""Judgements of chunks from judgements of spans: worked numbers, and a plain loop over sets of characters."""

from __future__ import annotations

import json
import random

import polars as pl
import pytest
from tests.cases import seeds

import rankwell as rw
from rankwell.cli import run as command

GOLD = [("d", 100, 200, 2), ("d", 400, 450, 1), ("d", 600, 1000, 1), ("d", 20, 25, 0)]
CHUNKS = {
    "c1": ("d", 50, 150), "c2": ("d", 140, 240), "c3": ("d", 400, 500), "c4": ("d", 600, 700), "c5": ("d", 0, 50), "c6": ("e", 100, 200),
}  # fmt: skip
# of plain code that knows no library, at least half: the grades of the chunks, and how many spans no chunk takes
WORKED = {
    "gold": ({"c1": 2, "c2": 2, "c3": 1, "c5": 0}, 1),
    "chunk": ({"c1": 2, "c2": 2, "c3": 1, "c4": 1}, 1),
    "either": ({"c1": 2, "c2": 2, "c3": 1, "c4": 1, "c5": 0}, 0),
    "any": ({"c1": 2, "c2": 2, "c3": 1, "c4": 1, "c5": 0}, 0),
}


def gold_of(spans, query="q"):
    words = ("document", "start", "end", "grade")
    return [{"query": query} | dict(zip(words, span, strict=True)) for span in spans]


def chunks_of(chunks):
    return [
        {"item": item, "document": each[0], "start": each[1], "end": each[2]} for item, each in chunks.items()
    ]


def grades_of(qrels):
    rows = zip(qrels.query.tolist(), qrels.item.tolist(), qrels.grade.tolist(), strict=True)
    found = {}
    for query, item, grade in rows:
        assert item not in found.setdefault(query, {}), "judged twice"
        found[query][item] = grade
    return found


@pytest.mark.parametrize("of", WORKED)
def test_worked_numbers(of):
    grades, lost = WORKED[of]
    qrels, report = rw.prepare.judge_chunks(gold_of(GOLD), chunks_of(CHUNKS), of=of)
    assert grades_of(qrels) == {"q": grades}
    assert report["spans that no chunk takes"].n == lost
    assert report["judgements"] == len(grades)


def plain(gold, chunks, share, of):
    """The grades by query and chunk, and the number of spans that no chunk takes, by sets of characters."""
    found, lost = {}, 0
    for query, spans in gold.items():
        for document, start, end, grade in spans:
            takers = []
            for item, (where, first, last) in chunks.items():
                both = len(set(range(start, end)) & set(range(first, last))) if where == document else 0
                enough = {
                    "gold": both / (end - start) >= share,
                    "chunk": both / (last - first) >= share,
                    "any": both > 0,
                }
                enough["either"] = enough["gold"] or enough["chunk"]
                takers += [item] if enough[of] else []
            lost += not takers
            for item in takers:
                own = found.setdefault(query, {})
                own[item] = max(own.get(item, grade), grade)
    return found, lost


@pytest.mark.parametrize("seed", seeds(100))
def test_judgements_are_those_of_sets_of_characters(seed):
    rng = random.Random(seed)

    def span():
        return rng.choice("de"), *sorted(rng.sample(range(30), 2))

    chunks = {f"c{place}": span() for place in range(rng.randint(1, 8))}
    gold = {query: [(*span(), rng.randrange(3)) for _ in range(rng.randint(1, 5))] for query in "qp"}
    rows = [row for query, spans in gold.items() for row in gold_of(spans, query)]
    for of in WORKED:
        share = rng.choice([0.25, 0.5, 1])
        qrels, report = rw.prepare.judge_chunks(rows, chunks_of(chunks), share, of)
        assert (grades_of(qrels), report["spans that no chunk takes"].n) == plain(gold, chunks, share, of)


def test_the_judgements_are_read_by_metrics_of_items():
    qrels = rw.prepare.judge_chunks(gold_of(GOLD[:3]), chunks_of(CHUNKS)).qrels
    assert rw.evaluate({"q": ["c9", "c1", "c2"]}, qrels, "ndcg@2").mean["ndcg@2"] > 0
    assert rw.evaluate({"q": ["c9", "c1", "c2"]}, qrels, "r@3")["r@3"] == pytest.approx(2 / 3)


def test_spans_without_grades_give_judgements_without_grades():
    gold = [{name: value for name, value in row.items() if name != "grade"} for row in gold_of(GOLD)]
    qrels = rw.prepare.judge_chunks(gold, chunks_of(CHUNKS)).qrels
    assert qrels.grade is None
    assert qrels.item.tolist() == ["c1", "c2", "c3", "c5"]


@pytest.mark.parametrize("share", [0, -1, 1.5, float("nan")])
def test_at_least_is_a_share(share):
    with pytest.raises(
        rw.RankwellError, match=r"at_least=.* must be a (share above 0 and up to 1|finite number)"
    ):
        rw.prepare.judge_chunks(gold_of(GOLD), chunks_of(CHUNKS), share)


def test_documents_that_are_not_named_alike_are_said():
    chunks = [row | {"document": f"docs/{row['document']}"} for row in chunks_of(CHUNKS)]
    qrels, report = rw.prepare.judge_chunks(gold_of(GOLD), chunks)
    assert len(qrels) == 0
    assert report.notes == ("no document of the gold spans has a chunk: are documents named alike?",)


def test_the_command_writes_the_judgements_and_prints_the_report(tmp_path, capsys):
    pl.DataFrame(gold_of(GOLD)).rename({"start": "from"}).write_csv(tmp_path / "gold.csv")
    pl.DataFrame(chunks_of(CHUNKS)).write_parquet(tmp_path / "chunks.parquet")
    paths = [str(tmp_path / name) for name in ("gold.csv", "chunks.parquet", "qrels.csv")]
    options = ["--of", "chunk", "--columns", "from=start", "--format", "json", "-o", paths[2]]
    assert command(["prepare", "chunks", *paths[:2], *options]) == 0
    assert pl.read_csv(paths[2]).rows() == [
        ("q", "c1", 2.0),
        ("q", "c2", 2.0),
        ("q", "c3", 1.0),
        ("q", "c4", 1.0),
    ]
    [report] = json.loads(capsys.readouterr().out)["reports"]
    assert report["facts"]["spans that no chunk takes"]["n"] == 1
    assert command(["prepare", "chunks", *paths[:2], "--at-least", "2"]) == 2
    assert "must be a share" in capsys.readouterr().err
