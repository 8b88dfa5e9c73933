"""The commands that tell what a metric is: ``explain``, ``metrics``, ``demo``."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from rankwell.cli.application import app
from rankwell.cli.words import split
from rankwell.display.output import in_form, refuse_overwriting, width, write
from rankwell.errors import UsageError
from rankwell.judge.policy import Policy
from rankwell.readers.standard_input import STDIN


@app.command
def explain(
    metric: Annotated[str, Parameter(help="such as ndcg@10")],
    qrels: Annotated[str | None, Parameter(help="judgements, for the worked table of a query")] = None,
    run: Annotated[str | None, Parameter(help="the run that holds the list")] = None,
    /,
    *,
    query: Annotated[
        str | None, Parameter(name=["--query", "-q"], help="whose list is worked through")
    ] = None,
    items: Annotated[str | None, Parameter(help="the catalogue, a table with an item column")] = None,
    train: Annotated[str | None, Parameter(help="what the system learned from")] = None,
    users: Annotated[str | None, Parameter(help="a table of queries (users) with more columns")] = None,
    format: Annotated[  # noqa: A002 - the word of the option
        Literal["text", "markdown", "latex", "html"], Parameter(help="how the worked table is written")
    ] = "text",
    output: Annotated[
        str | None, Parameter(name=["--output", "-o"], help="write here instead of stdout")
    ] = None,
    policy: Annotated[Policy, Parameter(name="*")] = Policy(),  # noqa: B008 - a frozen value
) -> None:
    """Print the definition of a metric; with judgements and a run, how its value for one query comes about.

    Examples: ``rankwell explain ndcg@10``; ``rankwell explain ndcg@10 qrels.txt bm25.run --query 12``
    """
    from rankwell.inspection.explaining import explain as told

    if qrels is None:
        if query is not None:
            raise UsageError(f"--query needs data: rankwell explain {metric} QRELS RUN --query {query}")
        write(str(told(metric)), output)
        return
    if run is None:
        raise UsageError(
            f"a worked table needs a run as well: rankwell explain {metric} QRELS RUN --query ID"
        )
    if output is not None:
        refuse_overwriting(output, [qrels, run, *(table for table in (items, train, users) if table)])
    if [qrels, run].count(STDIN) > 1:
        raise UsageError("standard input can be read only once; name a file for the others.")
    table = told(
        metric,
        run,
        None if qrels == "none" else qrels,
        query,
        items=items,
        train=train,
        users=users,
        policy=policy,
    )
    write(in_form([table], format, None if output else width()), output)


@app.command
def rosetta(
    qrels: Annotated[str, Parameter(help="judgements")],
    run: Annotated[str, Parameter(help="the run")],
    /,
    *,
    metric: Annotated[
        list[str], Parameter(name=["--metric", "-m"], negative="", help="such as ``ndcg@10``; repeat it")
    ],
    format: Annotated[  # noqa: A002 - the word of the option
        Literal["text", "markdown", "html"], Parameter(help="how the tables are written")
    ] = "text",
    output: Annotated[
        str | None, Parameter(name=["--output", "-o"], help="write here instead of stdout")
    ] = None,
    policy: Annotated[Policy, Parameter(name="*")] = Policy(),  # noqa: B008 - a frozen value
) -> None:
    """Print what each tool would print for these data under one name, and in what its definition differs.

    Example: ``rankwell rosetta qrels.txt bm25.run -m ndcg@10 -m ap@10``
    """
    from rankwell.inspection.rosetta_table import rosetta as translated

    if output is not None:
        refuse_overwriting(output, [qrels, run])
    names = [part for text in metric for part in split(text)]
    tables = [each.to_table() for each in translated(run, qrels, names, policy=policy)]
    write(in_form(tables, format, None if output else width()), output)


@app.command
def metrics() -> None:
    """List all metrics."""
    from rankwell.inspection.explaining import catalogue

    write(catalogue().to_text(width()), None)


@app.command
def demo() -> None:
    """Evaluate bundled real data and print tables that teach something."""
    from rankwell.cli.demo import demo as show

    write(show(width()), None)


@app.command(name="trec_eval")
def trec_eval(
    *arguments: Annotated[str, Parameter(allow_leading_hyphen=True, help="as of trec_eval; -h tells them")],
) -> int:
    """Print what NIST's trec_eval prints, for the same arguments.

    Example: ``rankwell trec_eval -q -m all_trec qrels.txt bm25.run``
    """
    from rankwell.compat.trec_eval import main

    return main(arguments)


@app.command(name="ndeval")
def ndeval(
    *arguments: Annotated[str, Parameter(allow_leading_hyphen=True, help="as of ndeval; -help tells them")],
) -> int:
    """Print what NIST's ndeval prints, for the same arguments.

    Example: ``rankwell ndeval -c qrels.txt bm25.run``
    """
    from rankwell.compat.ndeval import main

    return main(arguments)
