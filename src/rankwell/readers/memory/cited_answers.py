"""Answers whose sentences cite items: a run with a row for each citation, with query, part (the sentence, from 1), item and support."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwell.errors import brief, one_of
from rankwell.readers.bytes.files import File
from rankwell.readers.memory.answers import Answer, Shape, Unread, distinct_answers
from rankwell.tables.columns import CITATION_WORDS
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.readers.memory.answers import QueryIds

LOST = "citations that point at no reference"


class Citation(NamedTuple):
    """A cited item, and how far it supports its sentence: None where nobody judged, 0 where it points at no reference."""

    item: str
    support: float | None = None
    is_lost: bool = False


class Sentence(NamedTuple):
    """A sentence of an answer, with what it cites, in order."""

    text: str
    citations: list[Citation]


class CitedRow(NamedTuple):
    """A citation in its sentence; a sentence that cites nothing has no item, an answer without sentences no part."""

    query: Any
    part: int | None = None
    item: str | None = None
    support: float | None = None
    text: str = ""
    question: str | None = None
    is_lost: bool = False


class Cited(NamedTuple):
    """The answers of one system, a row for each citation and for each sentence and answer without any."""

    label: str
    rows: list[CitedRow]
    counts: Mapping[str, int]

    def run(self, name: str) -> Run:
        """Return the run."""
        query, part, item, support, *_ = zip(*self.rows, strict=True)
        run = Run(query, item, part=part, support=support, name=name, place=self._place)
        run.counts = self.counts
        return run

    def _place(self, row: int) -> str:
        query, part, *_ = self.rows[row]
        return f"{self.label}, query {brief(query)}, sentence {part}"


class CitedAnswers(Shape):
    """Answers whose ``items`` are sentences that cite items."""

    def read_run(
        self, file: File, *, name: str, columns: Mapping[str, str], query_ids: QueryIds | None = None, scores_from: Any = None
    ) -> Run:  # fmt: skip
        """Return the run in a file, with the support that a table beside it says of citations."""
        return _joined(self._of_file(file, "score", columns, query_ids), scores_from).run(name)

    def run_of(
        self, source: Any, *, name: str, columns: Mapping[str, str], query_ids: Any = None, scores_from: Any = None
    ) -> Run:  # fmt: skip
        """Return the run of a value in memory, with the support that a table beside it says of citations."""
        return _joined(self._of_value(source, "score", name, columns, query_ids), scores_from).run(name)

    def cited_in(self, source: Any, ids: QueryIds | None = None) -> Cited:
        """Return the answers in a file or a value in memory, with the texts of their sentences."""
        is_file = isinstance(source, File)
        cited: Cited = self._of_file(source, "score", {}, ids) if is_file else self._of_value(source, "score", "pairs", {}, ids)  # fmt: skip
        return cited

    def gather(self, answers: Iterable[Answer], word: str, label: str, ids: QueryIds | None) -> Any:
        """Return the answers of one system to distinct queries."""
        del word
        rows = []
        for query, answer in distinct_answers(answers, ids, label, self.what):
            asked = CitedRow(query, question=answer.text)
            rows += [] if answer.items else [asked]
            for part, (text, citations) in enumerate(answer.items, 1):
                sentence = asked._replace(part=part, text=text)
                rows += [
                    sentence._replace(item=each.item, support=each.support, is_lost=each.is_lost)
                    for each in citations
                ] or [sentence]
        lost = sum(row.is_lost for row in rows)
        return Cited(label, rows, {LOST: lost} if lost else {})


def _joined(cited: Cited, source: Any) -> Cited:
    if source is None:
        return cited
    from rankwell.readers.support import with_support

    return with_support(cited, source)


def pointed_at(place: int, references: list[str], sign: str) -> Citation:
    """Return the citation of the reference at a place; ``sign`` stands for one that is not there."""
    if 0 <= place < len(references):
        return Citation(references[place])
    return Citation(sign, 0.0, is_lost=True)


def id_text(value: Any, what: str) -> str:
    """Return an id as text; Unread if it is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise Unread(f"{what} is {brief(value)}, which is no id. An id is text or a whole number.")
    return str(value)


def support_of(value: Any, what: str) -> float | None:
    """Return how far a citation supports its sentence, None if nobody judged; Unread for what is no support."""
    if value is None:
        return None
    support = CITATION_WORDS.get(value.lower()) if isinstance(value, str) else value
    if isinstance(support, bool) or support not in (0, 0.5, 1):
        raise Unread(
            f"{what} has the support {brief(value)}, which must be 1, 0.5, 0, or {one_of(CITATION_WORDS)}."
        )
    return float(support)
