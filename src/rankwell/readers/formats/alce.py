"""Results of ALCE: ``{"data": [{"question", "docs": [{"id", "text"}], "output"}]}``, where ``output`` cites documents as ``[1][2]``, from 1.

ALCE splits ``output`` into sentences when it evaluates, which is not done here: a list of sentences is read, one text is refused. ALCE's verdicts are
of all citations of a sentence together; support here is that of each citation by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from rankwell.readers.memory.answers import Answer, Unread, is_object
from rankwell.readers.memory.cited_answers import CitedAnswers, CitedSentence, id_text, pointed_at

# as ALCE looks for it: a bracket and a number, whatever follows
CITED = re.compile(r"\[(\d+)([^][]*)", re.ASCII)
MARK = re.compile(r"\s*\[\d+(?:\s*[,;\u2013-]\s*\d+)*\]", re.ASCII)


def run(value: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield an answer, whose items are its sentences."""
    documents = [
        id_text(each.get("id") if isinstance(each, Mapping) else each, f"the id of document {number}")
        for number, each in enumerate(value["docs"], 1)
    ]
    sentences = value["output"]
    if isinstance(sentences, str):
        raise Unread(
            "output is one text, and sentences are not split here. Write a list of sentences in its place, as ALCE splits it: "
            "nltk.sent_tokenize(output.strip().split('\\n')[0])."
        )
    if not isinstance(sentences, list) or not all(isinstance(each, str) for each in sentences):
        raise Unread("output must be a list of sentences.")
    yield Answer([_sentence(text, documents) for text in sentences], text=value["question"])


def _sentence(text: str, documents: list[str]) -> CitedSentence:
    brackets = CITED.findall(text)
    citations = [pointed_at(int(number) - 1, documents, f"[{number}]") for number, _ in brackets]
    n_unread = sum(len(re.findall(r"\d+", rest)) for _, rest in brackets)
    return CitedSentence(MARK.sub("", text), citations, n_unread)


FITS = partial(is_object, question=str, docs=list, output=object)
SHAPE = CitedAnswers("alce", "a result of ALCE", FITS, run, words="question docs output qa_pairs", many=3)
