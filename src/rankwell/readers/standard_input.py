"""How ``-``, standard input, is written among the arguments of a command; and what a file that is open already is told by."""

from __future__ import annotations

from collections.abc import Sequence

STDIN = "<stdin>"


class Opened:
    """The base of ``files.File``: where no file is read, no module that reads files is loaded to ask whether something is one."""


def with_standard_input(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``-`` written as a name, because the parser takes it for an option; after -o it is standard output's."""
    before = ["", *arguments]
    return [
        STDIN if each == "-" and last not in ("-o", "--output") else each
        for last, each in zip(before, arguments, strict=False)
    ]
