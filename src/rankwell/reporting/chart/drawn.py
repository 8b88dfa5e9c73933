"""What pictures share: Altair, and which of many systems are in colour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from typing import Any, ParamSpec

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.records import record
from rankwell.reporting.chart.texts import shortened
from rankwell.reporting.chart.theme import MOST_COLOURS
from rankwell.tables.arguments import as_list

P = ParamSpec("P")
FEW = 3  # systems that are in colour when there are too many for all


def altair() -> Any:
    """Return Altair; UsageError says how to install it."""
    try:
        import altair as alt
    except ImportError as error:
        raise UsageError("pictures are drawn by Altair: pip install 'rankwell[report]'.") from error
    return alt


def drawing(draw: Callable[P, Any]) -> Callable[P, Any]:
    """Return a function that draws without Altair checking each part as it is made, which took most of the time.

    A chart is checked against the schema of Vega-Lite as a whole when it is shown or saved.
    """

    @wraps(draw)
    def drawn(*args: P.args, **options: P.kwargs) -> Any:
        altair()
        from altair.utils.schemapi import debug_mode

        with debug_mode(False):
            return draw(*args, **options)

    return drawn


def data(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return a chart of plain rows, without a mark yet; layers of the same rows share them in the specification."""
    return altair().Chart(_shared_rows()(values=[dict(row) for row in rows]))


@cache
def _shared_rows() -> Any:
    """The class of rows that charts share: Altair copies all rows of a chart whenever something is added to it."""

    class Rows(altair().InlineData):  # type: ignore[misc] # Altair is imported when it is needed
        def __deepcopy__(self, _: Any) -> Any:
            return self

    return Rows


def told(rows: Iterable[Mapping[str, Any]], **forms: Callable[[Any], str]) -> list[dict[str, Any]]:
    """Return rows with some fields also as text for people, ``FIELD_text``: what is tiny does not read as 0 there.

    >>> told([{"share": 0.5}], share=lambda value: f"{value:g}")
    [{'share': 0.5, 'share_text': '0.5'}]
    """
    return [{**row, **{f"{field}_text": form(row[field]) for field, form in forms.items()}} for row in rows]


def percent_axis(**more: Any) -> Any:
    """Return an axis of shares, labelled as ``percent`` writes them."""
    alt = altair()
    return alt.Axis(labelExpr="format(100 * datum.value, '~g') + ' %'", **more)


@record
class Drawn:
    """The systems of a picture by the names that are drawn; ``bright`` are those in colour, best first."""

    names: Mapping[str, str]
    bright: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str], highlight: Iterable[str] | str | None, best: Sequence[str]) -> Drawn:
        """Return which systems are in colour: those asked for, else all, else (there are too many) the best ones.

        Raises
        ------
        UsageError
            If a system to highlight is none, or they are more than colours.

        Examples
        --------
        >>> Drawn.of(["a", "b"], None, ["b", "a"]).bright, Drawn.of(["a", "b"], "a", ["b", "a"]).bright
        (('b', 'a'), ('a',))
        """
        wanted = as_list("highlight", highlight)
        for name in wanted:
            if not isinstance(name, str) or name not in names:
                raise UsageError(f"highlight={brief(name)}: must be {_some(names)}.{nearest(name, names)}")
        if len(wanted) > MOST_COLOURS:
            raise UsageError(f"highlight= names {len(wanted)} systems; at most {MOST_COLOURS} have a colour.")
        if not wanted:
            wanted = list(best) if len(best) <= MOST_COLOURS else list(best[:FEW])
        chosen = [name for name in best if name in wanted]
        return cls(shortened(names), tuple(chosen))

    @property
    def are_all(self) -> bool:
        """Whether every system is in colour."""
        return len(self.bright) == len(self.names)

    def scale(self) -> Any:
        """Return the scale of colours: a system has the same in every picture that has all in colour."""
        alt = altair()
        order = [name for name in self.names if name in self.bright]
        return alt.Scale(domain=[self.names[name] for name in order])

    def colour(self, title: str | None = None, symbol: str = "stroke") -> Any:
        """Return the channel of colours by ``system``; with a title there is a legend, best first, of more than one system."""
        alt = altair()
        best = [self.names[name] for name in self.bright]
        has_legend = title is not None and len(self.names) > 1
        legend = (
            alt.Legend(title=title, values=best, symbolType=symbol, symbolOpacity=1) if has_legend else None
        )
        return alt.Color("system:N", scale=self.scale(), legend=legend)


def _some(names: Sequence[str]) -> str:
    shown = [brief(name) for name in names[:5]]
    return one_of(shown) if len(names) <= 5 else f"{', '.join(shown)} or another of {len(names):,}"
