"""Files of nuggetizer: importance as judgements, assignments as a run, and what is counted or refused."""

from __future__ import annotations

import json

import polars as pl
import pytest
from tests.evidence import evidence

import rankwell as rw
from rankwell.errors import DataError
from rankwell.readers.bytes.files import File
from rankwell.readers.registry import guess

FOLDER = evidence("shapes") / "trec_rag"
NUGGETS, ASSIGNMENTS = FOLDER / "nuggets.jsonl", FOLDER / "assignments.jsonl"
TRUTH = json.loads((evidence("shapes") / "answers_truth.json").read_text(encoding="utf-8"))["nuggets"]
METRICS = {
    "strict_vital": "nugget(of=vital,partial=0)", "vital": "nugget(of=vital)", "strict_all": "nugget(partial=0)", "all": "nugget",
    "weighted_strict(okay=.5)": "nugget(of=weighted,partial=0)", "weighted(okay=.5)": "nugget(of=weighted)",
}  # fmt: skip


def records(path=ASSIGNMENTS):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def record(*nuggets, qid="q", **more):
    """A record with nuggets of (text, importance, assignment)."""
    words = ("text", "importance", "assignment")
    return {
        "query": "a question",
        "qid": qid,
        "nuggets": [dict(zip(words, each, strict=False)) for each in nuggets],
        **more,
    }


