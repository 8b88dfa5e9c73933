"""merge: the judgements of several sheets as one grade per pair, and how far each judge agrees with themselves and with the result."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np

from rankwell.display.output import write
from rankwell.display.result import TEXTS, Result
from rankwell.display.table import Column, Table
from rankwell.display.text import plain_row
from rankwell.errors import DataError, UsageError, brief
from rankwell.readers.frames.sheets import read_sheet
from rankwell.records import record
from rankwell.statistics.agreement import cohen, share_agreed
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Ids
from rankwell.tables.lists import offsets_of
from rankwell.tables.run_qrels import Qrels

if TYPE_CHECKING:
    import polars as pl
    from scipy.sparse import csr_array


How = Literal["max", "majority", "dawid-skene"]
CLOSE = 1e-6  # probabilities that are as good as equal


@checked
def merge(sheet: str | Path, /, *sheets: str | Path, how: How = "majority") -> Merged:
    r"""Return one grade per pair of query and item from what several judges exported.

    Parameters
    ----------
    sheet, sheets
        CSV files that judging sheets exported. A judge may have several; of a pair that one judge judged twice, other than as a repeat,
        the latest judgement counts.
    how
        ``max``, the highest grade; ``majority``, the most frequent, ties to the lowest; or ``dawid-skene``, the most probable under a model
        in which each judge errs in a way of their own (EM, Dawid and Skene 1979), to which repeats are further judgements. Other
        rules leave repeats out.

    Returns
    -------
    Merged
        ``found.qrels()`` are the judgements, ``found.save("merged.txt")`` writes them; ``found.judges`` says how far each judge agrees with
        themselves, by their repeats, and with the result.

    Raises
    ------
    RankwellError
        If a file cannot be read, is no exported sheet, has a grade that is no number or beyond ±2^53, or there is no judgement.

    Notes
    -----
    How far judges agree with each other is what ``agreement`` says of the same files.

    Examples
    --------
    >>> import pathlib, tempfile, rankwell as rw
    >>> folder, head = pathlib.Path(tempfile.mkdtemp()), "query,item,grade,judge,time,order,is_repeat,comment"
    >>> for judge, a, b, again in ("Ann", 2, 0, 2), ("Bo", 1, 0, 0), ("Cy", 2, 1, 2):
    ...     rows = [f"1,a,{a},{judge},,1,false,", f"1,b,{b},{judge},,2,false,", f"1,a,{again},{judge},,3,true,"]
    ...     _ = (folder / f"{judge}.csv").write_text("\n".join([head, *rows]))
    >>> found = rw.judging.merge(*sorted(folder.glob("*.csv")))
    >>> found.to_frame().select("item", "grade").rows()
    [('a', 2), ('b', 0)]
    >>> [(judge.name, judge.self_agreement) for judge in found.judges]
    [('Ann', 1.0), ('Bo', 0.0), ('Cy', 1.0)]
    """
    paths = [os.fspath(each) for each in (sheet, *sheets)]
    if twice := [path for path in paths if paths.count(path) > 1]:
        raise UsageError(f"{twice[0]} is given twice.")
    return merge_grades(GivenGrades.of([read_sheet(path) for path in paths]), how)


def merge_grades(judgements: GivenGrades, how: How) -> Merged:
    """Return one grade per pair of judgements."""
    votes = judgements.votes()
    model: JudgeModel | None = None
    if how == "dawid-skene":
        model = dawid_skene(
            judgements.pair, judgements.judge, judgements.grade, grades=len(judgements.grades)
        )
        # 1 for each grade that is as good as the best one, to count what is tied
        support = np.where(model.posterior >= model.posterior.max(axis=1, keepdims=True) - CLOSE, 1, 0)
    elif how == "majority":
        support = votes == votes.max(axis=1, keepdims=True)
    else:
        # argmax finds the first vote from above; on the reversed columns that is the highest grade
        highest = votes.shape[1] - 1 - (votes[:, ::-1] > 0).argmax(axis=1)
        support = np.arange(votes.shape[1]) == highest[:, None]
    chosen = support.argmax(axis=1)  # of tied grades the lowest
    return Merged(
        how=how,
        pairs=tuple(judgements.pairs),
        grade=judgements.grades[chosen],
        judged_by=votes.sum(axis=1),
        probability=None if model is None else model.posterior[np.arange(len(chosen)), chosen],
        judges=_rate_judges(judgements, chosen),
        grades=judgements.grades,
        disputed=int(((votes > 0).sum(axis=1) > 1).sum()),
        tied=int((support.sum(axis=1) > 1).sum()),
        judged_again=judgements.judged_again,
        model=model,
    )


def _rate_judges(judgements: GivenGrades, chosen: np.ndarray) -> tuple[Judge, ...]:
    tables = judgements.own_tables()
    repeats = tables.sum(axis=(1, 2)).astype(np.int64)
    judges: list[Any] = []
    for at, name in enumerate(judgements.judges):
        own = (judgements.judge == at) & ~judgements.is_repeat
        same = float((judgements.grade[own] == chosen[judgements.pair[own]]).mean())
        exact, kappa = float(share_agreed(tables[at])), float(cohen(tables[at]))
        judges.append(Judge(name, int(own.sum()), int(repeats[at]), exact, kappa, same))
    return tuple(judges)


TREC = ".txt", ".qrels"
RULES = {
    "max": "the highest grade that a judge gave",
    "majority": "the grade that most judges gave, of those with as many votes the lowest",
    "dawid-skene": "the most probable grade (Dawid and Skene 1979): judges weigh as much as their confusion matrices tell",
}


class Judge(NamedTuple):
    """A judge: pairs judged, pairs judged again; the share of these with the same grade and Cohen's κ; the share as merged."""

    name: str
    judged: int
    repeats: int
    self_agreement: float
    self_kappa: float
    as_merged: float


