"""Shapes that tools write: one small run in all of them gives the numbers of ``truth.json``, as files and in memory."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import random
import re
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from tests.evidence import evidence
from tests.readers import ways

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import DataError, InputError, UsageError
from rankwell.readers.bytes.files import File
from rankwell.readers.registry import formats, guess, reader

METRICS = ["ndcg@5", "ap", "r@3", "rr"]
SHAPES = evidence("shapes")
TRUTH = json.loads((SHAPES / "truth.json").read_text())
RUN, QRELS, ORDER = TRUTH["run"], TRUTH["qrels"], TRUTH["order"]
NAMES = ["q1", "q2", "q3"]
TEXTS = {"how deep is the harbour": "q1", "when does the ferry leave": "q2", "who owns the old mill": "q3"}
BINARY = TRUTH["expected_more"]["ndcg@5 binary"]
FILES = sorted(path.relative_to(SHAPES).as_posix() for path in SHAPES.rglob("*") if path.is_file())


def expected(*, binary=False):
    return TRUTH["expected"] | ({"ndcg@5": BINARY} if binary else {})


def agrees(res, *, binary=False, names=MappingProxyType({})):
    per_query = {row["query"]: row for row in res.per_query.to_dicts()}
    for metric, values in expected(binary=binary).items():
        assert res[metric] == pytest.approx(values["mean"], abs=1e-12), metric
        for query, row in per_query.items():
            assert row[metric] == pytest.approx(values[names.get(query, query)], abs=1e-12), (metric, query)
    assert len(per_query) == 3


def path(name):
    return str(SHAPES / name)


def loaded(name):
    text = (SHAPES / name).read_text()
    return (
        [json.loads(line) for line in text.splitlines()]
        if name.endswith(("jsonl", "ndjson"))
        else json.loads(text)
    )


# a run as a file: its path, how it is read, and whether the shape's own judgements are binary
RUNS = {
    "beir/results.json": {},
    "elasticsearch/msearch.json": {"query_ids": path("elasticsearch/msearch_ids.txt")},
    "elasticsearch/search_*.json": {"query_ids": "stem"},
    "haystack/documents.jsonl": {},
    "langchain/results.jsonl": {},
    "langchain/results_dumpd.jsonl": {},
    "letor/test.txt": {"scores_from": path("letor/scores.txt")},
    "llamaindex/nodes.jsonl": {},
    "mteb/MadeUpRetrieval_predictions.json": {},
    "ragas/rows.jsonl": {"query_ids": NAMES},
    "rankllm/candidates.json": {},
    "rankllm/candidates.jsonl": {},
    "solr/select_*.json": {"query_ids": "stem"},
    "surprise/predictions.csv": {},
    "trec/run.txt": {},
    "ubi/queries.ndjson": {},
    "vespa/search_*.json": {"query_ids": "stem"},
    "browsecomp/run_*.json": {},
    "kaggle/blanks.csv": {},
    "kaggle/list_literal.csv": {},
    "elasticsearch/rank_eval_response.json": {},
}
JUDGED = {
    "trec/qrels.txt": {}, "beir/qrels/test.tsv": {}, "elasticsearch/rank_eval_request.json": {}, "recbole/data.inter": {},
    "surprise/predictions.csv": {},
}  # fmt: skip
BINARY_JUDGED = {
    "ragas/rows.jsonl": {"query_ids": NAMES}, "llamaindex/nodes.jsonl": {}, "kaggle/solution_blanks.csv": {},
    "browsecomp/qrel_evidence.txt": {},
}  # fmt: skip


def named(qrels):
    """The judgements of LETOR's queries, which are numbers there."""
    return {q.removeprefix("q"): items for q, items in qrels.items()}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_of_every_shape_gives_the_numbers_of_the_truth(name):
    run = rw.read_run(path(name), **RUNS[name])
    qrels = named(QRELS) if name.startswith("letor") else QRELS
    res = rw.evaluate(run, qrels, METRICS)
    if name.endswith("rank_eval_response.json"):  # five hits, so AP differs
        assert res["ndcg@5"] == pytest.approx(TRUTH["expected"]["ndcg@5"]["mean"])
        return
    agrees(res, names={str(n): f"q{n}" for n in (1, 2, 3)})


@pytest.mark.parametrize("name", [*JUDGED, *BINARY_JUDGED])
def test_judgements_of_every_shape_give_the_numbers_of_the_truth(name):
    qrels = rw.read_qrels(path(name), **(JUDGED | BINARY_JUDGED)[name])
    agrees(rw.evaluate(RUN, qrels, METRICS), binary=name in BINARY_JUDGED)


@pytest.mark.parametrize("engine", [None, "stream"])
def test_ms_marcos_files_without_a_header_give_the_numbers_of_the_truth(engine):
    res = rw.evaluate(path("msmarco/run.tsv"), path("msmarco/qrels.tsv"), METRICS, engine=engine)
    agrees(res, binary=True, names={str(n): f"q{n}" for n in (1, 2, 3)})


