"""The command ``judging next``."""

from __future__ import annotations

import sys
from typing import Annotated

from rankwell.cli.arguments import OUTPUT, Option
from rankwell.cli.judging_options import METHODS, Aim, Choosing, inputs, qrels_of, runs_of
from rankwell.cli.options import Form, PolicyRules, Reading, refuse_files
from rankwell.display.escaping import printable
from rankwell.display.output import in_form, width, write
from rankwell.matching.policy import Policy


def judging_next(
    qrels: Annotated[str, Option(help="what is judged already; ``none`` for nothing")],
    run: Annotated[str, Option(help="a run; ``NAME=FILE`` names its system")],
    /,
    *runs: Annotated[str, Option(help="more runs")],
    budget: Annotated[int, Option(help="how many items to choose")] = 200,
    aim: Annotated[
        Aim,
        Option(
            help="what the judgements are for: the ``order`` of all runs, the ``difference`` of two, the ``mean`` of one"
        ),
    ] = "order",
    method: Annotated[str, Option(help=f"how to choose: {METHODS}")] = "mtc",
    choosing: Choosing = Choosing(),
    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the file for the items: ``.tsv``, ``.csv``, ``.parquet`` … (query, item, weight), or ``.json`` with what they "
            "would settle; without it they are printed",
        ),
    ] = None,
    format: Annotated[Form, Option(group=OUTPUT, help="the output format of what is printed")] = "text",  # noqa: A002 - the word of the option
    reading: Reading = Reading(),
    policy: PolicyRules = Policy(),
) -> None:
    """Choose the unjudged items whose judgements tell most about a comparison of runs.

    It prints the judgements needed to settle the comparison: the expected number, and the number after which no answer can change it.
    Judge some of the items, add them to the judgements, and choose again.

    Example: ``rankwell judging next qrels.txt bm25.run dense.run --budget 200 -o next.tsv``
    """
    from rankwell.judging import next as chosen_next
    from rankwell.judging.choice import Chosen

    paths = (run, *runs)
    if output is not None:
        Chosen.suffix_of(output)
    refuse_files(inputs(qrels, paths), [output])
    chosen = chosen_next(
        runs_of(paths, reading), qrels_of(qrels, reading), budget=budget, aim=aim, method=method, policy=policy, **vars(choosing)
    )  # fmt: skip
    if output is not None:
        chosen.save(output)
        sys.stderr.write(f"rankwell: note: wrote {len(chosen):,} items to {printable(output)}.\n")
        tables = [chosen.summary()]
    elif format == "json":
        write(chosen.to_json(), None)
        return
    else:
        tables = [chosen.to_table()] if format == "csv" else chosen.tables()
    write(in_form(tables, format, width()), None)
