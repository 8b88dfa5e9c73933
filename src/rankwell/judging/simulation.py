"""Simulation: how soon the order of runs is right, by method; a table, a frame, a file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict

from rankwell.display.html import in_notebook
from rankwell.display.saved_files import Kind, ensure, ensure_counts
from rankwell.display.table import Column, Table
from rankwell.display.table_files import WRITERS
from rankwell.judging.saving import save_as, suffix_of

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".json", *WRITERS)
KIND = "rankwell simulation of judging"


class Spent(NamedTuple):
    """The state after some judgements: τ_AP with the true order, √ of the mean squared error of the means, the share found.

    ``tau_ap`` and ``error`` are NaN while no judged item is relevant, ``queries`` is how many have a judgement.
    """

    method: str
    judgements: int
    tau_ap: float
    error: float
    found: float
    queries: int


class Left(NamedTuple):
    """A run that took no part in choosing: its mean and its rank, beside the true ones.

    ``bias`` is the change of its mean less the mean change of the runs that took part.
    """

    method: str
    judgements: int
    system: str
    value: float
    true_value: float
    bias: float
    rank: int
    true_rank: int


class SpentRow(TypedDict):
    """``Spent`` in a file."""

    method: str
    judgements: int
    tau_ap: float | None
    error: float | None
    found: float | None
    queries: int


class LeftRow(TypedDict):
    """``Left`` in a file."""

    method: str
    judgements: int
    system: str
    value: float | None
    true_value: float | None
    bias: float | None
    rank: int
    true_rank: int


class SavedSimulation(TypedDict):
    """What ``to_dict`` writes."""

    systems: list[str]
    metric: str
    rest: str
    candidates: int
    idle: NotRequired[list[str]]
    rows: list[SpentRow]
    left_out: list[LeftRow]


FILE = Kind(
    SavedSimulation,
    "simulation of judging",
    "give the file that simulate saved as .json",
    "simulate again",
    ("kind", KIND),
)


@dataclass(frozen=True, repr=False)
class Simulation:
    """What judging in the order of each method gives; made by ``simulate``. ``idle`` methods asked for nothing."""

    rows: tuple[Spent, ...]
    left_out: tuple[Left, ...]
    systems: tuple[str, ...]
    metric: str
    rest: str
    candidates: int
    idle: tuple[str, ...] = ()

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order in which they were given."""
        return tuple(dict.fromkeys(row.method for row in self.rows))

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per method and number of judgements."""
        import polars as pl

        kinds: dict[str, Any] = {"method": pl.String, "judgements": pl.Int64, "queries": pl.Int64}
        schema = {name: kinds.get(name, pl.Float64) for name in Spent._fields}
        return pl.DataFrame([row._asdict() for row in self.rows], schema=schema).fill_nan(None)

    def to_tables(self) -> list[Table]:
        """Return a table of the orders by method, and one of the runs that were left out."""
        columns = [Column("method"), Column("judgements", "count"), Column("τ_AP", "value", better="higher")]
        columns += [Column("error", "value", better="lower"), Column("relevant found", "value", digits=2)]
        columns += [Column("queries", "count")]
        rest = (
            "items that are not judged are never asked for"
            if self.rest == "skip"
            else "items without a judgement are not relevant"
        )
        notes = [
            f"metric: {self.metric}; {self.candidates:,} items can be asked for: {rest}",
            "τ_AP: of the order of the runs with that under all judgements; error: √ of the mean squared difference of their means",
            *(
                f"{method} asks for nothing: no judgement can change the order of these runs"
                for method in self.idle
            ),
        ]
        caption = f"Order of {len(self.systems)} runs by judgements spent"
        tables = [Table(columns, self.rows, caption=caption, notes=notes)]
        return [*tables, self._table_of_left()] if self.left_out else tables

    def _table_of_left(self) -> Table:
        """The means over the runs that were left out."""
        groups: dict[tuple[str, int], list[Left]] = {}
        for row in self.left_out:
            groups.setdefault((row.method, row.judgements), []).append(row)
        rows = [
            (
                *key,
                len(own),
                _mean(row.bias for row in own),
                _mean(abs(row.rank - row.true_rank) for row in own),
            )
            for key, own in groups.items()
        ]
        columns = [Column("method"), Column("judgements", "count"), Column("runs left out", "count")]
        columns += [Column("bias", "value"), Column("ranks off", "value", digits=2)]
        notes = [
            "bias: how much more the mean of a run that took no part in choosing falls than those of the runs that did",
            "ranks off: how far it is from its rank under all judgements; rw.pool_bias shows the same for judgements as they are",
        ]
        return Table(columns, rows, caption="Runs that took no part in choosing", notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        words = "systems", "metric", "rest", "candidates", "idle"
        return {
            "kind": KIND,
            **{word: getattr(self, word) for word in words},
            "rows": [_plain(row) for row in self.rows],
            "left_out": [_plain(row) for row in self.left_out],
        }

    def to_json(self) -> str:
        """Return everything as JSON, which ``load`` reads."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write everything to ``.json``, or the rows to a table (``.csv``, ``.parquet`` …), by the suffix.

        Raises
        ------
        RankwellError
            If the suffix is of no format, or the file cannot be written.
        """
        save_as(self, path, refuse_suffix(path))

    @classmethod
    def load(cls, path: str | Path) -> Simulation:
        """Return the simulation that was saved as JSON.

        Raises
        ------
        RankwellError
            If the file cannot be read, or holds something else.
        """
        found = FILE.read(path)
        with FILE.checking(path):
            rows = tuple(Spent(**_numbers(row)) for row in found["rows"])
            left = tuple(Left(**_numbers(row)) for row in found["left_out"])
            ensure_counts({"candidates": found["candidates"]}, "")
            for row in [*found["rows"], *found["left_out"]]:
                ensure_counts({word: n for word, n in row.items() if isinstance(n, int)}, "rows")
            ensure(found["rest"] in ("skip", "nonrelevant"), "rest", "it is neither skip nor nonrelevant")
            systems, idle = tuple(found["systems"]), tuple(found.get("idle", ()))
            return cls(rows, left, systems, found["metric"], found["rest"], found["candidates"], idle)

    def __repr__(self) -> str:
        return "\n\n".join(table.to_text() for table in self.to_tables())

    def _repr_html_(self) -> str:
        return in_notebook(self.to_tables())


def refuse_suffix(path: str | Path) -> str:
    """Return the suffix of a file name; UsageError if it is that of no format of simulations."""
    return suffix_of(path, "simulations", SUFFIXES)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed)


def _plain(row: Spent | Left) -> dict[str, Any]:
    return {
        word: None if isinstance(value, float) and math.isnan(value) else value
        for word, value in row._asdict().items()
    }


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as it was, with NaN for None."""
    return {word: math.nan if value is None else value for word, value in row.items()}
