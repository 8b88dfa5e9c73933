"""Merged: one grade per pair from several judges, and how far each judge agrees with themselves and with the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rankwell.display.output import write
from rankwell.display.result import TEXTS, Result
from rankwell.display.table import Column, Table
from rankwell.errors import DataError, brief
from rankwell.judging.merging.dawid_skene import Estimated
from rankwell.tables.run_qrels import Qrels

if TYPE_CHECKING:
    import polars as pl

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
    model: Estimated | None

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
        found = {
            "how": self.how,
            "disputed": self.disputed,
            "tied": self.tied,
            "judged_again": self.judged_again,
            "judges": [_plain(judge._asdict()) for judge in self.judges],
            "items": self.to_frame().to_dicts(),
        }
        if self.model is None:
            return found
        confusion = {
            judge.name: [[None if np.isnan(cell) else float(cell) for cell in row] for row in table]
            for judge, table in zip(self.judges, self.model.confusion, strict=True)
        }
        shares = self.model.shares.tolist()
        model = {"grades": self.grades.tolist(), "shares": shares, "confusion": confusion}
        model |= {"log_likelihood": self.model.log_likelihood, "steps": self.model.steps}
        return {**found, "model": {**model, "has_converged": self.model.has_converged}}

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
        for each in (word for pair in self.pairs for word in pair):
            if len(each.split()) != 1 or each.split()[0] != each:
                raise DataError(
                    f"{path}: TREC qrels cannot hold the id {brief(each)}, which has spaces; write .csv."
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
        return Table(columns, [_defined(judge) for judge in self.judges], caption=caption, notes=self.notes())

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


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: None if isinstance(value, float) and np.isnan(value) else value for key, value in values.items()
    }


def _defined(judge: Judge) -> tuple[Any, ...]:
    return tuple(_plain(judge._asdict()).values())
