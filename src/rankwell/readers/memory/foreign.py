"""Files of other tools that hold neither a run nor judgements, known by their words; and JSON that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankwell.errors import DataError, brief
from rankwell.readers.bytes.text import BOM
from rankwell.readers.frames.columns import EVERYTHING
from rankwell.readers.memory.answers import DEEPEST, shapes
from rankwell.readers.memory.json_values import first_value
from rankwell.tables.columns import known_word

GIVE_IDS = "Look up the id of each text in the corpus, and give {query: [id, …]}."
ARRAYS = "Load the arrays and give them to rw.read_run in Python"
RECORDS = "Write its rows: orient='records', of frame.to_json and of frame.to_dict."
KNOWN: tuple[tuple[set[str], str], ...] = (
    ({"judge_result", "retrieval"}, "an evaluation of BrowseComp-Plus, whose retrieved_docids are sorted and no ranking. Give the run files."),
    ({"input", "actualOutput"}, f"test cases of DeepEval, which hold texts and no ids. {GIVE_IDS}"),
    ({"input", "actual_output"}, f"test cases of DeepEval, which hold texts and no ids. {GIVE_IDS}"),
    ({"expected_chunks"}, f"a golden set of TruLens, which holds texts and no ids. {GIVE_IDS}"),
    ({"retrieved_context_chunks"}, f"records of TruLens, which hold texts and no ids. {GIVE_IDS}"),
    ({"user_input", "retrieved_contexts"}, f"rows of ragas without retrieved_context_ids, which hold texts and no ids. {GIVE_IDS}"),
    ({"user_input", "reference_contexts"}, f"rows of ragas without reference_context_ids, which hold texts and no ids. {GIVE_IDS}"),
    ({"passage", "judgment", "prediction"}, f"judgements of UMBRELA, which hold texts and no ids. {GIVE_IDS}"),
    ({"references", "answer"}, "answers with citations (TREC RAG), whose references are no ranking. Give the run they were written from."),
    ({"nuggets"}, "nuggets of queries, and no items. Give a run, or judgements of items."),
    ({"sentence", "citation", "support"}, "judgements of citations (support), and not of items for a query. Give judgements of items."),
    ({"sentence", "cited"}, "verdicts on citations (ALCE), and not on items for a query. Give judgements of items."),
    ({"start_index", "end_index"}, "spans of texts, and no ids of items. Give each chunk an id, and {query: [id, …]}."),
    ({"question", "references", "corpus_id"}, "questions with spans of a text, and no items. Give each chunk an id, and {query: [id, …]}."),
    ({"n_rounds", "action", "reward"}, "logged bandit feedback (OBP), and no ranked lists. Give a run and judgements."),
    ({"mteb_version"}, "results of MTEB, which are means of metrics. Give its saved predictions (TASK_predictions.json)."),
    ({"similarity_fn_name", "revision"}, "what MTEB says of a model. Give its saved predictions (TASK_predictions.json)."),
    ({"action_name", "timestamp"}, "events of User Behavior Insights. The run is its log of queries (query_response_hit_ids)."),
    ({"ranking_list", "clicks"}, "a log of interleaved lists. Give the run of one system."),
    ({"impression", "team", "click"}, "a log of interleaved lists. Give the run of one system."),
    ({"search_id", "event", "ranking_function"}, "a log of interleaved lists. Give the run of one system."),
    ({"topk_index", "topk_score"}, f"matrices of RecBole with its own numbers of items. {ARRAYS}: (topk_index, topk_score), without the 0 of padding."),
    ({"userids", "ids", "scores"}, f"matrices of implicit. {ARRAYS}: (ids, scores), without items scored -3.4e38."),
    ({"indptr", "indices", "data"}, f"the arrays of a sparse matrix. {ARRAYS}: scipy.sparse.csr_array((data, indices, indptr))."),
    ({"columns", "data"}, f"a table as pandas writes it with orient='split'. {RECORDS}"),
    ({"schema", "data"}, f"a table as pandas writes it with orient='table'. {RECORDS}"),
    ({"y", "p"}, "labels and predictions in groups. Read the columns and say run, qrels = rw.from_groups(y, p, group)."),
)  # fmt: skip
BESIDE_IDS = {
    what for words, what in KNOWN if {"citation", "team", "clicks"} & words
}  # which are no run, whatever ids stand beside
TEXTS = {"_id", "text", "title", "metadata"}
HEADER = {"index", "preference", "routing", "search_type", "ignore_unavailable", "allow_no_indices"}


def refuse_foreign_file(start: bytes, label: str, kind: str, form: str) -> None:
    """Raise DataError for a file of JSON or a table that is of another tool, or of no shape that is read."""
    value = first_value(start)
    if form == "json":
        if EVERYTHING.match(start.removeprefix(BOM).decode(errors="replace")):
            return  # what judging next writes, which its reader names
        refuse_foreign(value, label, kind)
        return
    line = start.removeprefix(BOM).partition(b"\n")[0].decode(errors="replace")
    separator = max(",\t;|", key=line.count)
    names = list(value) if isinstance(value, dict) else [name.strip(' "\r') for name in line.split(separator)]
    if said := said_of(set(names)):
        raise DataError(f"{label}: it holds {said}")
    if isinstance(value, dict) and "item" not in map(known_word, names) and (resembled := _resembled(names)):
        raise _unknown(f"a record with {_listed(names)}", resembled, label, kind)


def refuse_foreign(value: Any, label: str, kind: str) -> None:
    """Raise DataError for a value that another tool wrote, or that has no shape that is read."""
    record = value
    for _ in range(DEEPEST):
        record = record[0] if isinstance(record, (list, tuple)) and record else record
    keys = {key for key in record if isinstance(key, str)} if isinstance(record, Mapping) else set()
    if said := said_of(keys):
        raise DataError(f"{label}: it holds {said}")
    if isinstance(value, Mapping):
        row = next(iter(value.values()), None)
        if isinstance(row, Mapping) and {"query", "item"} <= {
            known_word(key) for key in row if isinstance(key, str)
        }:
            raise DataError(
                f"{label}: it holds a table as pandas writes it with orient='index', by row. {RECORDS}"
            )
        if {"query", "item"} <= set(map(known_word, keys)):
            return  # an object of columns
        if not any(
            each is None or isinstance(each, (str, int, float)) or _is_deep(each) for each in value.values()
        ):
            return
        what = f"an object with {_listed(value)}"
    else:
        nested = (
            isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)) and value[0]
        )
        if not nested or not isinstance(nested[0], (list, Mapping)):
            return
        what = f"a list of lists of {'objects' if isinstance(nested[0], Mapping) else 'lists'}"
    raise _unknown(what, _resembled(keys), label, kind)


def _is_deep(value: Any) -> bool:
    """Whether an object holds objects, or lists of them."""
    inner = next(iter(value.values()), None) if isinstance(value, Mapping) else None
    return isinstance(inner, Mapping) or (
        isinstance(inner, list) and bool(inner) and isinstance(inner[0], Mapping)
    )


def _listed(keys: Iterable[Any]) -> str:
    names = list(keys)
    return f"the keys {', '.join(map(brief, names[:6]))}{' …' if len(names) > 6 else ''}"


def _unknown(what: str, resembled: str, label: str, kind: str) -> DataError:
    word = "score" if kind == "run" else "grade"
    return DataError(
        f"{label}: {what} is no shape that is read as {'a run' if kind == 'run' else 'judgements'}.{resembled} Write {{query: {{item: "
        f"{word}}}}}, {{query: [item, …]}}, or records with query, item and {word}."
    )


def said_of(keys: set[str]) -> str | None:
    """Return what a record with such keys is; None if it is nothing known."""
    if "_id" in keys and "text" in keys and keys <= TEXTS:
        return (
            "texts of documents or queries (BEIR), and no run or judgements. rw.read_collection reads them."
        )
    if "index" in keys and keys <= HEADER:
        return "the requests of a _msearch. Give the answers, and these as query_ids= beside them."
    has_ids = {"query", "item"} <= set(map(known_word, keys))
    return next(
        (what for words, what in KNOWN if words <= keys and not (has_ids and what not in BESIDE_IDS)), None
    )


def _resembled(keys: Iterable[str]) -> str:
    found = max(shapes(), key=lambda shape: len(shape.words.intersection(keys)))
    if not found.words.intersection(keys):
        return ""
    return f" It resembles {found.what}: if it is one, say format_in='{found.name}'."