def test_haystack_keeps_the_grades_of_relevant_documents():
    agrees(rw.evaluate(RUN, path("haystack/documents.jsonl"), METRICS))


def test_letor_holds_grades_queries_and_items():
    run = rw.read_run(path("letor/test.txt"), scores_from=path("letor/scores.txt"))
    agrees(rw.evaluate(run, path("letor/test.txt"), METRICS), names={str(n): f"q{n}" for n in (1, 2, 3)})


@pytest.mark.parametrize("group", ["group_sizes", "group_id"])
def test_arrays_of_learning_to_rank_give_the_numbers_of_the_truth(group):
    arrays = loaded("ltr/y_p_group.json")
    run, qrels = rw.from_groups(arrays["y"], arrays["p"], arrays[group])
    first = 0 if group == "group_sizes" else 1
    agrees(rw.evaluate(run, qrels, METRICS), names={n + first: f"q{n + 1}" for n in range(3)})


@pytest.mark.parametrize("name", ["ragas/rows.jsonl", "solr/select_*.json"])
def test_a_query_without_an_id_is_named_by_its_text(name):
    run = rw.read_run(path(name))
    qrels = {text: QRELS[query] for text, query in TEXTS.items()}
    agrees(rw.evaluate(run, qrels, METRICS), names=TEXTS)


class Document:
    """As LangChain's: its id may be None."""

    def __init__(self, name, **metadata):
        self.id, self.page_content, self.metadata = name, "", metadata


class Node:
    def __init__(self, node_id):
        self.node_id, self.text = node_id, ""


@dataclasses.dataclass
class NodeWithScore:
    node: Node
    score: float | None = None


@dataclasses.dataclass
class HaystackDocument:
    id: str
    content: str = ""
    score: float | None = None
    meta: dict = dataclasses.field(default_factory=dict)
    blob: object = None
    embedding: object = None


@dataclasses.dataclass
class Hit:
    doc_id: str
    score: float


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Prediction(NamedTuple):
    uid: str
    iid: str
    r_ui: float
    est: float
    details: dict


Row = dataclasses.make_dataclass("Row", ["user_id", "item_id", "score"])


def by_query(make):
    return {query: [make(item, score) for item, score in items.items()] for query, items in RUN.items()}


def rows(make):
    return [make(query, item, score) for query, items in RUN.items() for item, score in items.items()]


IN_MEMORY = {
    "documents": by_query(lambda item, score: Document(item)),
    "documents without an id": by_query(lambda item, score: Document(None, source=item)),
    "documents with similarities": by_query(lambda item, score: (Document(item), score)),
    "documents with distances": by_query(lambda item, score: (Document(item), 9 - score)),
    "nodes": by_query(lambda item, score: NodeWithScore(Node(item), score)),
    "nodes without scores": by_query(lambda item, score: NodeWithScore(Node(item))),
    "documents of Haystack": by_query(lambda item, score: HaystackDocument(item, score=score)),
    "hits as dicts": by_query(lambda item, score: {"id": item, "score": score}),
    "hits as objects": by_query(Hit),
    "named tuples": rows(ScoredDoc),
    "data classes": rows(Row),
    "answers of Elasticsearch": {q: loaded(f"elasticsearch/search_{q}.json") for q in NAMES},
    "answers of Solr": {q: loaded(f"solr/select_{q}.json") for q in NAMES},
    "answers of Vespa": {q: loaded(f"vespa/search_{q}.json") for q in NAMES},
    "answers below a word": {q: {"rawResponse": loaded(f"elasticsearch/search_{q}.json")} for q in NAMES},
    "rows of UBI": loaded("ubi/queries.ndjson"),
    "requests of RankLLM": loaded("rankllm/candidates.json"),
    "dumps of LangChain": loaded("langchain/results_dumpd.jsonl"),
    "dumps of LlamaIndex": loaded("llamaindex/nodes.jsonl"),
    "dumps of Haystack": loaded("haystack/documents.jsonl"),
    "predictions of MTEB": loaded("mteb/MadeUpRetrieval_predictions.json"),
    "runs of BrowseComp-Plus": [loaded(f"browsecomp/run_{q}.json") for q in NAMES],
    "Kaggle": pl.read_csv(path("kaggle/list_literal.csv")),
}


@pytest.mark.parametrize("name", IN_MEMORY)
def test_the_same_shapes_in_memory_give_the_numbers_of_the_truth(name):
    agrees(rw.evaluate(IN_MEMORY[name], QRELS, METRICS))


IN_ORDER = {
    "_msearch": lambda: loaded("elasticsearch/msearch.json"),
    "answers of _search": lambda: [loaded(f"elasticsearch/search_{q}.json") for q in NAMES],
    "lists of documents": lambda: list(by_query(lambda item, score: Document(item)).values()),
    "rows of ragas": lambda: loaded("ragas/rows.jsonl"),
}


@pytest.mark.parametrize("name", IN_ORDER)
def test_answers_in_memory_take_ids_from_beside(name):
    agrees(rw.evaluate(IN_ORDER[name](), QRELS, METRICS, read={"query_ids": NAMES}))


