"""The command ``judging simulate``."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

from rankwell.cli.arguments import OUTPUT, Option
from rankwell.cli.judging_options import METHODS, Choosing, runs_of
from rankwell.cli.options import Form, PolicyRules, Reading, refuse_files
from rankwell.cli.words import named_as, split, split_names, whole_numbers
from rankwell.display.escaping import printable
from rankwell.display.output import in_form, width, write
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy


def judging_simulate(
    qrels: Annotated[str, Option(help="all judgements: the answers, which no method sees before it asks")],
    run: Annotated[str, Option(help="a run; ``NAME=FILE`` names its system")],
    other: Annotated[str, Option(help="another run")],
    /,
    *more: Annotated[str, Option(help="more runs")],
    methods: Annotated[
        str, Option(help=f"methods, separated by commas: {METHODS}")
    ] = "mtc,hedge,mtf,mm_ns,depth",
    budgets: Annotated[
        str | None,
        Option(
            help="numbers of judgements after which orders are compared: ``25,100,400``; default: 25, 50, 100 … until all are judged"
        ),
    ] = None,
    rest: Annotated[
        Literal["skip", "nonrelevant"],
        Option(
            help="items that QRELS do not judge are never asked for (``skip``), or ``nonrelevant`` where all relevant ones are known"
        ),
    ] = "skip",
    leave_out: Annotated[
        str | None,
        Option(
            help="runs, separated by commas, that do not take part in choosing and are evaluated all the same; ``each`` for one "
            "after the other"
        ),
    ] = None,
    choosing: Choosing = Choosing(),
    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the file for what was found: ``.json``, which ``rankwell plot effort`` draws, or ``.csv``, ``.parquet`` …",
        ),
    ] = None,
    format: Annotated[Form, Option(group=OUTPUT, help="the output format of what is printed")] = "text",  # noqa: A002 - the word of the option
    reading: Reading = Reading(),
    policy: PolicyRules = Policy(),
) -> None:
    """Judge again what is judged, in the order of each method, and show how soon the order of the runs is right.

    Example: ``rankwell judging simulate qrels.txt bm25.run dense.run both.run --methods mtc,depth -o judging.json``
    """
    from rankwell.judging import simulate
    from rankwell.judging.simulation import Simulation
    from rankwell.readers import read_qrels

    paths = (run, other, *more)
    if output is not None:
        Simulation.suffix_of(output)
    refuse_files([qrels, *split_names(paths)[1]], [output])
    if choosing.highest is not None:
        raise UsageError("--highest: the judgements say what the highest grade is; leave it out.")
    names: Any = leave_out
    if leave_out is not None and leave_out != "each":
        names = [named_as(each, *split_names(paths)) or each for each in split(leave_out)]
    found = simulate(
        runs_of(paths, reading), read_qrels(qrels, **reading.of_qrels), split(methods), whole_numbers(budgets, "--budgets"),
        metric=choosing.metric, rest=rest, leave_out=names, seed=choosing.seed, policy=policy,
    )  # fmt: skip
    if output is not None:
        found.save(output)
        sys.stderr.write(f"rankwell: note: wrote {printable(output)}.\n")
    if format == "json":
        write(found.to_json(), None)
    else:
        tables = found.tables()[:1] if format == "csv" else found.tables()
        write(in_form(tables, format, width()), None)
