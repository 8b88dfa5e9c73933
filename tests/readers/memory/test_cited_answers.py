"""Answers whose sentences cite items, of TREC RAG and of ALCE: what they become, and what is counted or refused."""

from __future__ import annotations

import json
import pickle

import polars as pl
import pytest
from tests.evidence import evidence

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import DataError, UsageError
from rankwell.readers.bytes.files import File
from rankwell.readers.formats import alce, trec_rag
from rankwell.readers.memory.cited_answers import LOST, OTHERS
from rankwell.readers.registry import guess

FOLDER = evidence("shapes")
RAG = FOLDER / "trec_rag"
ALCE = json.loads((FOLDER / "alce" / "result.json").read_text(encoding="utf-8"))
NAMES = "answers_2024.jsonl", "answers_2025_by_index.jsonl", "answers_2025_by_id.jsonl"
ID = "msmarco_v2.1_doc_99_"


def rows_of(path):
    return [tuple(row[:4]) for row in trec_rag.SHAPE.cited_in(File(path)).rows]


def records(name=NAMES[0]):
    return [json.loads(line) for line in (RAG / name).read_text(encoding="utf-8").splitlines()]


def plain(values):
    """The rows of answers by a second loop over their JSON; citations by index alone."""
    for value in values:
        sentences = value["answer"]
        if not sentences:
            yield value["topic_id"], None, None, None
        for number, sentence in enumerate(sentences):
            if not sentence["citations"]:
                yield value["topic_id"], number + 1, None, None
            for place in sentence["citations"]:
                is_there = place < len(value["references"])
                item = value["references"][place] if is_there else f"[{place}]"
                yield value["topic_id"], number + 1, item, None if is_there else 0.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("as_list", [False, True])
def test_each_citation_is_a_row_of_its_sentence_in_both_forms(tmp_path, name, as_list):
    path = tmp_path / "some"
    path.write_text(
        json.dumps(records(name)) if as_list else (RAG / name).read_text(encoding="utf-8"), encoding="utf-8"
    )
    assert guess(File(path)) == ("trec_rag", "by its first bytes")
    lost = f"{ID}8#0_8000" if "by_id" in name else "[7]"
    expected = [(*row[:2], lost, 0.0) if row[2] == "[7]" else row for row in plain(records())]
    assert rows_of(path) == expected
    assert trec_rag.SHAPE.cited_in(File(path)).counts == {LOST: 1}


def test_fields_of_2025_may_stand_at_the_top(tmp_path):
    top = [{**value.pop("metadata"), **value} for value in records(NAMES[1])]
    (tmp_path / "some").write_text(json.dumps(top), encoding="utf-8")
    assert rows_of(tmp_path / "some") == list(plain(records()))


def test_a_citation_may_be_an_object_with_its_id_and_support(tmp_path):
    sentence = {"text": "a", "citations": [{"docid": "d2", "support": "PS"}, {"id": 0, "support": 1}, {"doc_id": "d1"}, {"id": 5, "support": "FS"}]}  # fmt: skip
    value = {"qid": 7, "references": ["d1", "d2"], "answer": [sentence]}
    (tmp_path / "some").write_text(json.dumps(value), encoding="utf-8")
    assert rows_of(tmp_path / "some") == [(7, 1, "d2", 0.5), (7, 1, "d1", 1.0), (7, 1, "d1", None), (7, 1, "[5]", 0.0)]  # fmt: skip


def sentence(*citations):
    return {"text": "It is.", "citations": list(citations)}


def answer(*sentences, **more):
    return {"topic_id": "q1", "run_id": "mine", "references": ["d1", "d2"], "answer": list(sentences)} | more