def test_rows_of_objects_are_judgements_by_the_names_of_their_fields():
    judged = [
        Qrel(query, item, grade, "0") for query, items in QRELS.items() for item, grade in items.items()
    ]
    agrees(rw.evaluate(rows(ScoredDoc), judged, METRICS))


def test_predictions_of_surprise_are_a_run_and_judgements():
    found = rows(
        lambda q, item, score: Prediction(q, item, QRELS[q].get(item, 0), score, {"was_impossible": False})
    )
    agrees(rw.evaluate(found, found, METRICS))


Unusual = dataclasses.make_dataclass("Unusual", ["wer", "was", "wieviel"])


def test_fields_of_unusual_names_are_named_as_columns_are():
    names = {"wer": "query", "was": "item", "wieviel": "score"}
    agrees(rw.evaluate(rows(Unusual), QRELS, METRICS, columns=names))


def test_lists_of_documents_are_judgements():
    relevant = {
        query: [Document(item) for item, grade in items.items() if grade] for query, items in QRELS.items()
    }
    agrees(rw.evaluate(RUN, relevant, METRICS), binary=True)


def test_pairs_that_are_in_no_order_are_refused():
    lists = by_query(lambda item, score: (Document(item), abs(score - 2)))
    with pytest.raises(DataError, match=r"query 'q1': the scores of its pairs .* go neither down nor up"):
        rw.read_run(lists)


READ = {
    *RUNS,
    *JUDGED,
    *BINARY_JUDGED,
    "ubi/click_queries.ndjson",
    "solr/ltr_interleaved_q1.json",
    "alce/result.json",
    "trec_rag/assignments.jsonl",
    "trec_rag/nuggets.jsonl",
}
NAMED = {
    "alce/made": "ALCE", "beir/corpus": "BEIR", "beir/queries": "BEIR", "browsecomp/q": "BrowseComp-Plus", "deepeval": "DeepEval",
    "elasticsearch/msearch_requests": "_msearch", "implicit": "implicit", "interleaving": "interleaved", "ltr": "from_groups",
    "mteb/results": "MTEB", "obp/bandit": "OBP", "obp/action": "no shape that is read", "peers": "no shape that is read",
    "recbole/full": "RecBole", "recpack": "sparse matrix", "spans": "spans", "trec_rag/answers": "TREC RAG", "trec_rag": "support",
    "trulens": "TruLens", "ubi/click_events": "User Behavior Insights", "umbrela": "UMBRELA", "answers_truth": "nuggets", "clicks_truth": "no shape",
    "truth": "no shape",
}  # fmt: skip
OTHER = [
    name for name in FILES
    if name.endswith((".json", ".jsonl", ".ndjson", ".csv")) and not any(Path(name).match(each) for each in READ)
    and not name.startswith("README")
]  # fmt: skip


@pytest.mark.parametrize("name", OTHER)
@pytest.mark.parametrize("read", [rw.read_run, rw.read_qrels])
def test_every_other_file_is_refused_by_its_name(name, read):
    if (name, read) == ("spans/questions.csv", rw.read_qrels):
        assert read(path(name)).item.tolist() == ["harbour.txt:100-200", "harbour.txt:400-450"]
        return
    if name.startswith("trec_rag/answers") and read is rw.read_run:
        assert len(read(path(name))) == 8  # of citations, sentences without any, and an empty answer
        return
    word = next(word for begin, word in NAMED.items() if name.startswith(begin))
    with pytest.raises(DataError, match=word) as caught:
        read(path(name))
    assert str(caught.value).startswith(path(name))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(".md")])
def test_no_two_formats_recognise_one_file(name):
    file = File(SHAPES / name)
    assert len([form for form in formats() if reader(form).recognises(file.head)]) < 2


@pytest.mark.parametrize(
    "name", [*ways.FILES, *ways.SHAPES, *ways.RUNS, *ways.NEEDS_SCORES, *ways.QRELS_FILES]
)
def test_no_two_formats_recognise_one_written_file(name):
    write = (ways.FILES | ways.SHAPES | ways.RUNS | ways.NEEDS_SCORES | ways.QRELS_FILES)[name]
    content = write(
        [(f"q{n % 3}", f"d{n}", float(n)) for n in range(4_000)],
        "qrels" if name in ways.QRELS_FILES else "run",
    )
    for start in (content, content[: 1 << 16], content[:3_000], content[:200]):
        assert len([form for form in formats() if reader(form).recognises(start)]) < 2, start[-80:]


@pytest.mark.parametrize(
    "shape",
    ["searches.json", "selects.json", "roots.json", "hits.json", "predictions.json", "candidates.jsonl"],
)
def test_a_shape_is_recognised_by_its_beginning(tmp_path, shape):
    content = (ways.SHAPES | ways.RUNS)[shape](
        [(f"q{n % 3}", f"d{n}", float(n)) for n in range(9_000)], "run"
    )
    assert len(content) > 1 << 16
    (tmp_path / "a").write_bytes(content)
    assert shape in ways.FORMATS[guess(File(tmp_path / "a"))[0]]
    assert len(rw.read_run(tmp_path / "a")) == 9_000