SOURCES = {
    "two files": (ASSIGNMENTS, NUGGETS),
    "one file as both": (ASSIGNMENTS, ASSIGNMENTS),
    "records in memory": (records(), records(NUGGETS)),
    "records by query": ({each["qid"]: each for each in records()}, records(NUGGETS)),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("undefined", ["skip", "zero"])
def test_files_and_records_give_the_numbers_of_the_truth(source, undefined):
    assert METRICS.keys() == TRUTH.keys()
    res = rw.evaluate(*SOURCES[source], list(METRICS.values()), undefined=undefined)
    values = res.per_query.to_dicts()
    for name, metric in METRICS.items():
        expected = dict(TRUTH[name])
        means = {"skip": expected.pop("mean_over_defined"), "zero": expected.pop("mean_undefined_as_0")}
        assert res[metric] == pytest.approx(means[undefined], abs=1e-12)
        for row in values:
            wanted = expected[row["query"]]
            if wanted is None and undefined == "zero":
                wanted = 0.0
            assert row[metric] == (wanted if wanted is None else pytest.approx(wanted, abs=1e-12))


@pytest.mark.parametrize("name", ["nuggets.jsonl", "assignments.jsonl"])
@pytest.mark.parametrize("as_list", [False, True])
def test_the_format_is_told_by_the_first_bytes(tmp_path, name, as_list):
    path = tmp_path / "some"
    path.write_text(
        json.dumps(records(FOLDER / name)) if as_list else (FOLDER / name).read_text(encoding="utf-8"),
        encoding="utf-8",
    )
    assert guess(File(path)) == ("nuggetizer", "by its first bytes")
    assert len(rw.read_qrels(path)) == 9


def test_parts_and_memory_agree_to_the_last_bit():
    whole = rw.evaluate(records(), records(NUGGETS), list(METRICS.values()))
    found = rw.evaluate(ASSIGNMENTS, NUGGETS, list(METRICS.values()), engine=rw.Stream(part_rows=2))
    assert found.per_query.equals(whole.per_query)
    assert found.mean == whole.mean


def test_a_failed_assignment_is_left_out_and_so_counts_as_not_assigned():
    given = [record(("a", "vital", "support"), ("b", "vital", "failed"))]
    with pytest.warns(
        UserWarning, match=r"run: 1 query with an incomplete answer: q \(1 of 2 labels failed, left out\)"
    ):
        run = rw.read_run(given)
    res = rw.evaluate(run, given, ["nugget"])
    assert (res["nugget"], res.counts["nuggets that were not assigned"]) == (0.5, 1)


def test_a_failed_importance_is_no_vital_one_and_counts_as_okay():
    given = [record(("a", "vital", "support"), ("b", "failed", "not_support"))]
    with pytest.warns(
        UserWarning,
        match=r"qrels: 1 query with an incomplete answer: q \(1 of 2 labels failed, read as okay\)",
    ):
        qrels = rw.read_qrels(given)
    assert rw.evaluate(given, qrels, ["nugget", "nugget(of=vital)"]).mean == {
        "nugget": 0.5,
        "nugget(of=vital)": 1.0,
    }


def test_nuggets_of_one_text_in_a_query_are_numbered_in_their_order():
    given = [
        record(
            ("a", "vital", "support"),
            ("a", "okay", "not_support"),
            ("a (2)", "okay", "support"),
            ("a", "okay", "support"),
        )
    ]
    assert rw.read_run(given).rows.table().item.tolist() == ["a", "a (2)", "a (2) (2)", "a (3)"]
    assert rw.evaluate(given, given, ["nugget"])["nugget"] == 0.75


def test_several_systems_and_several_documents_are_never_mixed():
    one, other = records(), [{**each, "run_id": "other"} for each in records()]
    for read in (rw.read_run, rw.read_qrels):
        with pytest.raises(
            DataError, match=r"several systems \('made-up', 'other'\), whose lists would be mixed"
        ):
            read([*one, *other])
    found = rw.compare({"one": one, "other": other}, NUGGETS, ["nugget"])
    assert found.difference("one", "other", "nugget").mean == 0
    documents = [
        {
            "text": "x",
            "qid": "q",
            "docid": name,
            "candidate_text": "",
            "nuggets": [{"text": "a", "assignment": "support"}],
        }
        for name in ("d1", "d2")
    ]
    with pytest.raises(DataError, match=r"two answers are to the query 'q'\. Keep one of them"):
        rw.read_run(documents)
    assert rw.evaluate(documents[:1], {"q": {"a": 2}}, ["nugget"])["nugget"] == 1


@pytest.mark.parametrize(
    ("nuggets", "read", "said"),
    [
        ([("a", "vital", "maybe")], rw.read_run, "query 'q', nugget 'a': it has the assignment 'maybe', which must be support, partial_support, not_support or failed."),
        ([("a", "vital", 1)], rw.read_run, "it has the assignment 1, which must be"),
        ([("a", "vital")], rw.read_run, "it has no assignment, which must be support, partial_support, not_support or failed. Nuggets with their importance are judgements"),
        ([("a", "3", "support")], rw.read_qrels, "query 'q', nugget 'a': it has the importance '3', which must be vital, okay or failed."),
        ([("a",)], rw.read_qrels, "it has no importance"),
        ([("a", "vital"), ()], rw.read_qrels, "query 'q': nugget 2 has no text."),
        ([("a", "vital"), ("", "vital")], rw.read_qrels, "query 'q': nugget 2 has no text."),
    ],
)  # fmt: skip
def test_what_is_no_label_is_one_error_with_query_and_nugget(tmp_path, nuggets, read, said):
    path = tmp_path / "some.jsonl"
    path.write_text(
        "\n".join(json.dumps(each) for each in [record(("n", "okay", "support"), qid="p"), record(*nuggets)]),
        encoding="utf-8",
    )
    with pytest.raises(DataError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}:2: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


IMPORTANCE = {"q": {"a": "vital", "b": "okay"}}
SUPPORT = {"q": {"a": "support", "b": "partial_support", "c": "not_support"}}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".json", ""])
def test_words_for_importance_and_support_are_read_from_tables_and_dicts(tmp_path, suffix):
    given = []
    for word, table in (("score", SUPPORT), ("grade", IMPORTANCE)):
        frame = pl.DataFrame(
            [("q", item, label) for item, label in table["q"].items()],
            schema=["query", "item", word],
            orient="row",
        )
        path = tmp_path / f"{word}{suffix}"
        if suffix == ".json":
            path.write_text(json.dumps(table))
        elif suffix:
            {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[suffix](
                path
            )
        given.append(path if suffix else table)
    assert rw.evaluate(*given, ["nugget", "nugget(of=weighted)"]).mean == {
        "nugget": 0.75,
        "nugget(of=weighted)": 1.25 / 1.5,
    }


@pytest.mark.parametrize("judged", [{"q": {"a": "vital", "b": "ok"}}, {"q": {"b": "ok", "a": 1}}])
def test_other_words_are_refused(judged):
    with pytest.raises(DataError, match=r"the grade of item 'b' is 'ok', not a number"):
        rw.read_qrels(judged)


def test_words_are_read_in_upper_and_lower_case_wherever_they_stand(tmp_path):
    wanted, said = {"q": {"a": "Vital", "b": "OKAY "}}, {"q": {"a": "Support", "b": "PARTIAL_SUPPORT"}}
    nuggets = [
        {"text": text, "importance": wanted["q"][text], "assignment": said["q"][text]} for text in "ab"
    ]
    records = [{"query": "?", "qid": "q", "nuggets": nuggets}]
    (tmp_path / "wanted.json").write_text(json.dumps(wanted))
    (tmp_path / "said.json").write_text(json.dumps(said))
    frames = [
        pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], name: list(words["q"].values())})
        for name, words in (("score", said), ("grade", wanted))
    ]
    for run, qrels in (
        (said, wanted), (records, records), frames, (tmp_path / "said.json", tmp_path / "wanted.json"),
    ):  # fmt: skip
        # a vital one supported, an okay one in part
        assert rw.evaluate(run, qrels, ["nugget", "nugget(of=vital)"]).mean == {
            "nugget": 0.75,
            "nugget(of=vital)": 1.0,
        }
