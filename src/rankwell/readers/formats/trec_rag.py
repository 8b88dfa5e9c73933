"""Answers of TREC RAG, 2024 and 2025: ``{"topic_id", "references": ["d1", …], "answer": [{"text", "citations": [0, …]}]}``, a line or element each.

In 2025 ``narrative_id`` and ``run_id`` stand in ``metadata``. A citation is a place in ``references``, from 0, or an id that is there; or an object
with its id and perhaps the ``support`` that somebody judged. One that points at no reference is a citation that supports nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from rankwell.errors import brief
from rankwell.readers.memory.answers import Answer, Shape, Unread, is_object
from rankwell.readers.memory.cited_answers import (
    Citation,
    CitedAnswers,
    CitedSentence,
    id_text,
    pointed_at,
    support_of,
)
from rankwell.tables.columns import known_word

WHAT = "an answer of TREC RAG"
QUERY, TEXT = ("topic_id", "narrative_id", "qid"), ("topic", "narrative")


def fits(value: Any) -> bool:
    """Whether a value is an answer to a query: sentences that are objects; or none, or one text, beside references."""
    if not is_object(value, answer=object):
        return False
    answer = value["answer"]
    if isinstance(answer, list) and answer:
        return is_object(answer[0])
    return isinstance(answer, (list, str)) and isinstance(value.get("references"), list)


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield an answer, whose items are its sentences."""
    if isinstance(value["answer"], str):
        raise Unread(
            'the answer is one text, and a citation belongs to a sentence. Write "answer": [{"text": …, "citations": [0, …]}, …], with '
            "places in references."
        )
    references = [
        id_text(each, f"reference {at}") for at, each in enumerate(_list(value, "references", "the answer"))
    ]
    sentences = [
        CitedSentence(
            _text(sentence, at),
            [
                _citation(each, references, f"sentence {at}: citation {number}")
                for number, each in enumerate(_list(sentence, "citations", f"sentence {at}"), 1)
            ],
        )
        for at, sentence in enumerate(value["answer"], 1)
    ]
    yield _answer(value, sentences)


def texts(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the text of an answer as the one item of its query, none if it is empty."""
    text = " ".join(_text(sentence, at) for at, sentence in enumerate(value["answer"], 1))
    yield _answer(value, [text] if text else [])


def _answer(value: Mapping[str, Any], items: list[Any]) -> Answer:
    """Who answered what; 2024 and 2025 name query and system differently."""
    about = {**value, **(value.get("metadata") or {})}
    query, text = (next((about[key] for key in keys if key in about), None) for keys in (QUERY, TEXT))
    return Answer(items, query=query, text=text, system=about.get("run_id"))


def _list(value: Any, key: str, what: str) -> list[Any]:
    listed = value.get(key)
    if not isinstance(listed, list):
        has = f"{key} are {brief(listed)}" if key in value else f"no {key} are there"
        raise Unread(f"{what}: {has}. Write a list, [] for none.")
    return listed


def _text(sentence: Any, at: int) -> str:
    text = sentence.get("text") if isinstance(sentence, Mapping) else None
    if not isinstance(text, str):
        raise Unread(
            f'sentence {at} is {brief(sentence)}, which has no text. Write {{"text": …, "citations": […]}}.'
        )
    return text


def _citation(value: Any, references: list[str], what: str) -> Citation:
    if isinstance(value, Mapping):
        keys = [key for key in value if key == "id" or known_word(key) == "item"]
        if len(keys) != 1:
            raise Unread(f"{what} is {brief(value)}, with {len(keys)} ids. Give its docid.")
        support = support_of(value.get("support"), what)
        found = _citation(value[keys[0]], references, what)
        return found if found.is_lost else Citation(found.item, support)
    if isinstance(value, int) and not isinstance(value, bool):
        return pointed_at(value, references, f"[{value}]")
    item = id_text(value, what)
    if item in references:
        return Citation(item)
    if item.isdecimal() and int(item) < len(references):
        raise Unread(
            f"{what} is the text {brief(item)}, no id of a reference. Write {item} without quotation marks if it is the number of one."
        )
    return Citation(item, 0.0, is_lost=True)


SHAPE = CitedAnswers(
    "trec_rag", WHAT, fits, run, words="references citations topic_id narrative_id response_length"
)
TEXTS = Shape("trec_rag", WHAT, partial(is_object, answer=list), texts)
