"""The commands that say what metrics are: ``explain``, ``metrics``, ``rosetta``."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from cyclopts import Parameter

from rankwell.cli.options import OUTPUT, Output, PolicyRules, Tables, form_of, refuse_files
from rankwell.cli.words import split
from rankwell.display.output import in_form, width, write
from rankwell.errors import UsageError
from rankwell.judge.policy import Policy

Form = Literal["text", "markdown", "latex", "html"]


def explain(
    metric: Annotated[str, Parameter(help="a metric such as ``ndcg@10``")],
    qrels: Annotated[
        str | None,
        Parameter(
            help="the judgements: a file, ``-`` for standard input, or ``none`` if the metric needs none"
        ),
    ] = None,
    run: Annotated[str | None, Parameter(help="the run with the list of the query")] = None,
    /,
    *,
    query: Annotated[
        str | None, Parameter(name=["--query", "-q"], help="the query whose value is worked out")
    ] = None,
    tables: Tables = Tables(),
    format: Annotated[  # noqa: A002 - the word of the option
        Form | None,
        Parameter(
            group=OUTPUT,
            help="the output format of the worked table, by default that of the suffix of the output",
        ),
    ] = None,
    output: Output = None,
    policy: PolicyRules = Policy(),  # noqa: B008 - a frozen value
) -> None:
    """Print the definition of a metric; with judgements and a run, how its value for one query is computed.

    Examples: ``rankwell explain ndcg@10``; ``rankwell explain ndcg@10 qrels.txt bm25.run --query 12``
    """
    from rankwell.inspection.explaining import explain as explained

    if qrels is None:
        if query is not None:
            raise UsageError(f"--query needs data: rankwell explain {metric} QRELS RUN --query {query}")
        write(str(explained(metric)), output)
        return
    if run is None:
        raise UsageError(
            f"a worked table needs a run as well: rankwell explain {metric} QRELS RUN --query ID"
        )
    form = form_of(format, output, get_args(Form))
    refuse_files([qrels, run, *tables.given], [output])
    table = explained(
        metric,
        run,
        None if qrels == "none" else qrels,
        query,
        items=tables.items,
        train=tables.train,
        users=tables.users,
        policy=policy,
    )
    write(in_form([table], form, None if output else width()), output)


def metrics() -> None:
    """List all metrics."""
    from rankwell.inspection.explaining import catalogue

    write(catalogue().to_text(width()), None)


def rosetta(
    qrels: Annotated[str, Parameter(help="the judgements")],
    run: Annotated[str, Parameter(help="the run")],
    /,
    *,
    metric: Annotated[
        list[str],
        Parameter(name=["--metric", "-m"], negative="", help="a metric such as ``ndcg@10``; repeat it"),
    ],
    format: Annotated[  # noqa: A002 - the word of the option
        Form | None,
        Parameter(
            group=OUTPUT, help="the output format of the tables, by default that of the suffix of the output"
        ),
    ] = None,
    output: Output = None,
    policy: PolicyRules = Policy(),  # noqa: B008 - a frozen value
) -> None:
    """Show the value that each tool would print for these data under one name, and how its definition differs.

    Example: ``rankwell rosetta qrels.txt bm25.run -m ndcg@10 -m ap@10``
    """
    from rankwell.inspection.rosetta_table import rosetta as compared

    form = form_of(format, output, get_args(Form))
    refuse_files([qrels, run], [output])
    names = [part for text in metric for part in split(text)]
    tables = [each.to_table() for each in compared(run, qrels, names, policy=policy)]
    write(in_form(tables, form, None if output else width()), output)
