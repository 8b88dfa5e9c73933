"""Numbers, and what is said beside them, as people read them in a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rankwell.comparison.comparison import Comparison
from rankwell.display.page import Words
from rankwell.display.table import count, number
from rankwell.metrics.metric import Metric

LEAST = 1e-9  # a p-value is never shown as 0


def with_interval(mean: float, low: float, high: float) -> str:
    """Return an estimate with its interval as text, without one if there is none.

    >>> with_interval(0.02, 0.01, 0.03), with_interval(0.02, math.nan, math.nan)
    ('0.0200 [0.0100, 0.0300]', '0.0200')
    """
    return number(mean) if math.isnan(low) else f"{number(mean)} [{number(low)}, {number(high)}]"


def level_of(comparison: Comparison | None) -> str:
    """Return how many percent the intervals of means hold; those of results are 95 % intervals."""
    return "95" if comparison is None else f"{comparison.methods.level * 100:g}"


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
