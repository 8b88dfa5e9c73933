"""Documents, Topics and Collection: a test collection is what is searched, what for, and what is relevant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rankwell.display.findings import Finding, Findings, Level
from rankwell.display.table import Column, Table
from rankwell.records import cached_property
from rankwell.tables.ids import IdColumn, Ids, Known
from rankwell.tables.items_users import Items, column_of, refuse_repeats, texts_in
from rankwell.tables.run_qrels import Qrels, ids_of
from rankwell.tables.series import same_length

if TYPE_CHECKING:
    import polars as pl

SHOWN = 3  # examples of ids in a finding


class _Texts:
    """Ids with columns of text."""

    word = "id"
    rule = "each is there once"

    def __init__(self, ids: IdColumn, columns: pl.DataFrame, *, name: str) -> None:
        self.name, self.ids, self.frame = name, ids_of(ids, self.word), columns
        if columns.width:
            same_length(len(self.ids), {"texts": len(columns)}, name)
        refuse_repeats(self.ids, name, self.word, self.rule)

    def __len__(self) -> int:
        return len(self.ids)

    def texts(self, *fields: str) -> list[str]:
        """Return the text of each row: the fields named, joined by line ends; a missing one is empty.

        Raises
        ------
        UsageError
            If there is no such field.
        """
        import polars as pl

        names = fields or self.usual()
        columns = [
            texts_in(column_of(self.frame, column_name, self.name), self.name) for column_name in names
        ]
        filled = [column_name.replace("", None).alias(str(at)) for at, column_name in enumerate(columns)]
        if not filled:
            return [""] * len(self)
        return pl.select(pl.concat_str(filled, separator="\n", ignore_nulls=True)).to_series().to_list()

    @cached_property
    def is_blank(self) -> np.ndarray:
        """Whether the text of each row is missing, empty or white space."""
        return np.array([not text.strip() for text in self.texts()], bool)

    def usual(self) -> tuple[str, ...]:
        """The fields that make the text when none is named."""
        return tuple(self.frame.columns)

    def __iter__(self) -> Iterator[tuple[str | int, str]]:
        return zip(self.ids.tolist(), self.texts(), strict=True)


class Documents(_Texts):
    r"""The documents of a collection: ids, and their text in one or several fields.

    Iterating gives ``(id, text)``, as often as wanted.

    Parameters
    ----------
    item
        Distinct ids.
    columns
        The fields, such as ``title`` and ``text``, as a Polars frame with as many rows.
    name
        What to call the documents in messages.

    Raises
    ------
    DataError
        If a document is repeated.

    Examples
    --------
    >>> import polars as pl
    >>> documents = Documents(["d1"], pl.DataFrame({"title": ["Wings"], "text": ["of slender bodies"]}))
    >>> list(documents)
    [('d1', 'Wings\nof slender bodies')]
    """

    word, rule = "item", "a collection has each document once"

    def __init__(self, item: IdColumn, columns: pl.DataFrame, *, name: str = "documents") -> None:
        super().__init__(item, columns, name=name)

    def usual(self) -> tuple[str, ...]:
        """Title and text, or every field if there is no text."""
        if "text" not in self.frame.columns:
            return super().usual()  # such as the title and abstract of articles
        return tuple(field_name for field_name in ("title", "text") if field_name in self.frame.columns)

    def to_items(self) -> Items:
        """Return the documents as the catalogue, for ``evaluate(items=…)``."""
        return Items(self.ids, self.frame, name=self.name)

    def __repr__(self) -> str:
        return f"Documents {self.name!r}: {len(self):,} documents ({', '.join(self.frame.columns)})"


class Topics(_Texts):
    """The topics of a collection: ids of queries, and their text, short or in several fields.

    Iterating gives ``(id, text)``; the text is the title, else the whole text.

    Parameters
    ----------
    query
        Distinct ids.
    columns
        The fields, such as ``title``, ``description`` and ``narrative``, or ``text``.
    name
        What to call the topics in messages.

    Raises
    ------
    DataError
        If a topic is repeated.

    Examples
    --------
    >>> import polars as pl
    >>> topics = Topics(["301"], pl.DataFrame({"title": ["organized crime"], "description": ["Identify organizations"]}))
    >>> topics.texts(), topics.texts("description")
    (['organized crime'], ['Identify organizations'])
    """

    word, rule = "query", "a collection has each topic once"

    def __init__(self, query: IdColumn, columns: pl.DataFrame, *, name: str = "topics") -> None:
        super().__init__(query, columns, name=name)

    def usual(self) -> tuple[str, ...]:
        """The short query: the title, else the text, else the first field."""
        usual = [field_name for field_name in ("title", "text", "query") if field_name in self.frame.columns]
        return tuple((usual or self.frame.columns)[:1])

    def __repr__(self) -> str:
        return f"Topics {self.name!r}: {len(self):,} topics ({', '.join(self.frame.columns)})"


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """A test collection: documents, topics and judgements, each None if it was not given; ``notes`` say what reading changed."""

    name: str
    documents: Documents | None = None
    topics: Topics | None = None
    qrels: Qrels | None = None
    notes: tuple[str, ...] = field(default=())

    def to_table(self) -> Table:
        """Return the number of rows of each part, and of each grade."""
        rows: list[tuple[str, int]] = []
        if self.documents is not None:
            blank = int(self.documents.is_blank.sum())
            rows += [("documents", len(self.documents)), ("documents without text", blank)]
        if self.topics is not None:
            rows += [("topics", len(self.topics))]
        if self.qrels is not None:
            rows += [("judged topics", len(self.qrels.query.distinct())), ("judgements", len(self.qrels))]
            grades = np.ones(len(self.qrels)) if self.qrels.grade is None else self.qrels.grade
            values, counts = np.unique(grades, return_counts=True)
            rows += [(f"grade {v:g}", n) for v, n in zip(values.tolist(), counts.tolist(), strict=True)]
        return Table(
            [Column("part"), Column("rows", "count")],
            rows,
            caption=f"Collection {self.name}",
            notes=self.notes,
        )

    def check(self) -> Findings:
        """Return where the three parts do not fit, with the remedy; an error where nothing could be evaluated."""
        findings: list[Finding] = []
        if self.qrels is not None and self.topics is not None:
            judged = self.qrels.query.distinct()
            lost, unused = _absent(judged, self.topics.ids), _absent(self.topics.ids, judged)
            findings += _finding(
                "judged-topic-without-text", self.topics.name, "judged topics have no text", lost, len(judged),
                "Give the topics that the judgements are about.",
            )  # fmt: skip
            findings += _finding(
                "topic-without-judgements", self.qrels.name, "topics have no judgements", unused,
                len(self.topics), "Metrics of relevance leave them out; search them only if others are to judge.",
                note=True,
            )  # fmt: skip
        if self.qrels is not None and self.documents is not None:
            judged = self.qrels.item.distinct()
            findings += _finding(
                "judged-document-missing", self.documents.name, "judged documents are not in the collection",
                _absent(judged, self.documents.ids), len(judged),
                "No system can find them: use the documents that the judgements were made for.",
            )  # fmt: skip
        for part in (self.documents, self.topics):
            if part is not None:
                findings += _finding(
                    f"{part.word}-without-text", part.name, "rows have no text", part.ids[np.flatnonzero(part.is_blank)],
                    len(part), "Nothing to do if they are so in the original.", note=True,
                )  # fmt: skip
        return Findings(findings)

    def _repr_html_(self) -> str:
        return self.to_table()._repr_html_()

    def __repr__(self) -> str:
        return self.to_table().to_text()


def _absent(ids: Ids, present: Ids) -> Ids:
    """The ids that are not among others."""
    return ids[np.flatnonzero(Known(present).rows_of(ids, "the collection's") < 0)]


def _finding(
    rule: str, place: str, what: str, ids: Ids, of: int, remedy: str, *, note: bool = False
) -> list[Finding]:
    if not len(ids):
        return []
    examples = ", ".join(str(ids.one(at)) for at in range(min(len(ids), SHOWN)))
    more = " …" if len(ids) > SHOWN else ""
    level: Level = "note" if note else "error" if len(ids) == of else "warning"
    return [
        Finding(rule, level, place, f"{len(ids):,} {what}: {examples}{more}", remedy, count=len(ids), of=of)
    ]
