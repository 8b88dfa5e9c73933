"""Agreement: what ``agreement`` found, as tables and plain values."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankwell.comparison.agreement.orders import How, Leaderboards

if TYPE_CHECKING:
    from rankwell.display.table import Table

SCHEMA = 1


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """How far leaderboards agree; made by ``agreement``."""

    leaderboards: tuple[Leaderboards, ...]
    how: How
    resamples: int
    seed: int

    def to_tables(self) -> list[Table]:
        """Return the tables: coefficients, and the pairs of systems that swap."""
        from rankwell.comparison.agreement.order_tables import coefficients, swaps

        pairs = swaps(self)
        return [coefficients(self), *([pairs] if pairs.rows else [])] if self.leaderboards else []

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        how = {**vars(self.how), "resamples": self.resamples, "seed": self.seed}
        boards = [_plain(vars(each)) for each in self.leaderboards]
        return {"schema": SCHEMA, "how": how, "leaderboards": boards}

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)

    def __repr__(self) -> str:
        return "\n\n".join(table.to_text() for table in self.to_tables())

    def _repr_html_(self) -> str:
        return "\n".join(table.to_html() for table in self.to_tables())


def _plain(value: Any) -> Any:
    """A value with named tuples as dicts, tuples as lists, and NaN as None."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(word): _plain(each) for word, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