def write(folder, name, value):
    (folder / name).write_text(json.dumps(value))
    return str(folder / name)


def search(*ids, **more):
    return {"took": 1, "hits": {"hits": [{"_id": each, "_score": None} | more for each in ids]}}


def test_a_failed_request_is_a_query_without_an_answer(tmp_path):
    answers = {"responses": [search("a"), {"error": {"type": "no_such_index"}, "status": 404}, search()]}
    with pytest.warns(UserWarning, match=r"1 query without an answer: q2 \(no_such_index\)"):
        run = rw.read_run(write(tmp_path, "m.json", answers), query_ids=NAMES)
    assert run.queries == ["q1", "q3"]
    res = rw.evaluate(run, {query: {"a": 1} for query in NAMES}, "rr", missing="skip")
    assert res.per_query["query"].to_list() == ["q1", "q3"]


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (["a"], "more answers than the 1 ids"),
        (list("abcd"), "3 answers, but 4 ids"),
        (list("aba"), "the id 'a' stands for answers 1 and 3"),
    ],
)
def test_ids_that_do_not_fit_the_answers_stop(ids, said):
    with pytest.raises(DataError, match=said):
        rw.read_run(path("elasticsearch/msearch.json"), query_ids=ids)
    with pytest.raises(DataError, match=said):
        rw.read_run([path(f"vespa/search_{q}.json") for q in NAMES], query_ids=ids)


def test_the_requests_name_the_queries_by_their_texts():
    run = rw.read_run(
        path("elasticsearch/msearch.json"), query_ids=path("elasticsearch/msearch_requests.ndjson")
    )
    assert run.queries == list(TEXTS)


def test_hits_sorted_by_a_field_keep_their_order(tmp_path):
    by_field = {"q1": search("a", "b", _score=1.0, sort=[3])} | {"q2": search("c", "d")}
    by_field["q1"]["hits"]["hits"][1]["_score"] = 2.0
    run = rw.read_run(write(tmp_path, "s.json", by_field))
    assert rw.evaluate(run, {"q1": {"b": 1}, "q2": {"d": 1}}, "rr").mean == {"rr": 0.5}


@pytest.mark.parametrize(
    "given", ["elasticsearch/search_q1.json", "elasticsearch/msearch.json", "vespa/search_q1.json"]
)
def test_answers_without_a_query_are_asked_about(given, capsys):
    with pytest.raises(DataError, match=r"which names no query\. Say query_ids='ids.txt'"):
        rw.read_run(path(given))
    assert command(["evaluate", path("trec/qrels.txt"), path(given), "-m", "ap"]) == 3
    assert "Say --query-ids ids.txt, a file with an id a line" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["elasticsearch/msearch_ids.txt", "stem"])
def test_the_command_takes_ids_from_beside(given, capsys):
    run, ids = (
        ("elasticsearch/search_*.json", given)
        if given == "stem"
        else ("elasticsearch/msearch.json", path(given))
    )
    assert command(["evaluate", path("trec/qrels.txt"), path(run), "-m", "ap", "--query-ids", ids]) == 0
    assert "0.5361" in capsys.readouterr().out


def test_the_command_takes_scores_and_lists_from_beside(capsys):
    letor = path("letor/test.txt")
    assert command(["evaluate", letor, letor, "-m", "ap", "--scores-from", path("letor/scores.txt")]) == 0
    assert "0.5361" in capsys.readouterr().out


@pytest.mark.parametrize(
    "answer",
    [
        {"ids": [["b", "a"], ["a"]], "distances": [[0.1, 0.2], [0.1]]},
        [[{"id": "b", "distance": 0.1, "entity": {}}, {"id": "a", "distance": 0.2, "entity": {}}], [{"id": "a", "distance": 0.1}]],
        [{"result": {"points": [{"id": each, "score": 0.1} for each in ids]}} for ids in ("b", "a")],
    ],
)  # fmt: skip
def test_answers_of_vector_stores_take_ids_from_beside(tmp_path, answer):
    for source in (answer, write(tmp_path, "a.json", answer)):
        res = rw.evaluate(source, {"q1": {"b": 1}, "q2": {"a": 1}}, "rr", query_ids=["q1", "q2"])
        assert res.mean == {"rr": 1.0}
        with pytest.raises(DataError, match="which names no query"):
            rw.read_run(source)


@pytest.mark.parametrize("source", [{"q1": {"a": 1.0}}, path("trec/run.txt"), path("ubi/queries.ndjson")])
def test_ids_for_queries_that_have_one_are_refused(source):
    with pytest.raises(UsageError, match=r"query_ids="):
        rw.read_run(source, query_ids=["x"])


def test_files_of_a_pattern_are_in_the_order_of_their_numbers(tmp_path):
    for n in (1, 2, 10):
        write(tmp_path, f"s{n}.json", search(f"d{n}"))
    run = rw.read_run(str(tmp_path / "s*.json"), query_ids=["one", "two", "ten"])
    assert run.queries == ["one", "two", "ten"]
    assert rw.evaluate(run, {"two": {"d2": 1}, "ten": {"d10": 1}}, ["rr"])["rr"] == 1.0
    assert rw.read_run(str(tmp_path / "s*.json"), query_ids="stem").queries == ["1", "2", "10"]


