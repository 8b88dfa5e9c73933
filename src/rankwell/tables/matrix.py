"""Matrix: what the matrix of a run or of judgements holds, by which item numbers are told from labels."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError

PAD = -1


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
