"""How ``-``, standard input, is written among the arguments of a command."""

from __future__ import annotations

from collections.abc import Sequence

STDIN = "<stdin>"


def with_standard_input(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``-`` written as a name, because the parser takes it for an option; after -o it is standard output's."""
    before = ["", *arguments]
    return [
        STDIN if each == "-" and last not in ("-o", "--output") else each
        for last, each in zip(before, arguments, strict=False)
    ]