@pytest.mark.parametrize("ids", [7, [], [1.5], ["a", None], {"a"}])
def test_what_is_no_list_of_ids_is_refused(ids):
    with pytest.raises(UsageError, match="query_ids="):
        rw.read_run(path("elasticsearch/msearch.json"), query_ids=ids)
    with pytest.raises(InputError, match="nowhere"):
        rw.read_run(path("elasticsearch/msearch.json"), query_ids="nowhere.txt")


BROKEN = {
    "a hit without an id": ({"q1": search(None)}, "query 'q1': hit 1 has no id"),
    "a hit that is none": ({"q1": {"hits": {"hits": [7]}}}, "query 'q1': an answer of Elasticsearch, but not in all its parts"),
    "another value beside": ({"q1": search("a"), "q2": 7}, "query 'q2': 7 is not an answer of Elasticsearch"),
    "a score of text": ({"q1": search("a", _score="high")}, "query 'q1', item 'a': the score 'high' is not a number"),
    "a query twice": ([{"query_id": "q1", "retrieved_docids": ["a"]}] * 2, "two answers are to the query 'q1'"),
    "an item twice": ({"q1": search("a", "a")}, "query 'q1'.* lists item 'a' twice|lists item 'a' twice"),
    "a later page": ({"q1": {"response": {"start": 10, "docs": [{"id": "a"}]}}}, "begins at hit 11"),
    "documents with another key": ({"q1": {"response": {"docs": [{"sku": "a"}]}}}, "a document has no id; its fields are 'sku'"),
    "two subsets": ({"mteb_model_meta": {}, "de": {"test": {}}, "en": {"test": {}}}, "of 2 subsets and splits"),
    "a score of some": ({"q1": [{"id": "a", "score": 1}, {"id": "b"}]}, "hit 2 has no score, while others have one"),
    "a key that stands twice": ('{"q1": {"hits": {"hits": []}, "hits": {"hits": []}}}', ":1: the key 'hits' stands twice"),
    "a file that is cut off": ('{"q1": {"hits": {"hits": [{"_id": "a"', ":1: not JSON: .*Is the file cut off"),
    "distances in no order": (
        {"q1": [{"id": x, "distance": y} for x, y in zip("abc", (1, 3, 2), strict=True)]}, "the numbers called distance go neither down nor up",
    ),
    "distances of Chroma in no order": ({"q1": {"ids": [["a", "b", "c"]], "distances": [[1, 3, 2]]}}, "the distances go neither down nor up"),
    "an id in a list": ({"q1": [{"id": ["a"], "score": 1.0}]}, r"query 'q1': the id of hit 1 is \['a'\]. An id is text"),
    "hits whose number has no known name": (
        {"q1": [{"id": "a", "zzz": 0.1}]}, "an item is an object with the keys 'id', 'zzz', not an id. A hit has an id and a score",
    ),
    "test cases of DeepEval by query": ({"q1": [{"input": "a", "actual_output": "b"}]}, "it holds test cases of DeepEval"),
    "orient='split'": ({"columns": ["user", "item"], "index": [0], "data": [["q1", "a"]]}, "orient='split'. Write its rows: orient='records'"),
    "orient='table'": ({"schema": {}, "data": [{"user": "q1", "item": "a"}]}, "orient='table'. Write its rows: orient='records'"),
    "orient='index'": ({"0": {"user": "q1", "item": "a", "score": 1.0}}, "orient='index', by row. Write its rows: orient='records'"),
    "words of Elasticsearch": ({"took": 3, "aggregations": {}}, r"It resembles an answer of Elasticsearch: if it is one, say format_in='elasticsearch'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_answer_gives_one_clear_line(tmp_path, name):
    value, said = BROKEN[name]
    file = tmp_path / "a.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    with pytest.raises(DataError) as caught:
        rw.evaluate(file, {"q1": {"a": 1}}, "rr")
    assert re.search(said, str(caught.value)), caught.value
    assert "\n" not in str(caught.value)
    if not isinstance(value, str):
        with pytest.raises(DataError, match=said):
            rw.evaluate(value, {"q1": {"a": 1}}, "rr")


LETOR = {
    "no query": ("1 qid:1 1:2 # a\n2 1:3\n", ":2: '2 1:3' is no line of LETOR"),
    "a grade of text": ("1 qid:1 1:2 # a\nhigh qid:1 1:2 # b\n", ":2: the grade 'high' is not a number"),
}


@pytest.mark.parametrize("name", LETOR)
def test_a_wrong_line_of_letor_is_named(tmp_path, name):
    (tmp_path / "a.txt").write_text(LETOR[name][0])
    with pytest.raises(DataError, match=LETOR[name][1]):
        rw.read_qrels(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("scores", "said"), [("1\n2\n", "2 scores for the 1 lines"), ("high\n", ":1: 'high' is not a score")]
)
def test_scores_that_do_not_fit_letor_are_refused(tmp_path, scores, said):
    (tmp_path / "a.txt").write_text("1 qid:1 1:2 #docid = GX1 inc = 1\n")
    (tmp_path / "s.txt").write_text(scores)
    with pytest.raises(DataError, match=said):
        rw.read_run(tmp_path / "a.txt", scores_from=tmp_path / "s.txt")
    with pytest.raises(DataError, match="holds grades and features, and no scores"):
        rw.read_run(tmp_path / "a.txt")
    assert rw.read_qrels(tmp_path / "a.txt").item.tolist() == ["GX1"]


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ([1, 1, 1], "1 in each of the 3 rows"),
        ([2, 2], "which add up to 4, for 3 rows"),
        (["a", "b"], "2 values, for 3 rows"),
        ([[1, 2], [0, 0]], "group= takes one column|ids must be all"),
    ],
)
def test_groups_that_are_neither_sizes_nor_ids_are_refused(group, said):
    with pytest.raises(rw.RankwellError, match=said):
        rw.from_groups([1, 0, 2], [0.1, 0.2, 0.3], group)


