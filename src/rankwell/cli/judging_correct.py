"""The command ``judging correct``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from rankwell.cli.arguments import OUTPUT, STATISTICS, Option
from rankwell.cli.options import Form, Metrics, PolicyRules, Reading, refuse_files
from rankwell.cli.words import split
from rankwell.display.escaping import printable
from rankwell.display.output import in_form, width, write
from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.matching.policy import Policy
from rankwell.records import record


@record(kw_only=True)
class Drawing:
    """How the negatives were drawn."""

    negatives: Annotated[
        int | None, Option(help="how many negatives each list has; default: as the lists show")
    ] = None
    drawn: Annotated[
        Literal["uniform", "popularity"],
        Option(help="how they were drawn; ``popularity`` needs --probabilities"),
    ] = "uniform"
    probabilities: Annotated[
        str | None,
        Option(
            help="a table of ``item`` and ``probability``, that of each item to be among the negatives of a list; then AUC and "
            "first_rank alone can be estimated"
        ),
    ] = None
    replace: Annotated[
        bool, Option(help="negatives were drawn with replacement: one could be drawn twice for a list")
    ] = False


@record(kw_only=True)
class Estimation:
    """How values are estimated."""

    GROUP: ClassVar = STATISTICS

    max_bias: Annotated[float, Option(help="an estimate whose worst-case bias is above this is refused")] = (
        0.02
    )
    gamma: Annotated[
        float,
        Option(help="how much the variance of one query's estimate counts beside the squared bias, 0 to 1"),
    ] = 0.01
    level: Annotated[
        float, Option(help="the share of intervals that should hold the value over all candidates")
    ] = 0.95


def judging_correct(
    qrels: Annotated[
        str | None, Option(help="the relevant items, one per query; leave it out with --logged-ranks")
    ] = None,
    run: Annotated[
        str | None, Option(help="lists that each rank one relevant item and the sampled negatives")
    ] = None,
    /,
    *,
    candidates: Annotated[
        int, Option(help="how many candidates a full ranking would have, the relevant item included")
    ],
    metric: Metrics = None,
    logged_ranks: Annotated[
        str | None,
        Option(
            help="instead of QRELS and RUN: a text file with the rank of each relevant item among the negatives, one per line, from 1"
        ),
    ] = None,
    drawing: Drawing = Drawing(),
    estimation: Estimation = Estimation(),
    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the file for the values: ``.json`` with everything, or ``.csv``, ``.parquet`` …; without it they are printed",
        ),
    ] = None,
    format: Annotated[Form, Option(group=OUTPUT, help="the output format of what is printed")] = "text",  # noqa: A002 - the word of the option
    reading: Reading = Reading(),
    policy: PolicyRules = Policy(),
) -> None:
    """Estimate values over all candidates from lists of one relevant item among sampled negatives, with the worst-case bias.

    Estimates that could be further off than --max-bias are refused; their range is printed all the same.

    Example: ``rankwell judging correct qrels.txt sampled.run -m hit@10 -m auc --candidates 1682``
    """
    from rankwell.judging import correct
    from rankwell.judging.correction import Corrected
    from rankwell.readers import read_qrels, read_run

    if output is not None:
        Corrected.suffix_of(output)
    given = [each for each in (qrels, run, logged_ranks, drawing.probabilities) if each is not None]
    refuse_files(given, [output])
    metrics = [part for text in metric or () for part in split(text)] or None
    if (logged_ranks is None) != (qrels is not None and run is not None) or (logged_ranks and qrels):
        raise UsageError("give QRELS and RUN, or --logged-ranks FILE in place of both.")
    found = correct(
        None if run is None else read_run(run, **reading.of_runs),
        None if qrels is None else read_qrels(qrels, **reading.of_qrels),
        metrics,
        candidates=candidates,
        logged_ranks=None if logged_ranks is None else _ranks_in(logged_ranks),
        policy=policy,
        **vars(drawing),
        **vars(estimation),
    )
    if output is not None:
        found.save(output)
        sys.stderr.write(f"rankwell: note: wrote {printable(output)}.\n")
    elif format == "json":
        write(found.to_json(), None)
    else:
        write(in_form([found.to_table()], format, width()), None)


def _ranks_in(path: str) -> list[int]:
    """The whole numbers in a file, one per line; empty lines are passed over."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error}).") from error
    ranks = []
    for at, line in enumerate(lines, start=1):
        text = line.strip()
        if text and not text.isdecimal():
            raise DataError(
                f"{path}:{at}: {brief(text)} is no rank. Give one whole number per line, from 1 for a relevant item above all negatives."
            )
        if text:
            ranks.append(int(text))
    if not ranks:
        raise DataError(
            f"{path}: the file is empty. Give the rank of each relevant item, one whole number per line."
        )
    return ranks
