"""The command ``merge``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from rankwell.cli.option import OUTPUT, Option
from rankwell.cli.options import Output, form_of, refuse_files
from rankwell.display.escaping import printable
from rankwell.display.output import width, write
from rankwell.errors import UsageError

if TYPE_CHECKING:
    from rankwell.results import Results

MergeForm = Literal["text", "json", "csv", "parquet", "markdown", "latex", "html"]


def merge(
    result: Annotated[
        str,
        Option(
            help="saved results: a file, a folder with all its .parquet and .json files, a quoted pattern, or a window of the days of a "
            "folder: ``days/2026-11-01..2026-11-07``"
        ),
    ],
    /,
    *results: Annotated[str, Option(help="more of them")],
    since: Annotated[
        str | None,
        Option(help="the first day, such as 2026-11-01; the day of a file is the one date in its name"),
    ] = None,
    until: Annotated[str | None, Option(help="the last day, which is in the window, too")] = None,
    name: Annotated[
        str | None,
        Option(help="add all results as those of one system of this name, however the runs are called"),
    ] = None,
    format: Annotated[  # noqa: A002 - the word of the option
        MergeForm | None,
        Option(
            group=OUTPUT,
            help="the output format, by default that of the suffix of the output; parquet, of one system, and json can be merged again",
        ),
    ] = None,
    output: Output = None,
) -> None:
    """Add saved results of disjoint sets of queries, such as those of several days, and print what one evaluation of all would.

    Example: ``rankwell merge days/ --since 2026-11-01 --until 2026-11-07 -o week.parquet``
    """
    from rankwell.results import summary
    from rankwell.results.daily_files import files_of
    from rankwell.results.loading import merged

    words = [result, *results]
    form = form_of(format, output, get_args(MergeForm))
    files = [str(file.path) for word in words for file in files_of(word, since, until)]
    refuse_files(files, [output])
    found = merged(words, since, until, name)
    _refuse_others(found, form, output)
    if form == "parquet":
        assert output is not None
        found[0].save(output if output.endswith(".parquet") else f"{output}.parquet")
        form, output = "text", None
    systems = f"{len(found)} systems" if len(found) > 1 else printable(found[0].name)
    sys.stderr.write(f"rankwell: note: added {len(files)} files: {systems}.\n")
    write(
        summary.written(
            found,
            form,
            per_query=form == "json",
            states=output is not None,
            width=None if output else width(),
            colour=not output and sys.stdout.isatty(),
        ),
        output,
    )


def _refuse_others(found: Sequence[Results], form: str, output: str | None) -> None:
    """Refuse systems that do not fit into one table, or one file."""
    if any(res.metrics != found[0].metrics for res in found):
        names = " and ".join(res.name for res in found[:2])
        raise UsageError(
            f"systems have different metrics ({names} …), so they fit in no table; merge each by itself."
        )
    if form == "parquet" and (len(found) > 1 or output is None):
        names = ", ".join(res.name for res in found[:6])
        raise UsageError(
            f"a Parquet file holds one system, and needs -o FILE.parquet; there are {len(found)} ({names}). Write .json, name the files "
            f"of one, or say --name if all are of one."
        )
