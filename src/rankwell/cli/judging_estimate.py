"""The command ``judging estimate``."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from rankwell.cli.arguments import DATA, OUTPUT, Option
from rankwell.cli.judging_options import runs_of
from rankwell.cli.options import Form, PolicyRules, Reading, refuse_files
from rankwell.cli.words import split, split_names
from rankwell.display.escaping import printable
from rankwell.display.output import in_form, width, write
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy


def judging_estimate(
    qrels: Annotated[
        str,
        Option(
            help="the judgements of the sample; or, without --frame, a table with query, item, stratum or propensity, and grade, or TREC's "
            "stratified judgements (query 0 item stratum grade), with -1 for what was not drawn"
        ),
    ],
    run: Annotated[str, Option(help="a run; ``NAME=FILE`` names its system")],
    /,
    *runs: Annotated[str, Option(help="more runs")],
    metric: Annotated[
        list[str] | None,
        Option(
            name=("--metric", "-m"),
            help="``ap``, ``ap@k``, ``ndcg`` or ``ndcg@k``, with their parameters; repeat the option, or separate several by commas",
        ),
    ] = None,
    frame: Annotated[
        str | None,
        Option(
            group=DATA,
            help="all items that could have been drawn: the frame that ``judging sample`` wrote",
        ),
    ] = None,
    estimators: Annotated[
        str | None,
        Option(
            help="estimators, separated by commas: ``statap``, ``xinfap``, ``xinfap_trec`` (with the smoothing of sample_eval.pl), ``infndcg``; "
            "default: statap and xinfap of AP, infndcg of nDCG"
        ),
    ] = None,
    unanswered: Annotated[
        Literal["error", "random"],
        Option(
            help="drawn items without a judgement are an ``error``, or missing at ``random``: the others of their stratum stand for them"
        ),
    ] = "error",
    level: Annotated[float, Option(help="the share of intervals that should hold the true value")] = 0.95,
    beside: Annotated[
        bool,
        Option(
            help="show bpref, infAP and condensed lists of the same judgements, which estimate nothing",
            negative="--no-beside",
        ),
    ] = True,
    per_query: Annotated[
        bool, Option(group=OUTPUT, help="print the estimates of each query, with standard errors")
    ] = False,
    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the file for the means: ``.csv``, ``.parquet`` …, or ``.json`` with everything",
        ),
    ] = None,
    format: Annotated[Form, Option(group=OUTPUT, help="the output format of what is printed")] = "text",  # noqa: A002 - the word of the option
    reading: Reading = Reading(),
    policy: PolicyRules = Policy(),
) -> None:
    """Estimate AP and nDCG from judgements of a random sample of items, with two variances: of the sample, and over queries.

    Example: ``rankwell judging estimate qrels.txt bm25.run dense.run --frame sample.frame.tsv -m ap -m ndcg@10``
    """
    from rankwell.judging import estimate
    from rankwell.judging.estimation.estimates import Estimated

    if not metric:
        raise UsageError("say which metrics you want: -m ap -m ndcg@10.")
    paths = (run, *runs)
    names = [part for text in metric for part in split(text)]
    if output is not None:
        Estimated.suffix_of(output)
    refuse_files([each for each in (qrels, *split_names(paths)[1], frame) if each is not None], [output])
    found = estimate(
        runs_of(paths, reading), qrels, names, frame=frame, estimators=None if estimators is None else split(estimators),
        unanswered=unanswered, level=level, beside=beside, read=reading.of_qrels, policy=policy,
    )  # fmt: skip
    if output is not None:
        found.save(output)
        sys.stderr.write(f"rankwell: note: wrote {printable(output)}.\n")
    if format == "json":
        write(found.to_json(), None)
        return
    tables = found.tables()
    if format == "csv":
        tables = tables[:1]
    if per_query:
        tables = [found.table_per_query(), *(tables if format != "csv" else [])]
    write(in_form(tables, format, width()), None)
