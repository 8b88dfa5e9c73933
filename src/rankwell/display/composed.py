"""English text made from a template, which it keeps, so that a page in another language can fill in its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self


class Composed(str):
    """A text that keeps the template and the fields it was made from; fields may be such texts themselves.

    Examples
    --------
    >>> text = Composed("{n:,} rows of {name}", n=2000, name="bm25")
    >>> text
    '2,000 rows of bm25'
    >>> text.template, text.fields["n"]
    ('{n:,} rows of {name}', 2000)
    """

    __slots__ = ("fields", "template")

    template: str
    fields: Mapping[str, Any]

    def __new__(cls, template: str, /, **fields: Any) -> Self:
        """Fill the fields into the template, as ``str.format`` does."""
        text = super().__new__(cls, template.format(**fields))
        text.template, text.fields = template, fields
        return text

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        # for copies and pickles
        return (self.template,), dict(self.fields)