def test_groups_may_be_ids_in_any_order_and_columns_of_frames():
    frame = pl.DataFrame({"y": [1, 0, 2], "p": [0.1, 0.2, 0.3], "qid": ["b", "a", "b"]})
    run, qrels = rw.from_groups(frame["y"], frame["p"].to_numpy().reshape(-1, 1), frame["qid"])
    assert run.queries == ["b", "a"]
    assert rw.evaluate(run, qrels, "ndcg@1", missing="skip").per_query["ndcg@1"].to_list() == [None, 1.0]


@pytest.mark.parametrize(("y", "p"), [([1, 0], [1.0]), ([1, float("nan")], [1.0, 2.0]), ([1, 0], [1.0, "x"])])
def test_labels_and_predictions_that_do_not_fit_are_refused(y, p):
    with pytest.raises(DataError):
        rw.from_groups(y, p, [2])


def vespa(*hits, **more):
    return {
        "q1": {
            "root": {
                "id": "toplevel",
                "relevance": 1.0,
                "children": [{"relevance": 1.0, "source": "c"} | hit for hit in hits],
            }
            | more
        }
    }


DETAILS = {
    "a key of Vespa with colons": (vespa({"id": "id:n:note:g=x:a:b"}), ["a:b"]),
    "a hit of Vespa without a stored id": (vespa({"id": "index:c/0/1f", "fields": {"id": "a"}}), ["a"]),
    "the document id of Vespa among the fields": (vespa({"id": "index:c/0/1f", "fields": {"documentid": "id:n:note::a"}}), ["a"]),
    "groups of Vespa, which are no hits": (vespa({"id": "group:root:0"}, {"id": "id:n:note::a"}), ["a"]),
    "an empty answer of Vespa": ({"q1": {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0}}}}, []),
    "groups of Solr": (
        {"q1": {"responseHeader": {}, "grouped": {"f": {"groups": [{"doclist": {"docs": [{"id": i}]}} for i in "ab"]}}}}, ["a", "b"],
    ),
    "an old name of UBI": ([{"user_query": "q1", "query_response_objects_ids": ["a"]}], ["a"]),
    "an index of UBI": (
        {"hits": {"hits": [{"_id": "x", "_source": {"user_query": "t", "query_id": "q1", "query_response_hit_ids": ["a"]}}]}}, ["a"],
    ),
    "hits of an old Elasticsearch": ({"q1": {"hits": {"total": 1, "hits": [{"_type": "d", "_id": "a", "_score": 1.0}]}}}, ["a"]),
    "matches of a vector store": ({"q1": {"matches": [{"id": "a", "score": 0.5, "values": []}]}}, ["a"]),
    "hits that are ranked": ({"q1": [{"id": "a", "rank": 2}, {"id": "b", "rank": 1}]}, ["b", "a"]),
    "RAGChecker": ({"results": [{"query_id": "q1", "query": "t", "retrieved_context": [{"doc_id": "a", "text": ""}]}]}, ["a"]),
    "a document of LangChain with an id in its metadata": ({"q1": [{"page_content": "", "metadata": {"id": "a"}}]}, ["a"]),
    "a document of LangChain as Qdrant and MongoDB name it": ({"q1": [{"page_content": "", "metadata": {"_id": "a", "source": "f.txt"}}]}, ["a"]),
    "hits whose distance grows": ({"q1": [{"id": "a", "distance": 0.1}, {"id": "b", "distance": 0.2}]}, ["a", "b"]),
    "hits whose distance is a similarity": ({"q1": [{"id": "a", "distance": 0.9}, {"id": "b", "distance": 0.2}]}, ["a", "b"]),
    "hits with a similarity": ({"q1": [{"id": "a", "similarity": 0.1}, {"id": "b", "similarity": 0.2}]}, ["b", "a"]),
    "hits with a score beside a distance": (
        {"q1": [{"id": "a", "score": 0.1, "distance": 3}, {"id": "b", "score": 0.2, "distance": 1}]}, ["b", "a"],
    ),
    "hits whose score is null": ({"q1": [{"id": "a", "score": None}, {"id": "b", "score": None}]}, ["a", "b"]),
    "points of Qdrant": ({"q1": {"result": {"points": [{"id": "a", "version": 1, "score": 0.5, "payload": {}}]}, "status": "ok", "time": 0.1}}, ["a"]),
    "an old answer of Qdrant": ({"q1": {"result": [{"id": "a", "version": 1, "score": 0.5}], "status": "ok", "time": 0.1}}, ["a"]),
    "values of Azure": ({"q1": {"@odata.context": "c", "value": [{"@search.score": 2.0, "id": "a"}]}}, ["a"]),
    "an answer of Milvus": ({"q1": {"code": 0, "data": [{"id": "a", "distance": 0.9, "entity": {}}]}}, ["a"]),
    "an answer of Chroma": ({"q1": {"ids": [["a", "b"]], "distances": [[0.1, 0.2]], "documents": None}}, ["a", "b"]),
    "a document of Solr with several fields": ({"q1": {"response": {"docs": [{"id": "a", "author": ["x", "y"]}]}}}, ["a"]),
}  # fmt: skip


