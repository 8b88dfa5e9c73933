"""Values of JSON: the first one of a text, as far as its beginning shows it, and objects whose keys stand once."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from functools import lru_cache
from typing import Any

from rankwell.tables.columns import known_word

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*("|\Z)|[\[\]{},]', re.DOTALL)
CLOSING = {"{": "}", "[": "]"}
DECODER = json.JSONDecoder()


class Twice(Exception):
    """A key that stands twice in one object."""


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object; Twice if a key is repeated."""
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        raise Twice(next(key for key in keys if keys.count(key) > 1))
    return members


UNIQUE = json.JSONDecoder(object_pairs_hook=unique)


@lru_cache(maxsize=2)
def first_value(start: bytes) -> Any:
    """Return the first object or list of a text; what is cut off is left out. None if the text begins with neither.

    >>> first_value(b'{"took": 3, "hits": [{"_id": "d1", "_sc')
    {'took': 3, 'hits': [{'_id': 'd1'}]}
    """
    text = start.removeprefix(BOM_UTF8).decode(errors="replace").lstrip()
    if not text.startswith(("{", "[")):
        return None
    try:
        return DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return _of_cut(text)


def _of_cut(text: str) -> Any:
    """The value of a text that ends early: all before the last comma or opening bracket, closed there."""
    stack: list[str] = []
    last, closing = 0, tuple(stack)
    for token in TOKEN.finditer(text):
        sign = token[0][0]
        if sign == '"':
            if not token[1]:
                break  # the end of this text is missing
        elif sign in CLOSING:
            stack.append(CLOSING[sign])
            last, closing = token.end(), tuple(stack)
        elif sign == ",":
            last, closing = token.start(), tuple(stack)
        elif stack:
            stack.pop()
    try:
        return json.loads(text[:last] + "".join(reversed(closing)))
    except (ValueError, RecursionError):
        return None


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
    ({"nuggets"}, 'nuggets in no form that is read. Give records as nuggetizer writes them: {"qid": …, "nuggets": [{"text": …, "importance": "vital"}]}.'),
    ({"sentence", "citation", "support"}, "judgements of the support of citations, and not of items for a query. Evaluate them as a run with citation_p, or say scores_from= beside the answers."),
    ({"sentence", "cited"}, "verdicts of ALCE on all citations of a sentence together. Give the support of each: query, sentence, item, support."),
    ({"start_index", "end_index"}, "spans of texts, and no ids of items. Give each chunk an id, and {query: [id, …]}."),
    ({"question", "references", "corpus_id"}, "questions with their references, which are judgements of spans and no run. Give them as the judgements."),
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
