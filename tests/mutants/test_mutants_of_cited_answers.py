"""One planted bug per rule of the readers of answers that cite; each is caught by the plain loop or the joined support."""

from __future__ import annotations

import pytest
from tests.mutants.planting import around, fails, put
from tests.readers.memory.test_cited_answers import JUDGED, NAMES, RAG, SAID, plain, records, support_of

import rankwell as rw
from rankwell.readers.formats import trec_rag
from rankwell.readers.memory import cited_answers
from rankwell.readers.memory.cited_answers import Citation


def compare_with_the_loop():
    assert [tuple(row[:4]) for row in trec_rag.SHAPE.cited_in(records()).rows] == list(plain(records()))


def compare_joined():
    for base in (0, 1):
        rows = [each | {"sentence": each["sentence"] + base} for each in JUDGED]
        run = rw.read_run(RAG / NAMES[2], scores_from=rows)
        lost = {("q2", "[7]"): ("q2", "msmarco_v2.1_doc_99_8#0_8000")}
        assert support_of(run) == {lost.get(key, key): value for key, value in SAID.items()}
        assert list(run.counts.values()) == [1]


def one_later(original, place, references, sign):
    return original(place - 1, references, sign)


def builtin(module, name, value):
    """Something else under the name of a function that is built in."""
    return lambda patch: patch.setattr(module, name, value, raising=False)


READING = {
    "places count from 1": around(trec_rag, "pointed_at", one_later),
    "a lost citation is not judged": around(
        trec_rag, "pointed_at", lambda original, *given: original(*given)._replace(support=None)
    ),
    "a lost citation is left out": around(
        trec_rag, "CitedSentence", lambda original, text, citations: original(text, [each for each in citations if not each.is_lost])
    ),
    "sentences count from 0": builtin(cited_answers, "enumerate", lambda values, start: enumerate(values, start - 1)),
    "sentences that cite nothing are left out": around(
        cited_answers.CitedAnswers, "gather",
        lambda original, *given: (found := original(*given))._replace(rows=[row for row in found.rows if row.item or not row.part]),
    ),
    "empty answers are left out": around(
        cited_answers.CitedAnswers, "gather",
        lambda original, *given: (found := original(*given))._replace(rows=[row for row in found.rows if row.part]),
    ),
    "citations stand in another order": around(
        trec_rag, "CitedSentence", lambda original, text, citations: original(text, citations[::-1])
    ),
}  # fmt: skip
JOINING = {
    "an id that is no reference is cited": put(trec_rag, "Citation", lambda item, *rest, **more: Citation(item)),
    "support is not joined": around(cited_answers, "with_support", lambda original, cited, source: cited),
    "support in part counts in full": builtin(cited_answers, "float", lambda value: 1.0 if value else 0.0),
}  # fmt: skip


def test_nothing_is_caught_where_nothing_is_planted():
    compare_with_the_loop()
    compare_joined()


@pytest.mark.parametrize("name", [*READING, *JOINING])
def test_a_planted_bug_is_caught(name, monkeypatch):
    (READING | JOINING)[name](monkeypatch)
    assert fails(compare_with_the_loop if name in READING else compare_joined)
