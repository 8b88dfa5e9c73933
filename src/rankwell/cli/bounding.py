"""Options about bounds under unjudged items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from rankwell.cli.option import UNJUDGED, Option
from rankwell.cli.words import split
from rankwell.errors import UsageError, brief
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.evaluation.plan import BoundsWanted


@record(kw_only=True)
class Bounding:
    """How far judging unjudged items could move the values."""

    GROUP: ClassVar = UNJUDGED

    bounds: Annotated[
        bool,
        Option(help="also the lowest and the highest value over all grades that unjudged items could get"),
    ] = False
    pool: Annotated[
        list[str] | None,
        Option(
            help="the items that may be relevant beside those of a list, without which recall, AP and nDCG have no lowest value: "
            "those of the runs down to a depth (``100``, or ``all``), or of one more run (a file); repeat it"
        ),
    ] = None
    scale: Annotated[
        str | None,
        Option(
            help="the highest grade that an item could get, or all grades (``0,1,3``); default: the highest grade judged"
        ),
    ] = None

    def given(self, weights: str | None) -> dict[str, Any]:
        """What ``report`` takes, by name; UsageError for options that do not go together."""
        wanted = self.wanted({}, weights=weights)
        named = {"bounds": wanted.bounds or None, "pool": wanted.pool, "scale": wanted.scale}
        return {name: value for name, value in named.items() if value is not None}

    def wanted(self, read: Mapping[str, Any], *, weights: str | None = None) -> BoundsWanted:
        """What evaluators take; UsageError for options that do not go together."""
        from rankwell.evaluation.plan import BoundsWanted

        if not self.bounds:
            for name, value in (("--pool", self.pool), ("--scale", self.scale)):
                if value is not None:
                    raise UsageError(f"{name} is about bounds: give --bounds too.")
        elif weights is not None:
            raise UsageError("--bounds cannot be combined with --weights.")
        pool = None if self.pool is None else [int(part) if part.isdecimal() else part for part in self.pool]
        return BoundsWanted(self.bounds, pool, self._grades(), read)

    def _grades(self) -> float | list[float] | None:
        if self.scale is None:
            return None
        try:
            grades = [float(word) for word in split(self.scale)]
        except ValueError:
            grades = []
        if not grades:
            raise UsageError(
                f"--scale {brief(self.scale)}: give the highest grade of the scale, such as 3, or all grades, such as 0,1,3."
            )
        return grades[0] if len(grades) == 1 else grades

    @property
    def files(self) -> list[str]:
        """The files that were given."""
        return [part for part in self.pool or () if part != "all" and not part.isdecimal()]
