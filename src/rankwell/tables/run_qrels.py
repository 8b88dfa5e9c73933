"""Run and Qrels: validated tables of ranked lists and of judgements, and who judged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sized
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from rankwell.display.table import Column, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.records import SetOnce, cached_property, record
from rankwell.tables.arguments import plain
from rankwell.tables.columns import EXTRA, UnreadColumn
from rankwell.tables.csr import owners
from rankwell.tables.ids import IdColumn, Ids
from rankwell.tables.matrix import Matrix
from rankwell.tables.places import Place, RowOf, store_place
from rankwell.tables.rows import Columns, IdStretches, Rows
from rankwell.tables.series import freeze, freeze_all, numbers_of, same_length

KINDS = "human", "model", "clicks"
FORM = "write human, human:NAME, model:NAME or clicks:LOG, and after commas prompt=… and date=…"
BREAKING = re.compile(r"[,=\n\r]")
DIGITS = 12  # of the hash of a prompt
FIRST = 5  # rows of a preview
NO_WORDS: Mapping[str, str] = MappingProxyType({})  # the names of the columns of a table, by word
NO_COUNTS: Mapping[str, int] = MappingProxyType(
    {}
)  # what the reader of a run counted, to be printed with its results
COUNTED = 1 << 18  # rows counted at a time
SWAPPED = "Are the run and the judgements swapped? It is rankwell evaluate QRELS RUN, and rw.evaluate(run, qrels) in Python."


@record
class Assessor(SetOnce):
    """Who judged: ``human`` or ``model``, its name, and for a model the prompt and the date, which decide what it says; or the ``clicks`` of
    a log, whose hash is the name.

    A ``prompt`` with spaces is taken for the text of the prompt, and its hash is kept: the first 12 digits of SHA-256.

    Raises
    ------
    UsageError
        For another kind, or a model without a name, or with a comma, ``=`` or a line end in it.

    Examples
    --------
    >>> print(Assessor("model", "gpt-4o", prompt="How relevant is this passage?", date="2025-03-01"))
    model gpt-4o (prompt 6c64c188e058, 2025-03-01)
    >>> Assessor.of("model:gpt-4o,date=2025-03-01") == Assessor("model", "gpt-4o", date="2025-03-01")
    True
    """

    kind: Literal["human", "model", "clicks"]
    name: str = ""
    prompt: str = ""
    date: str = ""

    def __post_init__(self) -> None:
        for word in ("kind", "name", "prompt", "date"):
            plain(f"assessor {word}", getattr(self, word), str)
        kind: str = self.kind
        if kind not in KINDS:
            near = nearest(kind, KINDS)
            raise UsageError(f"assessor: the kind {brief(self.kind)} must be {one_of(KINDS)}.{near} {FORM}.")
        if self.kind == "model" and not self.name:
            raise UsageError("assessor: a model needs its name, such as model:gpt-4o.")
        if self.kind == "model" and (sign := BREAKING.search(self.name)):
            raise UsageError(
                f"assessor: the name of a model cannot have {brief(sign[0])}, which parts it from its prompt and date where judgements "
                f"are written: {brief(self.name)}. Write another sign, such as '-'."
            )
        if re.search(r"\s", self.prompt):
            import hashlib

            digest = hashlib.sha256(self.prompt.encode()).hexdigest()[:DIGITS]
            object.__setattr__(self, "prompt", digest)

    @classmethod
    def of(cls, value: Assessor | str) -> Assessor:
        """Return an assessor from its text, such as ``"human"`` or ``"model:gpt-4o,prompt=3fa9c1,date=2025-03-01"``."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, str):
            raise UsageError(f"assessor={brief(value)}: {FORM}.")
        head, *rest = (part.strip() for part in value.split(","))
        kind, _, name = head.partition(":")
        details = {word: text for word, _, text in (part.partition("=") for part in rest)}
        for word, text in details.items():
            if word not in ("prompt", "date") or not text:
                raise UsageError(f"assessor={brief(value)}: {FORM}.")
        return cls(kind.strip(), name.strip(), **details)  # type: ignore[arg-type] # checked when made

    def __str__(self) -> str:
        more = [f"prompt {self.prompt}"] if self.prompt else []
        more += [self.date] if self.date else []
        words = " ".join(part for part in (self.kind, self.name) if part)
        return f"{words} ({', '.join(more)})" if more else words