@dataclass(frozen=True, eq=False, repr=False)
class Merged(Result):
    """One grade per pair; made by ``merge``. ``probability`` is that of the grade, None without a model."""

    _plural: ClassVar[str] = "judgements"
    _texts: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(TREC, ""),
        **TEXTS,
    }  # what TREC cannot hold is named with the file

    how: str
    pairs: tuple[tuple[str, str], ...]
    grade: np.ndarray
    judged_by: np.ndarray
    probability: np.ndarray | None
    judges: tuple[Judge, ...]
    grades: np.ndarray
    disputed: int
    tied: int
    judged_again: int
    model: JudgeModel | None

    def __len__(self) -> int:
        return len(self.pairs)

    def qrels(self) -> Qrels:
        """Return the judgements for ``evaluate`` and all others."""
        queries, items = zip(*self.pairs, strict=True)
        return Qrels(list(queries), list(items), self.grade, name="merged")

    def to_frame(self) -> pl.DataFrame:
        """Return a frame: query, item, grade, judges (how many judged it), and probability with a model."""
        import polars as pl

        queries, items = zip(*self.pairs, strict=True)
        columns = {
            "query": list(queries),
            "item": list(items),
            "grade": self._numbers(),
            "judges": self.judged_by,
        }
        return pl.DataFrame(columns | ({} if self.probability is None else {"probability": self.probability}))

    def _numbers(self) -> np.ndarray:
        whole = (self.grade == np.round(self.grade)).all()
        return self.grade.astype(np.int64) if whole else self.grade

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; None for what is undefined."""
        plain = {
            "how": self.how,
            "disputed": self.disputed,
            "tied": self.tied,
            "judged_again": self.judged_again,
            "judges": [plain_row(judge) for judge in self.judges],
            "items": self.to_frame().to_dicts(),
        }
        if self.model is None:
            return plain
        confusion = {
            judge.name: [[None if np.isnan(cell) else float(cell) for cell in row] for row in table]
            for judge, table in zip(self.judges, self.model.confusion, strict=True)
        }
        shares = self.model.shares.tolist()
        model = {"grades": self.grades.tolist(), "shares": shares, "confusion": confusion}
        model |= {"log_likelihood": self.model.log_likelihood, "steps": self.model.steps}
        return {**plain, "model": {**model, "has_converged": self.model.has_converged}}

    def save(self, path: str | Path) -> None:
        """Write TREC qrels (``.txt``, ``.qrels``), a table (``.csv``, ``.parquet`` …), or everything (``.json``), by the suffix.

        Raises
        ------
        RankwellError
            If the suffix is of no format, TREC qrels cannot hold an id, or the file cannot be written.
        """
        if self.suffix_of(path) in TREC:
            write(self._trec(path), str(path))
        else:
            super().save(path)

    def _trec(self, path: str | Path) -> str:
        for name in (word for pair in self.pairs for word in pair):
            if len(name.split()) != 1 or name.split()[0] != name:
                raise DataError(
                    f"{path}: TREC qrels cannot hold the id {brief(name)}, which has spaces; write .csv."
                )
        rows = zip(self.pairs, self._numbers().tolist(), strict=True)
        return "".join(f"{query} 0 {item} {grade}\n" for (query, item), grade in rows)

    def notes(self) -> list[str]:
        """Return the rule, and what it met, as sentences."""
        notes = [f"{self.how}: {RULES[self.how]}"]
        if len(self.judges) > 1:
            shared = int((self.judged_by > 1).sum())
            notes.append(f"{shared:,} pairs have several judges, who differ on {self.disputed:,}")
        if self.tied:
            notes.append(f"{self.tied:,} pairs are tied, and have the lowest of the tied grades")
        if self.judged_again:
            notes.append(
                f"{self.judged_again:,} times a judge judged a pair again, not as a repeat: the latest counts"
            )
        if self.model is not None:
            end = (
                ""
                if self.model.has_converged
                else ", which is not converged: take the probabilities with care"
            )
            notes.append(
                f"EM ended after {self.model.steps:,} steps, log-likelihood {self.model.log_likelihood:.2f}{end}"
            )
            if len(self.judges) < 3:
                notes.append("a model of fewer than 3 judges cannot tell who errs; take majority")
        return notes

    def to_table(self) -> Table:
        """Return a table of the judges."""
        columns = [Column("judge"), Column("judged", "count"), Column("repeats", "count")]
        columns += [Column(name, "value") for name in ("self-agreement", "self κ", "as merged")]
        caption = f"{len(self):,} pairs by {len(self.judges):,} judge{'s' * (len(self.judges) > 1)}"
        return Table(
            columns,
            [tuple(plain_row(judge).values()) for judge in self.judges],
            caption=caption,
            notes=self.notes(),
        )

    def tables(self) -> list[Table]:
        """Return the judges, and with a model the confusion matrix of each, with a row per true grade."""
        tables = [self.to_table()]
        if self.model is not None:
            names = [f"{grade:g}" for grade in self.grades]
            tables += [
                Table(
                    [
                        Column("true grade"),
                        Column("share", "value"),
                        *(Column(f"gives {name}", "value") for name in names),
                    ],
                    [
                        (name, float(share), *(None if np.isnan(cell) else float(cell) for cell in row))
                        for name, share, row in zip(names, self.model.shares, table, strict=True)
                    ],
                    caption=f"What {judge.name} gives, estimated",
                )
                for judge, table in zip(self.judges, self.model.confusion, strict=True)
            ]
        return tables


T = TypeVar("T")
KEY = "query", "item", "judge"


@record(eq=False)
class GivenGrades:
    """A row per judgement: the numbers of its pair, judge and grade, and whether it is a repeat.

    ``judged_again`` counts first judgements that a later one of the same judge replaces.
    """

    pairs: Sequence[tuple[str, str]]
    judges: Sequence[str]
    grades: np.ndarray
    pair: np.ndarray
    judge: np.ndarray
    grade: np.ndarray
    is_repeat: np.ndarray
    judged_again: int

    @classmethod
    def of(cls, tables: Sequence[pl.DataFrame]) -> GivenGrades:
        """Return the judgements of several sheets; of one judge the latest of each pair counts, and rows that are there twice once.

        A repeat whose first judgement is not there, because it was skipped, is a first one.

        Raises
        ------
        DataError
            If there are none.
        """
        import polars as pl

        # a judge exports again and again, and each file holds all that the one before held
        rows = pl.concat(tables).unique(
            [*KEY, "grade", "time", "order", "is_repeat"], keep="last", maintain_order=True
        )
        if not len(rows):
            raise DataError("the sheets hold no judgement; nothing was graded before they were exported.")
        has_first = (~pl.col("is_repeat")).any().over(KEY)
        rows = rows.with_columns(pl.col("is_repeat") & has_first).with_row_index("row")
        own = [*KEY, "is_repeat"]
        latest = rows.sort("time", maintain_order=True).unique(own, keep="last", maintain_order=True)
        firsts = [int((~table["is_repeat"]).sum()) for table in (rows, latest)]
        rows = latest.sort("row")  # as the sheets have them
        pairs, pair = _number(list(zip(rows["query"].to_list(), rows["item"].to_list(), strict=True)))
        judges, judge = _number(rows["judge"].to_list())
        grades, grade = np.unique(rows["grade"].to_numpy(), return_inverse=True)
        return cls(
            pairs, judges, grades, pair, judge, grade, rows["is_repeat"].to_numpy(), firsts[0] - firsts[1]
        )

    def votes(self) -> np.ndarray:
        """Return how many judges gave each grade first, for each pair (pairs × grades)."""
        votes = np.zeros((len(self.pairs), len(self.grades)), np.int64)
        first = ~self.is_repeat
        np.add.at(votes, (self.pair[first], self.grade[first]), 1)
        return votes

    def own_tables(self) -> np.ndarray:
        """Return a table per judge of the grades at first (rows) and again (columns)."""
        count = len(self.grades)
        tables = np.zeros((len(self.judges), count, count))
        first = {
            (pair, judge): grade
            for pair, judge, grade in zip(
                *(column[~self.is_repeat].tolist() for column in (self.pair, self.judge, self.grade)),
                strict=True,
            )
        }
        again = zip(
            *(column[self.is_repeat].tolist() for column in (self.pair, self.judge, self.grade)), strict=True
        )
        for pair, judge, grade in again:
            if (pair, judge) in first:
                tables[judge, first[pair, judge], grade] += 1
        return tables


def _number(values: Sequence[T]) -> tuple[list[T], np.ndarray]:
    """The distinct values as they come, and the number of each."""
    numbers = {value: at for at, value in enumerate(dict.fromkeys(values))}
    return list(numbers), np.array([numbers[value] for value in values], np.int64)


MOST_STEPS = 10_000
SETTLED = 1e-9  # the largest change of a probability at which EM ends


class JudgeModel(NamedTuple):
    """What EM found: ``posterior`` (units × grades), ``shares`` of grades, and ``confusion`` (judges × true × given).

    A row of a confusion matrix is NaN for a grade that no unit of that judge can have.
    """

    posterior: np.ndarray
    shares: np.ndarray
    confusion: np.ndarray
    log_likelihood: float
    steps: int
    has_converged: bool


def dawid_skene(
    unit: np.ndarray,
    judge: np.ndarray,
    grade: np.ndarray,
    *,
    grades: int,
    most_steps: int = MOST_STEPS,
    close: float = SETTLED,
) -> JudgeModel:
    """Return the maximum-likelihood estimate that EM reaches from the shares of the grades given to each unit.

    ``unit``, ``judge`` and ``grade`` are numbers, one of each per judgement, counted from 0; a judge may judge a unit several times. With
    the confusion π_kjl (judge k gives l where the truth is j) and the shares p_j: T_ij ∝ p_j Π π_kjl over the judgements of unit i,
    π_kjl ∝ Σ T_ij over the judgements l of judge k, p_j = mean of T_ij. There is no prior: a judge of few units is fitted closely.

    Source: A. P. Dawid and A. M. Skene, Applied Statistics 28(1), 1979, equations 2.3 to 2.5 and 3.1.

    Raises
    ------
    DataError
        If there is no judgement.

    Examples
    --------
    >>> unit, judge = np.repeat(np.arange(6), 3), np.tile(np.arange(3), 6)
    >>> grade = np.array([0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1])
    >>> found = dawid_skene(unit, judge, grade, grades=2)
    >>> found.posterior.argmax(axis=1).tolist(), found.confusion[2].round(2).tolist()
    ([0, 0, 0, 1, 1, 1], [[0.33, 0.67], [0.33, 0.67]])
    """
    if not len(unit):
        raise DataError("there is no judgement to estimate grades from.")
    kinds = _Given.of(unit, judge, grade, grades)
    # EM begins at the shares of votes, where no judge is better than another
    posterior = kinds.counts @ np.tile(np.eye(grades), (kinds.judges, 1))
    posterior /= posterior.sum(axis=1, keepdims=True)
    shares, confusion = kinds.maximised(posterior)
    steps, change = 0, np.inf
    # by the parameters and not the likelihood, which is flat long before they stand still
    while change >= close and steps < most_steps:
        steps += 1
        posterior, likelihood = kinds.expected(shares, confusion)
        before = shares, confusion
        shares, confusion = kinds.maximised(posterior)
        changes = [np.abs(new - old) for new, old in zip((shares, confusion), before, strict=True)]
        change = max(float(np.nanmax(column)) for column in changes)
    return JudgeModel(
        posterior[kinds.alike], shares, confusion, likelihood, steps, has_converged=change < close
    )


@record(eq=False)
class _Given:
    """What judges gave, by kinds of units: units with the same judgements are of one kind, as they always have the same probabilities.

    ``counts`` (kinds × judges · grades) says how often, ``units`` how many units are of each kind, ``alike`` which kind each unit is of.
    """

    counts: csr_array
    units: np.ndarray
    alike: np.ndarray
    judges: int

    @classmethod
    def of(cls, unit: np.ndarray, judge: np.ndarray, grade: np.ndarray, grades: int) -> _Given:
        """Return the judgements, one row each."""
        from scipy.sparse import csr_array

        # a judge and a grade in one number, 32 bits, of which a unit is the sorted list
        cell = (judge * grades + grade).astype(np.int32)
        rows = np.lexsort((cell, unit))
        ends = offsets_of(np.bincount(unit))
        # units with the same cells are of one kind; grouping their bytes as ids compares all of them
        kinds = Ids.of_spans(cell[rows].view(np.uint8), 4 * ends[:-1], (4 * np.diff(ends)).astype(np.int32))
        alike, firsts = kinds.group()
        judges = int(judge.max()) + 1
        shape = len(ends) - 1, judges * grades
        counts = csr_array((np.ones(len(cell)), cell[rows], ends), shape=shape)[firsts]
        return cls(counts, np.bincount(alike), alike, judges)

    def maximised(self, posterior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The shares of the grades and the confusion of each judge, from the probabilities of each kind of unit."""
        grades = posterior.shape[1]
        weighted = posterior * self.units[:, None]
        # π_kjl: judge, given grade, true grade from the product; swapped into judge, true, given
        counts = (self.counts.T @ weighted).reshape(self.judges, grades, grades).swapaxes(1, 2)
        with np.errstate(invalid="ignore", divide="ignore"):
            return weighted.sum(axis=0) / len(self.alike), counts / counts.sum(axis=2, keepdims=True)

    def expected(self, shares: np.ndarray, confusion: np.ndarray) -> tuple[np.ndarray, float]:
        """The probabilities of the grades of each kind of unit, in logarithms, since products of many judgements underflow."""
        with np.errstate(divide="ignore"):
            # a chance of 0 becomes −∞ and rules a grade out; NaN, of grades that the judge's units cannot have, does the
            # same
            logs = np.log(np.nan_to_num(confusion)).swapaxes(1, 2).reshape(-1, len(shares))
            whole = self.counts @ logs + np.log(shares)
        most = whole.max(axis=1, keepdims=True)
        chances = np.exp(whole - most)
        total = chances.sum(axis=1, keepdims=True)
        return chances / total, float(self.units @ (most + np.log(total))[:, 0])
