"""The command ``judging merge``."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from rankwell.cli.arguments import OUTPUT, Option
from rankwell.cli.options import Form, refuse_files
from rankwell.display.escaping import printable
from rankwell.display.output import in_form, width, write


def judging_merge(
    sheet: Annotated[str, Option(help="judgements that a judging sheet exported as CSV")],
    /,
    *sheets: Annotated[str, Option(help="those of other judges")],
    how: Annotated[
        Literal["max", "majority", "dawid-skene"],
        Option(
            help="the highest grade, the most frequent (ties to the lowest), or the most probable where judges err in ways of their own"
        ),
    ] = "majority",
    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the file for the judgements: ``.txt`` or ``.qrels`` for TREC, ``.csv``, ``.parquet`` …, or ``.json`` with everything",
        ),
    ] = None,
    format: Annotated[Form, Option(group=OUTPUT, help="the output format of what is printed")] = "text",  # noqa: A002 - the word of the option
) -> None:
    """Join what judges exported from their sheets into one grade per pair, and show how far each agrees with themselves.

    Example: ``rankwell judging merge ann.csv bo.csv cy.csv --how dawid-skene -o merged.txt``
    """
    from rankwell.judging import merge
    from rankwell.judging.consensus import Merged

    if output is not None:
        Merged.suffix_of(output)
    refuse_files([sheet, *sheets], [output])
    found = merge(sheet, *sheets, how=how)
    if output is not None:
        found.save(output)
        sys.stderr.write(f"rankwell: note: wrote {len(found):,} judgements to {printable(output)}.\n")
    if format == "json":
        write(found.to_json(), None)
    else:
        tables = found.tables()[:1] if format == "csv" else found.tables()
        write(in_form(tables, format, width()), None)