def run_preview(run: Run) -> Table:
    """Return the first rows of a run, in their order, as a notebook shows them."""
    lists = next((make() for make in run.rows.batches(1)), None)
    if lists is None:
        return Table([Column("query"), Column("item")], [], caption=str(run))
    first = range(min(FIRST, lists.rows))
    owner = owners(lists.offsets)
    score = lists.given if lists.by_rank else lists.score
    ids = {"query": [lists.queries.one(int(owner[row])) for row in first]}
    ids["item"] = [lists.items.one(row) for row in first]
    numbers = {"rank": -lists.score} if lists.has_ranks else {}
    numbers |= {} if score is None else {"score": score}
    return _table(str(run), len(run), ids, numbers)


def qrels_preview(qrels: Qrels) -> Table:
    """Return the first judgements."""
    first = range(min(FIRST, len(qrels)))
    ids = {"query": qrels.query, "item": qrels.item, "topic": qrels.topic, "subgroup": qrels.subgroup}
    numbers = {"grade": qrels.grade, "topic_weight": qrels.topic_weight, "propensity": qrels.propensity}
    return _table(
        str(qrels),
        len(qrels),
        {name: [column.one(row) for row in first] for name, column in ids.items() if column is not None},
        {name: values for name, values in numbers.items() if values is not None},
    )


def _table(caption: str, rows: int, ids: Mapping[str, list[Any]], numbers: Mapping[str, np.ndarray]) -> Table:
    cells, columns = list(ids.values()), [Column(name) for name in ids]
    for name, values in numbers.items():
        few = values[:FIRST].astype(np.float64)
        whole = bool(np.isin(few % 1, 0).all())
        columns.append(Column(name, "count" if whole else "value"))
        cells.append([int(value) if whole else float(value) for value in few])
    notes = [f"the first {FIRST} of {rows:,} rows"] if rows > FIRST else []
    return Table(columns, [*zip(*cells, strict=True)], caption=caption, notes=notes)


