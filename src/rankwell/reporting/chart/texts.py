"""Texts in a picture: names, shares, estimates and p-values as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from rankwell.comparison.compare.comparison import Comparison
from rankwell.display.page import PageStrings
from rankwell.display.table import count, number, visible
from rankwell.display.text import UNDEFINED
from rankwell.errors import UsageError
from rankwell.metrics.metric import Metric
from rankwell.readers.texts import Texts, texts_of_items

LONGEST = 40  # characters of a name in a picture
LEAST = 1e-9  # a p-value is never shown as 0


def shorten(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """Return each name as it is drawn: control characters written out, long ones cut, and still distinct.

    >>> list(shorten(["bm25", "x" * 50, "x" * 60], 5).values())
    ['bm25', 'xxxx…', 'xxxx… (2)']
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        text = short = cut(name, longest)
        nth = 1
        while text in taken:
            nth += 1
            text = f"{short} ({nth})"
        taken.add(text)
        found[name] = text
    return found


def cut(text: str, longest: int = LONGEST) -> str:
    """Return the beginning of a text, on one line, as a picture can show it."""
    # a text may be a whole document: only its beginning is looked at, with room for white space that goes
    start = visible(" ".join(text[: 4 * longest].split()))
    return start if len(start) <= longest else f"{start[: longest - 1]}…"


def brief_name(name: str, longest: int = LONGEST) -> str:
    """A system's name as a sentence has it: control characters are shown, and a long name is cut between characters.

    >>> brief_name("bm25"), brief_name("x" * 100, 9), brief_name("ab\u202ecd", 8)
    ('bm25', 'xxxxxxxx…', 'ab…')
    """
    if len(shown := visible(name)) <= longest:
        return shown
    cut = name[: longest - 1]
    while len(visible(cut)) >= longest:
        cut = cut[:-1]
    return f"{visible(cut)}…"


def shown_id(own: str | int) -> str | int:
    """Return the id of a query or an item as a picture can show it: numbers as they are, text cut.

    >>> shown_id(7), shown_id("q7")
    (7, 'q7')
    """
    return cut(own) if isinstance(own, str) else own


def percent(share: float | None, digits: int | None = None) -> str:
    """Return a share for people; what is not 0 or 1 never reads as if it were. Small ones have a digit more by default.

    >>> percent(0.5), percent(0.0267), percent(1e-9), percent(1.0), percent(0.9999), percent(float("nan"))
    ('50 %', '2.7 %', '<0.1 %', '100 %', '>99 %', '–')
    >>> percent(0.12345, 2), percent(1e-9, 2), percent(0.99999, 2)
    ('12.35 %', '<0.01 %', '>99.99 %')
    """
    if share is None or math.isnan(share):
        return UNDEFINED
    if digits is None:
        digits = 1 if 0 < share < 0.0995 else 0
    text, step = f"{100 * share:.{digits}f}", 10.0**-digits
    if share not in (0, 1) and float(text) in (0, 100):
        text = f"<{step:g}" if float(text) == 0 else f">{100 - step:g}"
    return f"{text} %"


def exact(share: float | None) -> str:
    """Return a share with two digits more, for who points at it."""
    return percent(share, 2)


def titles_of(items: Any, names: Any = None, text: str | None = None) -> Texts | None:
    """Return the titles of items, from a table of names or from the catalogue; None if that has none.

    Raises
    ------
    UsageError
        If a table of names has no titles, or a column is named without a table or is not there.
    """
    texts = texts_of_items(items if names is None else names, text, None)
    if texts is None and names is not None:
        raise UsageError("names= has no column of titles; text= names it.")
    return texts


def with_interval(mean: float, low: float, high: float) -> str:
    """Return an estimate with its interval as text, without one if there is none.

    >>> with_interval(0.02, 0.01, 0.03), with_interval(0.02, math.nan, math.nan)
    ('0.0200 [0.0100, 0.0300]', '0.0200')
    """
    return number(mean) if math.isnan(low) else f"{number(mean)} [{number(low)}, {number(high)}]"


def shown_interval(
    low: float, high: float, metric: Metric, *, of_difference: bool = False
) -> tuple[float, float] | tuple[None, None]:
    """Return an interval if it says something: not where it is undefined, has no end, or holds everything that is possible.

    >>> from rankwell.metrics import metric_of
    >>> shown_interval(0.1, 0.4, metric_of("rr")), shown_interval(0.0, 1.0, metric_of("rr"))
    ((0.1, 0.4), (None, None))
    """
    lowest, highest = metric.range
    everything = (lowest - highest, highest - lowest) if of_difference else (lowest, highest)
    says = math.isfinite(low) and math.isfinite(high) and (low > everything[0] or high < everything[1])
    return (low, high) if says else (None, None)


def level_of(comparison: Comparison | None) -> str:
    """Return how many percent the intervals of means hold; those of results are 95 % intervals."""
    return "95" if comparison is None else f"{comparison.methods.level * 100:g}"


def p_text(p: float) -> str:
    """Return a p-value as text.

    >>> p_text(0.0), p_text(0.03), p_text(math.nan)
    ('<0.0001', '0.0300', '–')
    """
    return number(p if math.isnan(p) else max(p, LEAST))


def axis_title(metric: Metric, words: PageStrings) -> str:
    """Return the title of an axis of a metric's values, with its direction."""
    return beside(str(metric), words(f"page.{metric.better}"))


def beside(text: str, remark: str) -> str:
    """Return a text with a remark in brackets, if there is one."""
    return f"{text} ({remark})" if remark else text


def queries_text(numbers: Iterable[int], words: PageStrings) -> str:
    """Return how many queries there are: a number, or the least and the most."""
    counts = list(numbers) or [0]
    least, most = min(counts), max(counts)
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


def subtitle_lines(*texts: str) -> Sequence[str]:
    """Return the lines of a subtitle that say something."""
    return [text for text in texts if text]
