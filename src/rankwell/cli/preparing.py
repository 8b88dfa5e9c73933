"""The commands ``prepare …``: each reads tables, calls one step, writes its tables and prints its report."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from rankwell import __version__
from rankwell.cli.application import app
from rankwell.cli.words import pairs
from rankwell.display.output import refuse_overwriting, width, write
from rankwell.errors import InputError, UsageError
from rankwell.readers.standard_input import STDIN

if TYPE_CHECKING:
    import polars as pl

    from rankwell.prepare import Report

prepare = App(
    name="prepare",
    help="Make the data of a recommender ready, with a report: popularity, split, folds, core, check, tiers, impute, baselines.",
    help_format="rst",
)
app.command(prepare)

Format = Annotated[
    Literal["table", "json", "markdown", "html"], Parameter(name="--format", help="how the report is printed")
]
File = Annotated[
    str | None,
    Parameter(
        name=["--output", "-o"],
        help="the file for the table, such as ``new.csv`` or ``new.parquet``; without it there is only the report",
    ),
]
Folder = Annotated[
    str | None,
    Parameter(name=["--output", "-o"], help="the folder for the tables; without it there is only the report"),
]
Suffix = Annotated[
    str | None,
    Parameter(
        help="the format of the tables in the folder: ``csv``, ``parquet`` …; default that of the input"
    ),
]
Columns = Annotated[
    list[str] | None,
    Parameter(
        negative="", help="which column is which, if its name does not tell: ``userNo=query,film=item``"
    ),
]
Seed = Annotated[int, Parameter(help="of what is drawn at random")]
Keep = Literal["keep", "drop"]
PLAIN = 120  # the width of a report that goes to no terminal


class Output:
    """Where tables and reports of one command go; what cannot be written there is refused before the work."""

    def __init__(
        self,
        inputs: Sequence[str | None],
        path: str | None,
        tables: Sequence[str] = (),
        suffix: str | None = None,
    ) -> None:
        given = [each for each in inputs if each is not None]
        if given.count(STDIN) > 1:
            raise UsageError("standard input can be read only once; name a file for the others.")
        self._inputs, self._path = given, path
        self._suffix = _suffix_of(given, suffix)
        if path is None:
            return
        if not tables:
            self._check(path)
            return
        try:
            Path(path).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path}: cannot be made a folder ({error.strerror}).") from error
        for name in tables:
            self._check(self._in_folder(name))

    def _check(self, path: str) -> None:
        from rankwell.prepare.saving import refuse_format

        refuse_format(path)
        refuse_overwriting(path, [each for each in self._inputs if each != STDIN])

    def _in_folder(self, name: str) -> str:
        return str(Path(self._path or "", name if Path(name).suffix else f"{name}{self._suffix}"))

    def table(self, table: pl.DataFrame) -> None:
        """Write the one table of a command."""
        if self._path is not None:
            self._save(table, self._path)

    def tables(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Write several tables into the folder."""
        if self._path is not None:
            for name, table in tables.items():
                self._save(table, self._in_folder(name))

    @staticmethod
    def _save(table: pl.DataFrame, path: str) -> None:
        from rankwell.prepare.saving import save

        save(table, path)
        sys.stderr.write(f"rankwell: wrote {path} ({len(table):,} rows)\n")


def _suffix_of(inputs: Sequence[str], suffix: str | None) -> str:
    from rankwell.prepare.saving import WRITERS

    if suffix is not None:
        return f".{suffix.removeprefix('.')}"
    ends = [Path(each).suffix.lower() for each in inputs]
    return next((end for end in ends if end in WRITERS), ".csv")


def show(reports: Sequence[Report], format: str) -> None:  # noqa: A002 - the word of the option
    """Print reports."""
    if format == "json":
        told = {"rankwell": __version__, "reports": [each.to_dict() for each in reports]}
        write(json.dumps(told, ensure_ascii=False, indent=2, allow_nan=False), None)
        return
    texts = {
        "table": lambda each: each.to_text(width() or PLAIN),
        "markdown": lambda each: each.to_markdown(),
        "html": lambda each: each.to_html(),
    }
    write("\n\n".join(texts[format](each) for each in reports), None)


def named(columns: Sequence[str] | None) -> dict[str, str]:
    """Return the columns that are named."""
    return pairs(columns, "--columns")