class Run:
    """The ranked lists of one system: for each query its items in order.

    Parameters
    ----------
    query, item
        Ids of equal length, all text or all integers.
    score
        Higher is better. Give it, or ``rank``, or both (then the rank decides and contradictions are counted), or
        neither (then the order of rows is the order of the list).
    rank
        The rank of each item, 1 for the first. An item at rank 3 counts as the third, also if no other is above it, unless
        ``Policy(ranks="closed")`` says that only the order matters; then any numbers will do.
    name
        What to call the run in tables and messages.
    rank_base
        The rank of a first item, 0 or 1; by default the run shows it, by having a rank of 0 or none.
    columns
        Columns that only some metrics need: ``part`` of its query's answer that a row belongs to, with None for an item where a part
        lists nothing; ``support`` of a cited item, None where it is not judged; ``size`` of an item.

    Raises
    ------
    DataError
        For columns of unequal length, mixed id types, or a score or rank that is not a number.

    Examples
    --------
    >>> run = Run(query=["1", "1", "2"], item=["a", "b", "a"], score=[2.0, 1.5, 0.3])
    >>> run
    Run 'run': 3 rows
    >>> run.queries
    ['1', '2']
    """

    source = ""
    words: Mapping[str, str] = NO_WORDS
    files: tuple[Any, ...] = ()
    matrix: Matrix | None = None
    unread: tuple[UnreadColumn, ...] = ()
    counts: Mapping[str, int] = NO_COUNTS

    def __init__(
        self,
        query: IdColumn,
        item: IdColumn,
        score: Iterable[float] | np.ndarray | None = None,
        rank: Iterable[float] | np.ndarray | None = None,
        *,
        name: str = "run",
        place: Place | None = None,
        rank_base: Literal[0, 1] | None = None,
        **columns: Any,
    ) -> None:
        at = RowOf(plain("name", name, str)) if place is None else place
        if columns and (strange := columns.keys() - {*EXTRA}):
            wrong = min(strange)
            raise UsageError(
                f"Run has no argument {wrong}=; further columns are {one_of(EXTRA)}.{nearest(wrong, EXTRA)}"
            )
        self.name = name
        rows = Columns.of(query, item, score, rank, name=name, place=at, rank_base=rank_base, **columns)
        self.rows: Rows = rows.owned()

    @classmethod
    def of_rows(cls, rows: Rows, name: str) -> Run:
        """Return a run over rows from a reader."""
        run = cls.__new__(cls)
        run.name, run.rows = name, rows
        return run

    def with_rank_base(self, base: Literal[0, 1]) -> Run:
        """Return the same run, with a first item of rank 0 or 1; UsageError if it has no ranks."""
        table = self.rows.table()
        if not table.by_rank or table.by_place:
            raise UsageError(f"{self.name}: the run has no ranks; leave out rank_base=.")
        rows = table.held(self.name)
        rows.place, rows.rank_base = table.place, base
        run = Run.of_rows(rows, self.name)
        run.source, run.files, run.words, run.unread = self.source, self.files, self.words, self.unread
        run.counts = self.counts
        return run

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the rows themselves, as the file or table that they come from may not be there later."""
        rows = self.rows.table().held(self.name)
        return {
            "name": self.name,
            "rows": rows,
            "source": self.source,
            "matrix": self.matrix,
            "words": dict(self.words),
            "unread": self.unread,
            "counts": dict(self.counts),
        }

    @property
    def queries(self) -> list[str] | list[int]:
        """The queries of the run, in order of first appearance."""
        return self.rows.table().queries.tolist()

    def __len__(self) -> int:
        rows = self.rows
        # what is not in memory is counted batch by batch, and not held
        return len(rows) if isinstance(rows, Sized) else sum(make().rows for make in rows.batches(COUNTED))

    def __repr__(self) -> str:
        return f"Run {self.name!r}: {len(self):,} rows"

    def _repr_html_(self) -> str:
        return run_preview(self)._repr_html_()


class Qrels:
    """The judgements: the judged items of each query, and their grades.

    Parameters
    ----------
    query, item
        Ids of equal length, all text or all integers.
    grade
        The relevance; None means interactions: every row is a 1, and the result says so.
    topic
        The topic (aspect, genre, subtopic) that a judgement is about; None if there are none.
    subgroup
        For preferences: the part of a topic's judgements within which grades are compared; None if they all are.
    topic_weight
        The weight of a row's topic for its query, the same in all rows of the two; None if all are equal.
    propensity
        The probability, above 0 and at most 1, that a judgement was observed, for metrics that weight by it.
    imputed
        Other than 0 if the grade was imputed (``rankwell.prepare.impute``) and not given by a user; such rows are counted.
    assessor
        Who judged: text such as ``"human"`` or ``"model:gpt-4o,date=2025-03-01"``, or an ``Assessor``; None if it is not known.
    name
        What to call the qrels in messages.

    Raises
    ------
    DataError
        For columns of unequal length, mixed id types, a grade that is not a number, a weight below 0, or an invalid
        propensity.

    Examples
    --------
    >>> Qrels(query=["1", "1"], item=["a", "b"], grade=[1, 0])
    Qrels 'qrels': 2 rows
    """

    source = ""
    words: Mapping[str, str] = NO_WORDS
    files: tuple[Any, ...] = ()
    matrix: Matrix | None = None
    unread: tuple[UnreadColumn, ...] = ()
    assessor: Assessor | None = None
    counts: Mapping[str, int] = NO_COUNTS  # what was left out where they were made

    def __init__(
        self,
        query: IdColumn | IdStretches,
        item: IdColumn,
        grade: Iterable[float] | np.ndarray | None = None,
        topic: IdColumn | None = None,
        *,
        subgroup: IdColumn | None = None,
        topic_weight: Iterable[float] | np.ndarray | None = None,
        propensity: Iterable[float] | np.ndarray | None = None,
        imputed: Iterable[float] | np.ndarray | None = None,
        assessor: Assessor | str | None = None,
        name: str = "qrels",
        place: Place | None = None,
    ) -> None:
        self.name = name
        self.assessor = None if assessor is None else Assessor.of(assessor)
        self.place = RowOf(name) if place is None else place
        self.by_query = query if isinstance(query, IdStretches) else ids_of(query, "query")
        self.item = ids_of(item, "item")
        self.grade = None if grade is None else _grades(grade, self.place)
        self.topic = None if topic is None else ids_of(topic, "topic")
        self.subgroup = None if subgroup is None else ids_of(subgroup, "subgroup")
        if self.subgroup is not None and self.topic is None:
            raise DataError(f"{name}: subgroups are parts of a topic's judgements; give topic too.")
        self.topic_weight = None if topic_weight is None else _weights(topic_weight, self.place)
        if self.topic_weight is not None and self.topic is None:
            raise DataError(f"{name}: topic_weight is the weight of a topic; give topic too.")
        self.propensity = None if propensity is None else _chances(propensity, self.place)
        self.imputed = None if imputed is None else freeze(numbers_of(imputed, "imputed", self.place) != 0)
        columns = {"item": len(self.item)}
        optional = (
            ("grade", self.grade),
            ("topic", self.topic),
            ("subgroup", self.subgroup),
            ("topic_weight", self.topic_weight),
            ("propensity", self.propensity),
            ("imputed", self.imputed),
        )
        columns |= {word: len(x) for word, x in optional if x is not None}
        same_length(len(self.by_query), columns, name)

    @cached_property
    def query(self) -> Ids:
        """The query of each row; ``by_query`` may hold it as stretches of rows, which take less memory."""
        return self.by_query.column() if isinstance(self.by_query, IdStretches) else self.by_query

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the columns, without the files that they come from."""
        columns = {name: value for name, value in vars(self).items() if name != "files"}
        return columns | {"place": store_place(self.place, self.name)}

    def __setstate__(self, columns: dict[str, Any]) -> None:
        """Unpickle the columns, which cannot be written to then either."""
        self.__dict__.update(freeze_all(columns))

    def by(self, assessor: Assessor | str) -> Qrels:
        """Return the same judgements, with the assessor who made them."""
        other = Qrels.__new__(Qrels)
        vars(other).update(vars(self))
        other.assessor = Assessor.of(assessor)
        return other

    def __len__(self) -> int:
        return len(self.by_query)

    def __repr__(self) -> str:
        who = "" if self.assessor is None else f", judged by {self.assessor}"
        return f"Qrels {self.name!r}: {len(self):,} rows{who}"

    def _repr_html_(self) -> str:
        return qrels_preview(self)._repr_html_()


