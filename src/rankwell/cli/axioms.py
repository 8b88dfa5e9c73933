"""The command ``axioms``."""

from __future__ import annotations

from typing import Annotated, get_args

from rankwell.cli.option import Option
from rankwell.cli.options import Form, Format, Output, form_of, refuse_files, write_tables
from rankwell.cli.words import split
from rankwell.display.output import write


def axioms(
    *metrics: Annotated[
        str,
        Option(help="metrics such as ``ndcg@10``; without any, the axioms are listed"),
    ],
    axiom: Annotated[
        list[str] | None,
        Option(
            help="check only this axiom: Pri, PriGraded, Deep, DeepGraded, DeepTh, CloseTh, Conf, QAspDiv, Red, MRed, Sat, AspRel, "
            "P1, P2, P3, P4, P5, P6, P7, P8, Norm; repeat it",
        ),
    ] = None,
    trials: Annotated[int, Option(help="the number of random pairs of lists per axiom")] = 500,
    seed: Annotated[int, Option(help="the seed of the random numbers")] = 0,
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
) -> None:
    """Check which axioms a metric satisfies, with a small pair of lists where it fails; several metrics make a table.

    Without a metric, list the axioms with their statements and sources.

    Example: ``rankwell axioms ap`` or ``rankwell axioms ndcg@10 err "alpha_ndcg(alpha=.1)@10" --axiom Red``
    """
    from rankwell.inspection.axioms import check_axioms, listed

    form = form_of(format, output, get_args(Form))
    refuse_files([], [output])
    names = None if axiom is None else [name for text in axiom for name in split(text)]
    found = None
    if metrics:
        found = check_axioms(
            [part for text in metrics for part in split(text)], names, trials=trials, seed=seed
        )
    tables, record = (found.tables(), found.counts()) if found else ([listed(names)], listed(names))
    if form == "json":
        write(found.to_json() if found else record.to_json(), output)
    elif form == "csv":
        write(record.to_csv(), output)
    else:
        write_tables(tables, form, output)