BROKEN = {
    "no references": ([{key: value for key, value in answer(sentence(0)).items() if key != "references"}], ":1: the answer: no references are there. Write a list, [] for none."),
    "references that are no list": ([answer(sentence(0), references="d1")], ":1: the answer: references are 'd1'. Write a list, [] for none."),
    "a reference without id": ([answer(sentence(0), references=["d1", None])], ":1: reference 1 is None, which is no id."),
    "no citations": ([answer(sentence(0)), answer({"text": "a"}, topic_id="q2")], ":2: sentence 1: no citations are there. Write a list, [] for none."),
    "citations that are no list": ([answer({"text": "a", "citations": {"d1": 1}})], ":1: sentence 1: citations are {'d1': 1}. Write a list"),
    "a sentence without text": ([answer(sentence(0)), answer(sentence(), {"citations": []}, topic_id="q2")], ":2: sentence 2 is {'citations': []}, which has no text."),
    "a sentence that is text": ([answer(sentence(), "It is.")], ":1: sentence 2 is 'It is.', which has no text."),
    "a citation that is true": ([answer(sentence(0, True))], ":1: sentence 1: citation 2 is True, which is no id."),
    "a citation that is a fraction": ([answer(sentence(0.0))], ":1: sentence 1: citation 1 is 0.0, which is no id."),
    "an index as text": ([answer(sentence("1"))], ":1: sentence 1: citation 1 is the text '1', no id of a reference. Write 1 without quotation marks"),
    "an object without id": ([answer(sentence({"support": 1}))], ":1: sentence 1: citation 1 is {'support': 1}, with 0 ids. Give its docid."),
    "a support that is none": ([answer(sentence({"id": 0, "support": 0.7}))], ":1: sentence 1: citation 1 has the support 0.7, which must be 1, 0.5, 0, or"),
    "a support of other words": ([answer(sentence({"id": 0, "support": "maybe"}))], ":1: sentence 1: citation 1 has the support 'maybe', which must be"),
    "several systems": ([answer(sentence(0)), answer(sentence(0), topic_id="q2", run_id="other")], ": it holds several systems ('mine', 'other')"),
    "two answers to a query": ([answer(sentence(0)), answer()], ": two answers are to the query 'q1'. Keep one of them."),
    "no query": ([answer(sentence(0), topic_id=None)], "which names no query"),
    "metadata that is text": ([answer(sentence(0)), answer(metadata="m", topic_id="q2")], ":2: an answer of TREC RAG, but not in all its parts"),
    "a line of something else": ([answer(sentence(0)), {"query": "a"}], ":2, query 'query': 'a' is not an answer of TREC RAG, while others are."),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_answer_is_refused_with_its_line(tmp_path, name):
    values, said = BROKEN[name]
    path = tmp_path / "rag.jsonl"
    path.write_text("\n".join(map(json.dumps, values)), encoding="utf-8")
    with pytest.raises(DataError) as error:
        rw.read_run(path)
    assert str(error.value).startswith(str(path))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_answers_are_no_judgements():
    with pytest.raises(DataError, match="an answer of TREC RAG: a run, and no judgements"):
        rw.read_qrels(RAG / NAMES[0])


def split(record):
    """A result of ALCE with a list of sentences in place of its text."""
    return record | {"output": [f"{each}." for each in record["output"].rstrip(".").split(". ")]}


def test_sentences_of_alce_cite_documents_from_1(tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(ALCE | {"data": [split(each) for each in ALCE["data"]]}), encoding="utf-8")
    assert guess(File(path)) == ("alce", "by its first bytes")
    cited = alce.SHAPE.cited_in(File(path))
    assert [row[1:5] for row in cited.rows] == [
        (1, "d1", None, "Boats may not anchor near the pier."), (2, "d2", None, "It is nine metres deep."),
        (2, "d3", None, "It is nine metres deep."), (3, None, None, "That is enough."), (4, "[9]", 0.0, "It was built long ago."),
    ]  # fmt: skip
    assert {row.query for row in cited.rows} == {"how deep is the harbour"}
    assert cited.counts == {LOST: 1}


def test_sentences_that_alce_reads_in_part_are_counted():
    docs = [{"id": f"d{number}"} for number in range(1, 5)]
    cites = ["[1][2][3] a.", "[1][2][3][4] b.", "c.", "[4][3][2][1] d."]
    run = rw.read_run([{"question": "q", "docs": docs, "output": cites}])
    assert run.counts == {"sentences with more citations than the 3 that alce looks at": 2}


def test_a_bracket_of_alce_counts_as_its_first_number_and_the_others_are_counted():
    """As ALCE's own expression, a bracket and digits, finds them; by hand."""
    docs = [{"id": f"d{number}"} for number in range(1, 4)]
    said = ["a [1, 2].", "b [3;1][2].", "c [2-3].", "d [7 times]."]
    cited = alce.SHAPE.cited_in([{"question": "q", "docs": docs, "output": said}])
    assert [row.item for row in cited.rows] == ["d1", "d3", "d2", "d2", "[7]"]
    assert [row.text for row in cited.rows] == ["a.", "b.", "b.", "c.", "d [7 times]."]
    assert cited.counts == {
        "numbers after the first of a bracket, such as [1, 2], that alce does not look at": 3,
        LOST: 1,
    }


def test_a_citation_that_is_given_twice_has_its_line_its_sentence_and_its_place(tmp_path):
    path = tmp_path / "rag.jsonl"
    answers = [answer(sentence(0)), answer(sentence(1), sentence(1, 0, 1), topic_id="q2")]
    path.write_text("\n".join(map(json.dumps, answers)), encoding="utf-8")
    for source, name in ((path, f"{path}:2"), (answers, "rag, element 2")):
        with pytest.raises(DataError) as error:
            rw.evaluate(rw.read_run(source, name="rag"), None, ["citation_p"])
        of = f"{name}, query 'q2', sentence 2, citation"
        assert str(error.value).startswith(f"{of} 3: query 'q2' lists item 'd2' twice (first: {of} 1).")


@pytest.mark.parametrize("as_list", [False, True])
def test_an_answer_of_trec_rag_in_one_text_is_refused_with_the_form_of_sentences(tmp_path, as_list):
    answers = [answer | {"answer": " ".join(one["text"] for one in answer["answer"])} for answer in records()]
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(answers) if as_list else "\n".join(map(json.dumps, answers)), encoding="utf-8")
    for source in (path, answers):
        with pytest.raises(DataError) as error:
            rw.evaluate(rw.read_run(source), None, ["citation_p"])
        assert "the answer is one text, and a citation belongs to a sentence." in str(error.value)
        assert 'Write "answer": [{"text": …, "citations": [0, …]}, …]' in str(error.value)