@pytest.mark.parametrize("name", DETAILS)
def test_details_of_the_shapes_are_read(tmp_path, name):
    value, items = DETAILS[name]
    for source in (value, write(tmp_path, "a.json", value)):
        run = rw.read_run(source)
        assert run.queries == (["q1"] if items else run.queries)
        rows = run.rows.table()
        key = rows.key if rows.by_rank else -rows.key
        assert [item for _, item in sorted(zip(key.tolist(), rows.item.tolist(), strict=True))] == items


def test_incomplete_answers_are_said():
    errors = {"errors": [{"message": "timeout"}]}
    with pytest.warns(UserWarning, match=r"run: 1 query with an incomplete answer: q1 \(timeout\)"):
        rw.read_run(vespa({"id": "id:n:note::a"}, **errors))
    with pytest.warns(UserWarning, match=r"run: 1 query without an answer: q1 \(timeout\)"):
        assert len(rw.read_run(vespa(**errors) | {"q2": vespa({"id": "id:n:note::a"})["q1"]})) == 1
    late, broken = search("a") | {"timed_out": True}, search("a") | {"_shards": {"failed": 2}}
    with pytest.warns(
        UserWarning, match=r"2 queries with an incomplete answer: q1 \(timed out\), q2 \(2 shards failed\)"
    ):
        rw.read_run({"q1": late, "q2": broken})


@dataclasses.dataclass
class Odd:
    """An object of which nobody knows anything."""

    id: object
    score: object = None


LEAVES = (
    "a", "", 1, -3, 2.5, float("nan"), None, True, b"x", 10**30, 1j, ..., len, int, np.float32(1.5), np.array([1, 2]), np.array(3),
    pl.Series([1, 2]), Document("d"), Document(None), ScoredDoc("q", "d", 1.0), Odd("d", 1.0), Odd([]), range(3),
)  # fmt: skip
WORDS = (
    "q1", "hits", "_id", "id", "score", "took", "response", "docs", "responses", "details", "metric_score", "requests", "ratings", "root",
    "children", "relevance", "user_query", "query_response_hit_ids", "retrieved_context_ids", "query", "candidates", "qid", "docid", "node",
    "page_content", "results", "data", "query_id", "documents", "item", "items", 1, None, "mteb_model_meta", "error", "judgmentRatings",
    "searchText", "documentIds", "retrieved_docids", "_source", "rating",
)  # fmt: skip


def random_value(draw, depth=0):
    kind = draw.random()
    if depth > 4 or kind < 0.3:
        return draw.choice(LEAVES)
    inner = [random_value(draw, depth + 1) for _ in range(draw.randrange(4))]
    if kind < 0.6:
        return {draw.choice(WORDS): each for each in inner}
    return tuple(inner) if kind > 0.9 else inner


@pytest.mark.parametrize("seed", range(20))
def test_random_values_with_words_of_shapes_are_read_or_refused(seed):
    draw, refused = random.Random(seed), 0
    for _ in range(150):
        value = random_value(draw)
        if isinstance(value, dict) and draw.random() < 0.1:
            value["data"] = value
        for read in (rw.read_run, rw.read_qrels):
            with contextlib.suppress(rw.RankwellError):
                refused += 1
                read(value, query_ids=draw.choice([None, ["a", "b"]]))
                refused -= 1
    assert refused > 100


DOCUMENT = {"id": "d1", "page_content": "x", "metadata": {}, "type": "Document"}
HITS = {  # a word for the list, and a hit for d1
    "langchain": ("source_documents", DOCUMENT),
    "langchain, of a chain": ("context", DOCUMENT),
    "llamaindex": ("source_nodes", {"node": {"id_": "d1"}, "score": 0.4, "class_name": "NodeWithScore"}),
    "haystack": ("documents", {"id": "d1", "content": "c", "blob": None, "score": 0.4}),
    "hits": ("results", {"id": "d1", "score": 0.4}),
    "hits without scores": ("hits", {"_id": "d1", "title": "a"}),
}


