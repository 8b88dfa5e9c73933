"""Agreement: what ``agreement`` found, as tables and plain values."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankwell.comparison.agreement.circular import Circular
from rankwell.comparison.agreement.judgements import Joint, Judgements, Measures
from rankwell.comparison.agreement.orders import Coefficients, How, Leaderboards
from rankwell.display.html import in_notebook
from rankwell.tables.run_qrels import Assessor

if TYPE_CHECKING:
    import polars as pl

    from rankwell.display.table import Table

SCHEMA = 1


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """How far judgements agree, each two of them and (``joint``, from three on) all; and leaderboards; made by ``agreement``.

    ``assessors`` are those who made the judgements, ``circular`` systems that may be favoured by a judge of their own kind.
    """

    judgements: tuple[Judgements, ...]
    joint: Joint | None
    leaderboards: tuple[Leaderboards, ...]
    assessors: Mapping[str, Assessor | None]
    circular: tuple[Circular, ...]
    how: How
    resamples: int
    seed: int

    def to_tables(self) -> list[Table]:
        """Return the tables: measures and grades of each two judgements, coefficients of leaderboards, the pairs that swap."""
        from rankwell.comparison.agreement.judgement_tables import confusion, joint, measures
        from rankwell.comparison.agreement.order_tables import coefficients, swaps

        tables = [table for each in self.judgements for table in (measures(self, each), confusion(each))]
        tables += [] if self.joint is None else [joint(self, self.joint)]
        tables += [coefficients(self), swaps(self)] if self.leaderboards else []
        return [table for table in tables if table.rows]

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per measure of each two judgements and coefficient of each two leaderboards.

        Its columns are first, second, n (pairs of query and item, or systems), measure, value, low and high.
        """
        import polars as pl

        own: list[tuple[str, str, int, Measures | Coefficients]] = [
            (each.first, each.second, each.n, each.measures) for each in self.judgements
        ]
        own += [(each.first, each.second, len(each.systems), each.whole) for each in self.leaderboards]
        rows = [
            (first, second, n, name, *value)
            for first, second, n, values in own
            for name, value in values._asdict().items()
        ]
        columns = ["first", "second", "n", "measure", "value", "low", "high"]
        return pl.DataFrame(rows, schema=columns, orient="row").fill_nan(None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        how = {**vars(self.how), "resamples": self.resamples, "seed": self.seed}
        return {
            "schema": SCHEMA,
            "how": how,
            "assessors": {
                name: None if each is None else vars(each) for name, each in self.assessors.items()
            },
            "circular": _plain(self.circular),
            "judgements": [_plain(vars(each)) for each in self.judgements],
            "joint": _plain(self.joint),
            "leaderboards": [_plain(vars(each)) for each in self.leaderboards],
        }

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)

    def __repr__(self) -> str:
        return "\n\n".join(table.to_text() for table in self.to_tables())

    def _repr_html_(self) -> str:
        return in_notebook(self.to_tables())


def _plain(value: Any) -> Any:
    """A value with named tuples as dicts, tuples as lists, and NaN as None."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(word): _plain(each) for word, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
