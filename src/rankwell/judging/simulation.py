"""Simulation: how soon the order of runs is right, by method; a table, a frame, a file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NotRequired, TypedDict

from rankwell.display.result import Saved
from rankwell.display.saved_files import Kind, ensure, ensure_counts
from rankwell.display.table import Column, Table

if TYPE_CHECKING:
    import polars as pl

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
class Simulation(Saved):
    """What judging in the order of each method gives; made by ``simulate``. ``idle`` methods asked for nothing."""

    _plural: ClassVar[str] = "simulations"
    _file: ClassVar[Kind[Any]] = FILE

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

    def tables(self) -> list[Table]:
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

    @classmethod
    def _of_file(cls, content: SavedSimulation, path: str | Path) -> Simulation:  # noqa: ARG003 - nothing names the file
        rows = tuple(Spent(**_numbers(row)) for row in content["rows"])
        left = tuple(Left(**_numbers(row)) for row in content["left_out"])
        ensure_counts({"candidates": content["candidates"]}, "")
        for row in [*content["rows"], *content["left_out"]]:
            ensure_counts({word: n for word, n in row.items() if isinstance(n, int)}, "rows")
        ensure(content["rest"] in ("skip", "nonrelevant"), "rest", "it is neither skip nor nonrelevant")
        systems, idle = tuple(content["systems"]), tuple(content.get("idle", ()))
        return cls(rows, left, systems, content["metric"], content["rest"], content["candidates"], idle)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        words = "systems", "metric", "rest", "candidates", "idle"
        return {
            "kind": KIND,
            **{word: getattr(self, word) for word in words},
            "rows": [_plain(row) for row in self.rows],
            "left_out": [_plain(row) for row in self.left_out],
        }


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