def test_an_answer_of_alce_in_one_text_is_refused_with_what_splits_it():
    with pytest.raises(DataError) as error:
        rw.read_run(FOLDER / "alce" / "result.json")
    assert "result.json:1, element 1: output is one text, and sentences are not split here." in str(
        error.value
    )
    assert "nltk.sent_tokenize(output.strip().split('\\n')[0])" in str(error.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"output": ["a [1]", 2]}, "output must be a list of sentences"),
        ({"output": None}, "output must be a list of sentences"),
        ({"output": ["a [1]"], "docs": [{"text": "t"}]}, "the id of document 1 is None, which is no id"),
    ],
)
def test_a_broken_result_of_alce_is_refused_with_its_element(tmp_path, change, said):
    path = tmp_path / "result.json"
    path.write_text(
        json.dumps({"data": [split(ALCE["data"][0]), ALCE["data"][0] | change]}), encoding="utf-8"
    )
    with pytest.raises(DataError) as error:
        rw.read_run(path)
    assert str(error.value).startswith(f"{path}:1, element 2: {said}")


SUPPORT = RAG / "support.jsonl"
JUDGED = [json.loads(line) for line in SUPPORT.read_text(encoding="utf-8").splitlines()]


def support_of(run):
    """The support of each row, None where there is none, by query and item."""
    table = run.rows.table()
    keys = zip(table.query.tolist(), table.item.tolist(), strict=True)
    return dict(zip(keys, without_nan(table), strict=True))


def without_nan(table):
    return pl.Series(table.extra["support"]).fill_nan(None).to_list()


SAID = {
    ("q1", f"{ID}2#1_2001"): 1.0, ("q1", f"{ID}5#0_5000"): 0.5, ("q1", f"{ID}3#0_3000"): 0.0, ("q1", ""): None,
    ("q1", f"{ID}1#0_1000"): 0.0, ("q2", f"{ID}7#0_7000"): 1.0, ("q2", "[7]"): 0.0, ("q3", ""): None,
}  # fmt: skip
LABELS = {"FS": ("full_support", "Full Support", "support", 1), "PS": ("partial support", "ps", 0.5), "NS": ("no_support", "not_support", 0)}  # fmt: skip


def judgements(tmp_path, rows, suffix="jsonl"):
    path = tmp_path / f"support.{suffix}"
    frame = pl.DataFrame(rows)
    frame.write_ndjson(path) if suffix == "jsonl" else frame.write_csv(path)
    return path


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_judgements_of_support_are_joined_by_query_sentence_and_item(tmp_path, base, suffix):
    rows = [each | {"sentence": each["sentence"] + base} for each in JUDGED]
    path = judgements(tmp_path, rows, suffix)
    for source in (RAG / NAMES[0], RAG / NAMES[1], records()):
        run = rw.read_run(source, scores_from=path)
        assert support_of(run) == SAID
        assert run.counts == {LOST: 1}
    assert support_of(rw.read_run(records(), scores_from=rows)) == SAID


