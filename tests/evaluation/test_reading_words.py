"""Words about reading that have no argument of their own are taken by name, by every function that reads runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankwell as rw
from rankwell.errors import UsageError

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
IDS = ["q1", "q2"]


def answers(first: str = "a", second: str = "c") -> list[list[dict[str, object]]]:
    """A list of hits for each of two queries, which they do not name."""
    return [
        [{"id": first, "score": 2.0}, {"id": "z", "score": 1.0}],
        [{"id": second, "score": 2.0}, {"id": "y" if second == "b" else "b", "score": 1.0}],
    ]


TWO = {"old": answers(), "new": answers(second="b")}
VERBS = {
    "evaluate": lambda **words: rw.evaluate(answers(), QRELS, "rr", **words).mean,
    "Evaluator": lambda **words: rw.Evaluator(QRELS, "rr", **words).evaluate(answers()).mean,
    "compare": lambda **words: str(rw.compare(TWO, QRELS, "rr", **words)),
    "gate": lambda **words: str(
        rw.gate(answers(), baseline=answers(second="b"), qrels=QRELS, metrics="rr", **words)
    ),
    "diff": lambda **words: rw.diff(TWO, QRELS, "rr", **words).losses,
    "fuse": lambda **words: rw.fuse(TWO, **words).to_frame().rows(),
    "lint": lambda **words: rw.lint(answers(), QRELS, **words).to_dicts(),
    "agreement": lambda **words: str(
        rw.agreement(QRELS, {"q1": {"a": 1}, "q2": {"b": 0}}, runs=TWO, metrics="rr", **words)
    ),
    "next": lambda **words: str(rw.judging.next(TWO, QRELS, metric="ap", **words)),
}


@pytest.mark.parametrize("verb", VERBS)
def test_query_ids_by_name_says_the_same_as_within_read(verb: str) -> None:
    found = VERBS[verb](query_ids=IDS)
    assert found == VERBS[verb](read={"query_ids": IDS})
    if verb == "evaluate":
        assert found == {"rr": 0.75}


@pytest.mark.parametrize("verb", VERBS)
def test_a_word_given_twice_is_refused(verb: str) -> None:
    with pytest.raises(UsageError, match="query_ids= is given twice, also in read="):
        VERBS[verb](query_ids=IDS, read={"query_ids": IDS})


def test_an_unknown_word_is_still_refused_by_lint() -> None:
    with pytest.raises(UsageError, match="there is no argument query_id="):
        rw.lint({"u": ["a"]}, query_id=IDS)


@pytest.mark.parametrize(
    ("name", "form"),
    [("csv", "delimited"), ("TSV", "delimited"), (".csv", "delimited"), ("jsonl", "ndjson"), ("txt", "trec"), ("qrels", "trec"),
     ("feather", "arrow"), ("pq", "parquet"), ("svmlight", "letor"), ("opensearch", "elasticsearch")],
)  # fmt: skip
def test_a_suffix_in_place_of_a_format_names_the_format(tmp_path: Path, name: str, form: str) -> None:
    (tmp_path / "run.x").write_text("q Q0 a 1 1 t\n")
    with pytest.raises(UsageError, match=f"There is no format '{name}'. Say format_in='{form}'."):
        rw.read_run(tmp_path / "run.x", format_in=name)
