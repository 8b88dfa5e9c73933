"""Answers whose sentences cite items: a run with a row for each citation, with query, part (the sentence, from 1), item and support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwell.errors import DataError, brief, one_of
from rankwell.readers.bytes.files import File
from rankwell.readers.frames.columns import Given
from rankwell.readers.memory.answers import Answer, Read, Shape, Unread, distinct_answers
from rankwell.tables.columns import CITATION_WORDS, number_of
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.readers.memory.answers import QueryIds

LOST = "citations that point at no reference"
UNREAD = "numbers after the first of a bracket, such as [1, 2], that {tool} does not look at"
LONG = "sentences with more citations than the {many} that {tool} looks at"
# judgements of support, beside the answers that hold the citations
NEEDED = Given(by_rows=True, argument="", needs=frozenset({"parts", "support"}))
OTHERS = "judgements of support of queries without an answer"
FORM = "Judgements of support have a row for each citation, with query, sentence, item and support"


class Citation(NamedTuple):
    """A cited item, and how far it supports its sentence: None where nobody judged, 0 where it points at no reference."""

    item: str
    support: float | None = None
    is_lost: bool = False


class CitedSentence(NamedTuple):
    """A sentence of an answer, with what it cites, in order; ``n_unread`` numbers stand in its brackets that its tool does not look at."""

    text: str
    citations: list[Citation]
    n_unread: int = 0


class CitedRow(NamedTuple):
    """A citation in its sentence; a sentence that cites nothing has no item, an answer without sentences no part."""

    query: Any
    part: int | None = None
    item: str | None = None
    support: float | None = None
    text: str = ""
    question: str | None = None
    is_lost: bool = False
    place: str = ""  # of the answer


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
        own = self.rows[row]
        before = [each for each in self.rows[:row] if each.query == own.query and each.part == own.part]
        return f"{own.place}, query {brief(own.query)}, sentence {own.part}, citation {len(before) + 1}"


class CitedAnswers(Shape):
    """Answers whose ``items`` are sentences that cite items; of each sentence, their tool looks at so ``many`` citations, None for all."""

    def __init__(self, *of_shape: Any, many: int | None = None, **more: Any) -> None:
        super().__init__(*of_shape, **more)
        self.many = many

    def read_run(
        self, file: File, *, name: str, columns: Mapping[str, str], query_ids: QueryIds | None = None, scores_from: Any = None
    ) -> Run:  # fmt: skip
        """Return the run in a file, with the support that a table beside it says of citations."""
        return with_support(self._of_file(file, "score", columns, query_ids), scores_from).run(name)

    def run_of(
        self, source: Any, *, name: str, columns: Mapping[str, str], query_ids: Any = None, scores_from: Any = None
    ) -> Run:  # fmt: skip
        """Return the run of a value in memory, with the support that a table beside it says of citations."""
        return with_support(self._of_value(source, "score", name, columns, query_ids), scores_from).run(name)

    def cited_in(self, source: Any, ids: QueryIds | None = None) -> Cited:
        """Return the answers in a file or a value in memory, with the texts of their sentences."""
        is_file = isinstance(source, File)
        cited: Cited = self._of_file(source, "score", {}, ids) if is_file else self._of_value(source, "score", "pairs", {}, ids)  # fmt: skip
        return cited

    def _read(self, read: Read, value: Any, place: str) -> Iterator[Answer]:
        return (answer._replace(place=place) for answer in super()._read(read, value, place))

    def gather(self, answers: Iterable[Answer], word: str, label: str, ids: QueryIds | None) -> Any:
        """Return the answers of one system to distinct queries."""
        del word
        rows, counts = [], Counter[str]()
        for query, answer in distinct_answers(answers, ids, label, self.what):
            asked = CitedRow(query, question=answer.text, place=answer.place)
            rows += [] if answer.items else [asked]
            for part, (text, citations, n_unread) in enumerate(answer.items, 1):
                sentence = asked._replace(part=part, text=text)
                if self.many is not None:
                    counts[LONG.format(many=self.many, tool=self.name)] += len(citations) > self.many
                rows += [
                    sentence._replace(item=each.item, support=each.support, is_lost=each.is_lost)
                    for each in citations
                ] or [sentence]
                counts[UNREAD.format(tool=self.name)] += n_unread
                counts[LOST] += sum(each.is_lost for each in citations)
        return Cited(label, rows, dict(+counts))


def with_support(cited: Cited, source: Any) -> Cited:
    """Return answers with the support that a table says of their citations, if there is one; without a row in it they keep what they have.

    Sentences are numbers, from 0 if one of them is 0, else from 1. DataError for a row of a citation that is not there, or two that differ.
    """
    if source is None:
        return cited
    from rankwell.readers.read import open_run  # which reads answers, too

    table = open_run(source, columns=NEEDED).rows.table()
    if not {"part", "support"} <= table.extra.keys():
        raise DataError(
            f"{table.place(0)}: there is no column of sentences, or none of support. {FORM}; a verdict on all citations of a sentence "
            f"together is none of a single one."
        )
    sentences = [str(sentence) for sentence in table.extra["part"].tolist()]
    base = 0 if "0" in sentences else 1
    said: dict[tuple[str, str, str], int] = {}
    support: Any = table.extra["support"]
    for row in np.flatnonzero(~np.isnan(support)).tolist():
        if not sentences[row].isdecimal():
            raise DataError(
                f"{table.place(row)}: the sentence is {brief(sentences[row])}, not the number of one. {FORM}."
            )
        key = str(table.query.one(row)), str(int(sentences[row]) + 1 - base), str(table.item.one(row))
        if support[said.setdefault(key, row)] != support[row]:
            raise DataError(
                f"{table.place(row)}: another row ({table.place(said[key])}) gives the citation another support. Remove one."
            )
    left = dict(said)

    def judged(each: CitedRow) -> CitedRow:
        key = str(each.query), str(each.part), str(each.item)
        row = said.get(key)
        if row is None or (each.is_lost and support[row]):  # what points at no reference supports nothing
            return each
        left.pop(key, None)
        return each._replace(support=float(support[row]))

    rows, answered = [judged(each) for each in cited.rows], {str(each.query) for each in cited.rows}
    for (query, part, item), row in left.items():
        if query in answered or len(left) == len(said):
            raise DataError(
                f"{table.place(row)}: sentence {part} of query {brief(query)} in {cited.label} cites no {brief(item)}. Are these judgements of "
                f"other answers? Sentences are counted from {base} here, as {'one' if base == 0 else 'none'} of them is 0."
            )
    return Cited(cited.label, rows, {**cited.counts, **({OTHERS: len(left)} if left else {})})


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
    support = number_of(value, CITATION_WORDS) if isinstance(value, str) else value
    if isinstance(support, bool) or support not in (0, 0.5, 1):
        raise Unread(
            f"{what} has the support {brief(value)}, which must be 1, 0.5, 0, or {one_of(CITATION_WORDS)}."
        )
    return float(support)