@pytest.mark.parametrize("label", LABELS)
def test_support_is_read_from_all_its_labels(tmp_path, label):
    place = next(row for row, each in enumerate(JUDGED) if each["support"] == label)
    for other in LABELS[label]:
        rows = [each | {"support": str(each["support"])} for each in JUDGED]
        rows[place]["support"] = str(other)
        if isinstance(other, str):
            assert support_of(rw.read_run(records(), scores_from=judgements(tmp_path, rows))) == SAID
        answers = records()
        answers[0]["answer"][0]["citations"] = [{"id": 0, "support": other}]
        table = rw.read_run(answers).rows.table()
        assert table.extra["support"][0] == SAID["q1", JUDGED[place]["docid"]]


def test_citations_that_nobody_judged_keep_what_the_file_says(tmp_path):
    answers = records()
    answers[0]["answer"][0]["citations"] = [{"id": 0, "support": "PS"}]
    run = rw.read_run(answers, scores_from=judgements(tmp_path, JUDGED[-1:] + JUDGED[1:2]))
    assert without_nan(run.rows.table()) == [0.5, 0.5, None, None, None, 1.0, 0.0, None]  # fmt: skip


def test_judgements_of_queries_without_an_answer_are_counted(tmp_path):
    run = rw.read_run(
        RAG / NAMES[0], scores_from=judgements(tmp_path, [*JUDGED, JUDGED[0] | {"topic_id": "q9"}])
    )
    assert support_of(run) == SAID
    assert run.counts == {LOST: 1, OTHERS: 1}


def test_answers_are_no_judgements_of_support(tmp_path):
    path = tmp_path / "support.jsonl"
    path.write_text(json.dumps(records()[0]))
    with pytest.raises(
        rw.RankwellError, match=r"support\.jsonl: .* has no named columns; give a table that has them\.$"
    ):
        rw.read_run(records(), scores_from=path)


def test_support_of_what_points_at_no_reference_can_only_be_0():
    answers = [
        {
            "topic_id": "q",
            "run_id": "mine",
            "references": ["d"],
            "answer": [{"text": "It is.", "citations": [0, 5]}],
        }
    ]
    said = [
        {"query": "q", "sentence": 1, "item": "d", "support": "FS"},
        {"query": "q", "sentence": 1, "item": "[5]", "support": "NS"},
    ]
    run = rw.read_run(answers, scores_from=said)
    assert run.rows.table().extra["support"].tolist() == [1.0, 0.0]
    assert run.counts == {LOST: 1}
    with pytest.raises(rw.RankwellError, match=r"sentence 1 of query 'q' in run cites no '\[5\]'"):
        rw.read_run(answers, scores_from=[said[0], said[1] | {"support": "PS"}])