def ids_of(column: IdColumn, what: str) -> Ids:
    """Return a column of ids that no one else can change; ids that are there already cannot be changed."""
    return column if isinstance(column, Ids) else Ids.of_column(column, what).owned()


def _grades(values: Iterable[float] | np.ndarray, place: Place) -> np.ndarray:
    """Return grades; DataError names the first that is infinite or no number."""
    grades = numbers_of(values, "grade", place).astype(np.float64)
    if len(grades) and np.isinf([grades.min(), grades.max()]).any():
        row = int(np.flatnonzero(np.isinf(grades))[0])
        raise DataError(f"{place(row)}: the grade is infinite. Remove the row or fix the grade.")
    return freeze(grades)


def _weights(values: Iterable[float] | np.ndarray, place: Place) -> np.ndarray:
    """Return topic weights; DataError names the first that is below 0 or infinite."""
    weights = numbers_of(values, "topic_weight", place).astype(np.float64)
    wrong = np.flatnonzero(~((weights >= 0) & np.isfinite(weights)))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"{place(row)}: the topic_weight is {weights[row]:g}; it must be a finite number of at least 0."
        )
    return freeze(weights)


def _chances(values: Iterable[float] | np.ndarray, place: Place) -> np.ndarray:
    """Return propensities; DataError names the first that is not above 0 and at most 1."""
    chances = numbers_of(values, "propensity", place).astype(np.float64)
    wrong = np.flatnonzero(~((chances > 0) & (chances <= 1)))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            f"{place(row)}: the propensity is {chances[row]:g}; it must be above 0 and at most 1."
        )
    return freeze(chances)
