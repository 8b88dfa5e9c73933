"""The commands about other tools: ``trec_eval`` and ``ndeval`` answer as these do, ``rosetta`` sets side by side what each would print."""

from __future__ import annotations

from typing import Annotated, get_args

from rankwell.cli.arguments import Option
from rankwell.cli.options import (
    Form,
    Format,
    Output,
    PolicyPairs,
    Reading,
    ReadingPairs,
    Tables,
    form_of,
    refuse_files,
    write_tables,
)
from rankwell.cli.words import split
from rankwell.matching.policy import Policy


def trec_eval(
    *arguments: Annotated[str, Option(hyphens=True, help="the arguments of trec_eval; -h lists them")],
) -> int:
    """Print what NIST's trec_eval prints for the same arguments.

    Example: ``rankwell trec_eval -q -m all_trec qrels.txt bm25.run``
    """
    from rankwell.compat.trec_eval import main

    return main(arguments)


def ndeval(
    *arguments: Annotated[str, Option(hyphens=True, help="the arguments of ndeval; -help lists them")],
) -> int:
    """Print what NIST's ndeval prints for the same arguments.

    Example: ``rankwell ndeval -c qrels.txt bm25.run``
    """
    from rankwell.compat.ndeval import main

    return main(arguments)


def rosetta(
    qrels: Annotated[str, Option(help="the judgements, or ``none`` if the metrics need none")],
    run: Annotated[str, Option(help="the run")],
    /,
    *,
    metric: Annotated[
        list[str] | None,
        Option(
            name=("--metric", "-m"),
            help="a metric such as ``ndcg@10``; repeat it (default: the usual ones at 10)",
        ),
    ] = None,
    tables: Tables = Tables(),
    reading: ReadingPairs = Reading(),
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    policy: PolicyPairs = Policy(),
) -> None:
    """Show what each tool would print for a metric, and why they differ.

    Example: ``rankwell rosetta qrels.txt bm25.run -m ndcg@10 -m ap@10``
    """
    from rankwell.evaluation.needs import with_needs
    from rankwell.inspection.rosetta_table import rosetta as compared
    from rankwell.readers import open_run, read_qrels

    form = form_of(format, output, get_args(Form))
    refuse_files([qrels, run, *tables.given], [output])
    names = None if metric is None else [part for text in metric for part in split(text)]
    ranked = open_run(run, **with_needs(reading.of_runs, names, "run"))
    judged = None if qrels == "none" else read_qrels(qrels, **with_needs(reading.of_qrels, names))
    found = compared(
        ranked, judged, names, train=tables.train, items=tables.items, users=tables.users, policy=policy
    )
    write_tables([each.to_table() for each in found], form, output)