WRONG = {
    "another sentence": ([JUDGED[0] | {"sentence": 2}, JUDGED[1]], f"support.jsonl:1: sentence 2 of query 'q1' in {RAG / NAMES[0]} cites no '{ID}2#1_2001'. Are these"),
    "another item": ([JUDGED[0], JUDGED[0] | {"docid": "d"}], "support.jsonl:2: sentence 1 of query 'q1'"),
    "other queries alone": ([each | {"topic_id": "q9"} for each in JUDGED], "support.jsonl:1: sentence 1 of query 'q9'"),
    "two labels of one citation": ([*JUDGED, JUDGED[0] | {"support": "NS"}], "support.jsonl:6: another row ("),
    "a sentence as text": ([each | {"sentence": "It is."} for each in JUDGED], "support.jsonl:1: the sentence is 'It is.', not the number of one."),
    "no sentence": ([{key: value for key, value in each.items() if key != "sentence"} for each in JUDGED], "support.jsonl:1: there is no column of sentences, or none of support."),
    "another label": ([each | {"support": "maybe"} for each in JUDGED], "support.jsonl:1: the support 'maybe' is not a number"),
    "several systems": ([*JUDGED, JUDGED[0] | {"run_id": "other"}], "support.jsonl: 'run_id' says that it holds several systems"),
    "no item": ([{key: value for key, value in each.items() if key != "docid"} for each in JUDGED], "support.jsonl: there is no column for the item"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_judgements_that_do_not_fit_the_answers_are_refused_with_their_line(tmp_path, name):
    rows, said = WRONG[name]
    path = judgements(tmp_path, rows)
    with pytest.raises(DataError) as error:
        rw.read_run(RAG / NAMES[0], scores_from=path)
    assert str(error.value).startswith(str(path))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["ragas/rows.jsonl", "trec/run.txt"])
def test_support_beside_other_runs_is_refused(name):
    with pytest.raises(UsageError, match=r"scores_from= is for LETOR files and for answers with citations"):
        rw.read_run(FOLDER / name, scores_from=SUPPORT)


def test_support_beside_other_values_in_memory_is_refused():
    rows = [json.loads(line) for line in (FOLDER / "ragas" / "rows.jsonl").read_text(encoding="utf-8").splitlines()]  # fmt: skip
    with pytest.raises(UsageError, match=r"scores_from= is for LETOR files .* not for a row of ragas"):
        rw.read_run(rows, scores_from=SUPPORT)


def test_what_a_reader_counted_goes_with_its_run(tmp_path):
    other = [each | {"topic_id": f"other {each['topic_id']}"} for each in records()]
    (tmp_path / "other.jsonl").write_text("\n".join(map(json.dumps, other)), encoding="utf-8")
    both = rw.read_run([RAG / NAMES[0], tmp_path / "other.jsonl"])
    assert (len(both), both.counts) == (16, {LOST: 2})
    assert pickle.loads(pickle.dumps(both)).counts == {LOST: 2}
    assert rw.read_run({"q": ["d1"]}).counts == {}


TRUTH = json.loads((FOLDER / "answers_truth.json").read_text(encoding="utf-8"))["citations"]
METRICS = {
    "citation_p first": "citation_p", "citation_r first": "citation_r", "citation_p all": "citation_p(which=all)",
    "citation_r all (best citation of a sentence)": "citation_r(which=all)",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("engine", [None, rw.Stream(part_rows=2)], ids=["memory", "stream"])
def test_files_and_their_judgements_give_the_numbers_of_the_truth(name, engine):
    res = rw.evaluate(RAG / name, None, list(METRICS.values()), scores_from=SUPPORT, engine=engine)
    assert METRICS.keys() == TRUTH.keys()
    for told, metric in METRICS.items():
        values = dict(res.per_query.select("query", metric).rows())
        assert values == {query: TRUTH[told][query] or 0.0 for query in ("q1", "q2", "q3")}
        assert res[metric] == pytest.approx(TRUTH[told]["mean_undefined_as_0"], abs=1e-12)
    assert res.counts[LOST] == 1
    assert res.counts["parts that cite nothing"] == 1


def test_the_command_prints_the_numbers_and_what_points_nowhere(tmp_path, capsys):
    (tmp_path / "qrels.txt").write_text("q1 0 d 1\nq2 0 d 1\nq3 0 d 1\nq4 0 d 1\n", encoding="utf-8")
    words = ["evaluate", str(tmp_path / "qrels.txt"), str(RAG / NAMES[0]), "--scores-from", str(SUPPORT)]
    assert command([*words, "-m", "citation_p,citation_r", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["mean"] == {
        "citation_p": 0.25,
        "citation_r": 0.21875,
    }
    assert command([*words, "-m", "citation_p,citation_r"]) == 0
    assert f"{LOST}: 1" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_judgements_of_support_are_a_run_of_their_own(tmp_path, suffix):
    path = judgements(tmp_path, JUDGED, suffix)
    res = rw.evaluate(path, None, ["citation_p(which=all)"])
    assert dict(res.per_query.rows()) == {"q1": 0.375, "q2": 1.0}


def test_what_a_model_said_of_support_is_evaluated(tmp_path):
    rows = [dict(zip(("query", "part", "item", "support"), row[:4], strict=True)) for row in trec_rag.SHAPE.cited_in(records()).rows]  # fmt: skip
    said = [each | {"support": SAID[each["query"], each["item"] or ""]} for each in rows]
    pl.DataFrame(said, infer_schema_length=None).write_csv(tmp_path / "run.csv")
    res = rw.evaluate(tmp_path / "run.csv", None, list(METRICS.values()))
    assert list(res.mean.values()) == pytest.approx([TRUTH[told]["mean_undefined_as_0"] for told in METRICS])


def test_metrics_of_rankings_are_refused_for_answers_that_cite():
    with pytest.raises(UsageError, match="ndcg reads one list for each query"):
        rw.evaluate(records(), {"q1": {"d": 1}}, ["ndcg@10"])
