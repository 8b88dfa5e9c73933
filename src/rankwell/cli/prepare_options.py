"""The options that the commands ``prepare …`` share, and where their tables go."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rankwell import __version__
from rankwell.cli.option import OUTPUT, READING, Option
from rankwell.cli.options import refuse_files
from rankwell.cli.words import pairs
from rankwell.display.escaping import printable
from rankwell.display.output import width, write
from rankwell.errors import InputError
from rankwell.records import record

if TYPE_CHECKING:
    import polars as pl

    from rankwell.prepare import Report

Seed = Annotated[int, Option(help="the seed of the random numbers")]
Keep = Literal["keep", "drop"]
PLAIN = 120  # the width of a report that goes to no terminal


@record(kw_only=True)
class Printed:
    """How the tables are read, and the report printed."""

    columns: Annotated[
        list[str] | None,
        Option(
            group=READING,
            help="columns and their meaning, if the names do not tell: ``userNo=query,film=item``",
        ),
    ] = None
    format: Annotated[
        Literal["text", "json", "markdown", "html"],
        Option(group=OUTPUT, help="the output format of the report"),
    ] = "text"

    @property
    def named(self) -> dict[str, str]:
        """The columns and their meaning."""
        return pairs(self.columns, "--columns")

    def show(self, *reports: Report) -> None:
        """Print reports."""
        if self.format == "json":
            record = {"rankwell": __version__, "reports": [each.to_dict() for each in reports]}
            write(json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False), None)
            return
        if self.format == "html":
            from rankwell.prepare.report import page_of_reports

            write(page_of_reports(reports), None)
            return
        texts = {
            "text": lambda each: each.to_text(width() or PLAIN),
            "markdown": lambda each: each.to_markdown(),
        }
        write("\n\n".join(texts[self.format](each) for each in reports), None)


@record(kw_only=True)
class ToFile(Printed):
    """A report, and one table."""

    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the file for the table, such as ``new.csv`` or ``new.parquet``; without it only the report is printed",
        ),
    ] = None

    def opened(self, *inputs: str | None) -> Target:
        """Return where the table goes; a path that cannot be written is refused."""
        return Target(inputs, self.output)


@record(kw_only=True)
class ToFolder(Printed):
    """A report, and several tables."""

    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the folder for the tables; without it only the report is printed",
        ),
    ] = None
    suffix: Annotated[
        str | None,
        Option(
            group=OUTPUT,
            help="the format of the tables in the folder: ``csv``, ``parquet`` …; default that of the input",
        ),
    ] = None

    def opened(self, *inputs: str | None, tables: Sequence[str]) -> Target:
        """Return where tables of these names go; a path that cannot be written is refused."""
        return Target(inputs, self.output, tables, self.suffix)


class Target:
    """The file or the folder for the tables of one command; a path that cannot be written is refused before the work."""

    def __init__(
        self,
        inputs: Sequence[str | None],
        path: str | None,
        tables: Sequence[str] = (),
        suffix: str | None = None,
    ) -> None:
        from rankwell.display.table_files import refuse_format

        given = [each for each in inputs if each is not None]
        refuse_files(given, [])
        self._inputs, self._path = given, path
        self._suffix = _suffix_of(given, suffix)
        if path is None:
            return
        if not tables:
            self._check(path)
            return
        for name in tables:
            refuse_format(self._in_folder(name))  # before a folder is made for them
        try:
            Path(path).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path}: cannot be made a folder ({error.strerror}).") from error
        for name in tables:
            self._check(self._in_folder(name))

    def _check(self, path: str) -> None:
        from rankwell.display.table_files import refuse_format

        refuse_format(path)
        refuse_files(self._inputs, [path])

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
        from rankwell.display.table_files import save

        save(table, path)
        sys.stderr.write(f"rankwell: wrote {printable(str(path))} ({len(table):,} rows)\n")


def _suffix_of(inputs: Sequence[str], suffix: str | None) -> str:
    from rankwell.display.table_files import WRITERS

    if suffix is not None:
        return f".{suffix.removeprefix('.')}"
    ends = [Path(each).suffix.lower() for each in inputs]
    return next((end for end in ends if end in WRITERS), ".csv")