@pytest.mark.parametrize("name", HITS)
@pytest.mark.parametrize("order", [1, -1])
def test_a_search_that_found_nothing_is_an_empty_list_wherever_it_stands(tmp_path, name, order):
    word, hit = HITS[name]
    records = [{"query": "q1", word: []}, {"query": "q2", word: [hit]}][::order]
    (tmp_path / "a.json").write_text(json.dumps(records))
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    below = {record.pop("query"): record for record in map(dict, records)}
    lists = {query: record[word] for query, record in below.items()}
    # without a query beside it, a hit needs a score, and a list a usual name, to be known
    alone = [lists] if name != "hits without scores" else []
    alone += [below] if name != "langchain, of a chain" else []
    for source in (records, *alone, tmp_path / "a.json", tmp_path / "a.jsonl"):
        res = rw.evaluate(source, {"q1": {"d1": 1}, "q2": {"d1": 1}}, ["rr", "num_ret"])
        assert res.per_query.sort("query")["rr"].to_list() == [0.0, 1.0]
        assert res.counts["lists"] == 2


@pytest.mark.parametrize("order", [1, -1])
def test_a_query_without_relevant_hits_has_no_judgements_wherever_it_stands(order):
    records = [
        {"query": "q1", "relevant_documents": []}, {"query": "q2", "relevant_documents": [{"id": "d1"}]},
    ][::order]  # fmt: skip
    assert rw.evaluate({"q1": ["d1"], "q2": ["d1"]}, records, ["rr"]).mean == {"rr": 1.0}


@pytest.mark.parametrize("word", ["query", "query_id", "question"])
def test_an_answer_is_named_by_the_query_beside_it_and_by_ids_that_are_given_first_of_all(word):
    for records in (
        [{word: query, "response": search("d1")} for query in ("a", "b")],
        [{word: query, **search("d1")} for query in ("a", "b")],
    ):
        for ids, names in ((None, ["a", "b"]), (["x", "y"], ["x", "y"])):
            assert rw.read_run(records, query_ids=ids).rows.table().query.tolist() == names


def test_responses_of_llamaindex_are_the_nodes_that_they_rest_on():
    class Response:
        def __init__(self, nodes):
            self.response, self.source_nodes, self.metadata = "said", nodes, None

    nodes = [{"node": {"id_": item}, "score": score} for item, score in (("d2", 0.2), ("d1", 0.9))]
    for source in ({"q": Response(nodes), "r": Response([])}, {"r": Response([]), "q": Response(nodes)}):
        res = rw.evaluate(source, {"q": {"d1": 1}, "r": {"d1": 1}}, ["rr"])
        assert res.per_query.sort("query")["rr"].to_list() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("retrieved", "relevant"),
    [("retrieved_ids", "expected_ids"), ("retrieved_context_ids", "reference_context_ids")],
)
def test_what_was_retrieved_is_not_named_as_the_judgements_nor_these_as_the_run(retrieved, relevant):
    rows = pl.DataFrame({"question": ["q"], relevant: [["d1"]], retrieved: [["d2", "d1"]]})
    with pytest.raises(DataError, match=re.escape(f"columns={{'question': 'query', '{retrieved}': 'item'}}")):
        rw.read_run(rows)
    with pytest.raises(DataError, match=re.escape(f"columns={{'question': 'query', '{relevant}': 'item'}}")):
        rw.read_qrels(rows)
    columns = {"question": "query", retrieved: "item"}
    judged = {"question": "query", relevant: "item"}
    assert rw.evaluate(rows, rows, ["rr"], columns=columns, qrels_columns=judged).mean == {"rr": 0.5}


@pytest.mark.parametrize("key", ["results", "data", "rows"])
def test_records_below_a_key_are_told_from_hits(key, tmp_path):
    """As many services wrap a table: its rows have a query each, and the key is none."""
    rows = [{"query": "u", "item": "b", "score": 1.0}, {"query": "u", "item": "a", "score": 2.0}]
    for value in ({key: rows}, written_json(tmp_path / "run.json", {key: rows})):
        with pytest.raises(
            rw.RankwellError, match="below a key stand records with the keys 'query', 'item', 'score'"
        ):
            rw.read_run(value)
    assert rw.evaluate(rows, {"u": {"a": 1}}, ["rr"]).mean == {"rr": 1.0}


def test_hits_of_sentence_transformers_by_query_are_read():
    """``util.semantic_search`` gives a list of these for each query: the best first, with the row of the corpus."""
    run = {
        "u": [{"corpus_id": 3, "score": 0.5}, {"corpus_id": 7, "score": 0.9}],
        "v": [{"corpus_id": 1, "score": 0.1}],
    }
    assert rw.evaluate(run, {"u": {7: 1}, "v": {2: 1}}, ["rr"]).mean == {"rr": 0.5}


def written_json(path, value):
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
