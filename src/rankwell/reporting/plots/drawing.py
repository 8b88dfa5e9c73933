"""What pictures have in common: Altair, rows as data, names that fit, and numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from rankwell.display.page import Words
from rankwell.display.table import Column, count, number
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric

HEAD, TAIL = 28, 15  # characters of a long name that are shown
LEAST = 1e-9  # a p-value is never shown as 0
NAME = Column("name")


def altair() -> ModuleType:
    """Return Altair.

    Raises
    ------
    UsageError
        If it is not installed.
    """
    try:
        import altair as alt
    except ImportError as error:
        raise UsageError("pictures are drawn by Altair: pip install 'rankwell[report]'.") from error
    return alt


def data(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return rows as data of a chart."""
    return altair().Data(values=[dict(row) for row in rows])


def label_of(name: object) -> str:
    r"""Return a name as it stands in a picture: invisible characters written out, the middle of a long one left out.

    >>> label_of("bm25\n"), len(label_of("x" * 10_000))
    ('bm25\\n', 44)
    """
    return _short(NAME.shown(_short(str(name))))  # what is written out is longer


def _short(text: str) -> str:
    return text if len(text) <= HEAD + TAIL + 1 else f"{text[:HEAD]}…{text[-TAIL:]}"


def labels_of(names: Iterable[str]) -> dict[str, str]:
    """Return the label of each name; no two are the same.

    >>> labels_of(["a" * 100, "a" * 101])["a" * 101][-5:]
    'a (2)'
    """
    found: dict[str, str] = {}
    used: set[str] = set()
    for name in names:
        label = short = label_of(name)
        copies = 1
        while label in used:
            copies += 1
            label = f"{short} ({copies})"
        used.add(label)
        found[name] = label
    return found


def plain(value: float) -> float | None:
    """Return a number as JSON can hold it; undefined is None."""
    return None if math.isnan(value) else float(value)


def with_interval(mean: float, low: float, high: float) -> str:
    """Return an estimate with its interval as text, without one if there is none.

    >>> with_interval(0.02, 0.01, 0.03), with_interval(0.02, math.nan, math.nan)
    ('0.0200 [0.0100, 0.0300]', '0.0200')
    """
    return number(mean) if math.isnan(low) else f"{number(mean)} [{number(low)}, {number(high)}]"


def p_text(p: float) -> str:
    """Return a p-value as text.

    >>> p_text(0.0), p_text(0.03), p_text(math.nan)
    ('<0.0001', '0.0300', '–')
    """
    return number(p if math.isnan(p) else max(p, LEAST))


def axis_title(metric: Metric, words: Words) -> str:
    """Return the title of an axis of a metric's values, with its direction."""
    return beside(str(metric), words(f"page.{metric.better}"))


def beside(text: str, remark: str) -> str:
    """Return a text with a remark in brackets, if there is one."""
    return f"{text} ({remark})" if remark else text


def queries_text(numbers: Iterable[int], words: Words) -> str:
    """Return how many queries there are: a number, or the least and the most."""
    known = list(numbers) or [0]
    least, most = min(known), max(known)
    if least == most:
        return words("page.queries", n=most)
    return words("plots.compared.from_to", least=count(least), most=count(most))


def p_equation(p: float) -> str:
    """Return a p-value as a statement.

    >>> p_equation(0.03), p_equation(0.0)
    ('p = 0.0300', 'p < 0.0001')
    """
    text = p_text(p)
    return f"p {text[0]} {text[1:]}" if text[0] in "<>" else f"p = {text}"


def lines(*texts: str) -> Sequence[str]:
    """Return the lines of a subtitle that say something."""
    return [text for text in texts if text]
