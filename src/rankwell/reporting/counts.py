"""What the counts of results are called in the language of a page."""

from __future__ import annotations

from rankwell.display.page import Words

OF = "{of}"  # stands for a column or a metric in the names of some counts


def label_of(what: str, words: Words) -> str:
    """Return what a count is called; a count that only a user's metric has keeps its name.

    Examples
    --------
    >>> from rankwell.display.page import words_of
    >>> label_of("judged queries", words_of("ko")), label_of("rows without colour", words_of("ko"))
    ('판정된 질의', 'colour 값이 없는 행')
    """
    texts = words.of("report.counts")
    if what in texts:
        return texts[what]
    for name, text in texts.items():
        start, field, end = name.partition(OF)
        if field and what.startswith(start) and what.endswith(end):
            return text.format(of=what.removeprefix(start).removesuffix(end))
    return what
