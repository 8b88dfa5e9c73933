"""Lists as programs print them into a cell of text: ['a', 'b'], ["a"], [1 2 3]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwell.errors import DataError, brief

if TYPE_CHECKING:
    import polars as pl

    from rankwell.tables.series import Place

QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""


BLANKS = r"[,\s]+"


def no_list(place: str, cell: str) -> DataError:
    """Return the error of a cell that a program printed in another way."""
    return DataError(
        f"{place}: {brief(cell)} is no list of ids such as ['a', 'b'] or [1 2 3]. Where it was shortened when it was printed (...), "
        f"has another form, or holds lists or escapes, write it again, such as by ' '.join(ids)."
    )


def read_printed(text: pl.Series, place: Place, *, by: str = BLANKS) -> pl.Series:
    """Return the lists of cells in brackets, with or without quotation marks; without these, ``by`` stands between the members.

    DataError for a list that was shortened when it was printed, or holds lists or escapes.
    """
    import polars as pl

    inner = text.str.strip_prefix("[").str.strip_suffix("]")
    is_quoted = inner.str.contains(r"['\"]")
    rest = inner.str.replace_all(QUOTED, "")
    wrong = ~(text.str.starts_with("[") & text.str.ends_with("]"))
    # between quoted ids stand commas and blanks, and nothing else
    wrong |= is_quoted & ~rest.str.contains(r"^[,\s]*$")
    # three dots are what NumPy and pandas print in place of the rest
    wrong |= inner.str.contains(r"(^|[\s,])\.\.\.([\s,]|$)") | inner.str.contains(r"[\[\]\\]")
    if by == BLANKS:
        wrong |= ~is_quoted & inner.str.contains(";", literal=True) & ~inner.str.contains(",", literal=True)
    if wrong.fill_null(value=False).any():
        row = int(wrong.arg_max() or 0)
        raise no_list(place(row), text[row])
    quoted = inner.str.extract_all(QUOTED).list.eval(
        pl.element().str.slice(1, pl.element().str.len_chars() - 2)
    )
    plain = inner.str.replace_all(by, "\0").str.split("\0").list.eval(pl.element().str.strip_chars())
    plain = plain.list.eval(pl.element().filter(pl.element() != ""))
    return pl.select(pl.when(is_quoted).then(quoted).otherwise(plain).alias(text.name)).to_series()
