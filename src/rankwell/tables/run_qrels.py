"""Run and Qrels: validated tables of ranked lists and of judgements, and who judged; Matrix, by which item numbers are told from labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sized
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from rankwell.display.table import Column, Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.kernels import sums
from rankwell.records import SetOnce, cached_property, record
from rankwell.tables.arguments import plain
from rankwell.tables.columns import EXTRA, UnreadColumn
from rankwell.tables.ids import Digest, IdColumn, Ids
from rankwell.tables.lists import owners
from rankwell.tables.rows import Columns, IdStretches, Rows
from rankwell.tables.series import (
    Place,
    RowOf,
    freeze,
    freeze_all,
    numbers_of,
    refuse_other_index,
    same_length,
    store_place,
)

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
PAD = -1


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
    has_pads = False  # whether the number that fills up lists is none of its items

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
        given = {"query": query, "item": item, "score": score, "rank": rank, **columns}
        refuse_other_index(name, given.items())
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
        run.counts, run.has_pads = self.counts, self.has_pads
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
            "has_pads": self.has_pads,
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
        given = {"query": query, "item": item, "grade": grade, "topic": topic, "propensity": propensity}
        refuse_other_index(name, given.items())
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

    @property
    def digest(self) -> Digest:
        """What identifies the judgements, in any order of the rows: query, item and grade, 1 if there is none; the digests of parts add up."""
        grade = np.broadcast_to(1.0, len(self)) if self.grade is None else self.grade
        return Digest.of_judgements(self.query, np.arange(len(self) + 1), self.item, grade)

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
    _, infinite = sums.undefined(grades)
    if infinite >= 0:
        raise DataError(f"{place(infinite)}: the grade is infinite. Remove the row or fix the grade.")
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


class Matrix(NamedTuple):
    """A dense matrix with a row per query.

    It holds ``scores`` or ``grades`` of all items, the ``lists`` of a run (item numbers, best first), or ``whole`` numbers that
    are item numbers or labels. ``twice`` is the first row with a number that stands in it twice, so that it is no list of items,
    None if there is none; ``is_full`` says that each row has all numbers from 0 to its width, ``highest`` is the highest number.
    """

    name: str
    holds: Literal["scores", "grades", "lists", "whole"]
    shape: tuple[int, int]
    twice: int | None = None
    is_full: bool = False
    highest: int = PAD
    is_whole: bool = False  # scores that are whole numbers, none twice in a row, as item numbers are

    @classmethod
    def of_whole(cls, numbers: np.ndarray, name: str, holds: Literal["lists", "whole"]) -> Matrix:
        """Return what is known of a matrix of whole numbers."""
        rows, width = numbers.shape
        ordered = np.sort(numbers, axis=1)
        again = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != PAD)).any(axis=1)
        return cls(
            name,
            holds,
            (rows, width),
            twice=int(again.argmax()) if again.any() else None,
            is_full=bool((ordered == np.arange(width)).all()),
            highest=int(numbers.max(initial=PAD)),
        )

    @property
    def is_labels(self) -> bool:
        """Whether these judgements hold a grade of each item, and no item numbers."""
        return self.holds == "grades" or (self.holds == "whole" and self.twice is not None)

    @property
    def size(self) -> str:
        """The shape as text."""
        return f"{self.shape[0]:,} × {self.shape[1]:,}"


def are_whole(scores: np.ndarray) -> bool:
    """Whether scores of all items look like item numbers: the first rows hold whole numbers, none of them twice."""
    few = np.asarray(np.ma.filled(scores[:64], np.nan), np.float64)
    ordered = np.sort(few, axis=1)
    return bool(
        few.size
        and ((few == np.floor(few)) & (few >= PAD)).all()
        and (ordered[:, 1:] != ordered[:, :-1]).all()
    )


def refuse_rows(run: Matrix | None, qrels: Matrix | None) -> None:
    """Raise DataError if run and judgements, which both number their queries by rows, have different numbers of them."""
    if run is not None and qrels is not None and run.shape[0] != qrels.shape[0]:
        raise DataError(
            f"{run.name} has {run.shape[0]:,} rows, one for each query, but {qrels.name} has {qrels.shape[0]:,}. Leave queries out by "
            f"dicts, {{query: items}}, or give both the same rows."
        )


def refuse_item_numbers(run: Matrix, judged: np.ndarray) -> None:
    """Raise UsageError if what was read as scores of all items looks like item numbers, and judged items are no columns."""
    outside = judged[judged >= run.shape[1]]
    if len(outside):
        raise UsageError(
            f"{run.name}: floats are the scores of items 0 to {run.shape[1] - 1}, but these are whole numbers, none twice in a row, and item "
            f"{outside[0]} is judged. If they are item numbers, best first: matrix.astype(int)."
        )


def refuse_mismatch(run: Matrix | None, qrels: Matrix | None) -> None:
    """Raise an error if a matrix of judgements and that of a run do not fit, or if it is in doubt what one of them holds.

    Raises
    ------
    DataError
        If both hold all items, but are of different shapes, or one of them can be nothing that fits the other.
    UsageError
        If whole numbers can be item numbers as well as labels or scores.
    """
    if qrels is None:
        return
    scores = run is not None and run.holds == "scores"
    is_alike = run is not None and run.shape == qrels.shape
    if qrels.holds == "whole" and qrels.twice is not None and not (scores and is_alike):
        other_side = "the run is no matrix" if run is None else f"the matrix of the run is {run.size}"
        raise DataError(
            f"{qrels.name}, row {qrels.twice}: a number stands in it twice, so these are no item numbers; labels have the "
            f"shape of the scores, but they are {qrels.size} and {other_side}{_of_lists(run)}. If they are labels of all items, "
            f"write labels=, or labels.astype(float)."
        )
    if run is None:
        return
    if qrels.is_labels:
        _refuse_labels(run, qrels, is_alike=is_alike)
    elif is_alike and (scores or (run.holds == "lists" and qrels.is_full)):
        raise UsageError(
            f"{qrels.name}: whole numbers in the shape of the {run.holds} ({run.size}), none twice in a row, can be the labels "
            f"of all items or the numbers of liked items. For labels write labels=, or labels.astype(float); for item "
            f"numbers dict(enumerate(numbers.tolist()))."
        )


def _refuse_labels(run: Matrix, qrels: Matrix, *, is_alike: bool) -> None:
    if run.holds == "scores" and not is_alike:
        raise DataError(
            f"{qrels.name}: labels have the shape of the scores, a row per query and a column per item, but they are "
            f"{qrels.size} and the scores {run.size}."
        )
    if run.holds != "lists":
        return
    says = "If they are scores, write scores.astype(float); if they are item numbers, dict(enumerate(numbers.tolist()))."
    if run.highest >= qrels.shape[1]:
        raise DataError(
            f"{run.name}: whole numbers are item numbers, best first, but {run.highest} is no column of the labels "
            f"({qrels.size}). {says}"
        )
    if is_alike and (run.is_full or run.twice is not None):
        raise UsageError(
            f"{run.name}: whole numbers in the shape of the labels ({qrels.size}) can be scores of all items or item numbers, "
            f"best first. {says}"
        )


def refuse_labels(log: Matrix | None) -> None:
    """Raise UsageError if a log of interactions is a matrix of all items, whose zeros would count as interactions."""
    if log is not None and log.is_labels:
        raise UsageError(
            f"{log.name}: a matrix with a number for each item ({log.size}) does not say which of them are interactions; give "
            f"scipy.sparse.csr_array(matrix), or the item numbers of each row, padded with {PAD}."
        )


def _of_lists(run: Matrix | None) -> str:
    return (
        ""
        if run is None or run.holds == "scores"
        else ", of item numbers (for scores write scores.astype(float))"
    )
