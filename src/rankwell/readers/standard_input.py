"""What commands and readers know before any reader is loaded: the name of standard input, and the base of open files."""

from __future__ import annotations

from collections.abc import Sequence

STDIN = "<stdin>"


class OpenFile:
    """The base of ``readers.bytes.files.File``: ``isinstance`` finds an open file without importing the modules that read files."""


def with_standard_input(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``-`` written as a name, because the parser takes it for an option; after -o it is standard output's."""
    before = ["", *arguments]
    return [
        STDIN if argument == "-" and last not in ("-o", "--output") else argument
        for last, argument in zip(before, arguments, strict=False)
    ]
