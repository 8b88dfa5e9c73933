"""The commands that say what metrics are: ``explain``, ``metrics``, ``rosetta``."""

from __future__ import annotations

from typing import Annotated, get_args

from rankwell.cli.option import Option
from rankwell.cli.options import (
    Form,
    Format,
    Output,
    PolicyRules,
    Reading,
    Tables,
    form_of,
    refuse_files,
    write_tables,
)
from rankwell.cli.words import split
from rankwell.display.output import write
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy


def explain(
    metric: Annotated[str, Option(help="a metric such as ``ndcg@10``")],
    qrels: Annotated[
        str | None,
        Option(help="the judgements: a file, ``-`` for standard input, or ``none`` if the metric needs none"),
    ] = None,
    run: Annotated[str | None, Option(help="the run with the list of the query")] = None,
    /,
    *,
    query: Annotated[
        str | None, Option(name=("--query", "-q"), help="the query whose value is worked out")
    ] = None,
    tables: Tables = Tables(),
    reading: Reading = Reading(),
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    policy: PolicyRules = Policy(),
) -> None:
    """Print the definition of a metric; with judgements and a run, how its value for one query is computed.

    Examples: ``rankwell explain ndcg@10``; ``rankwell explain ndcg@10 qrels.txt bm25.run --query 12``
    """
    from rankwell.inspection.explaining import explain as explained
    from rankwell.readers import open_run, read_qrels

    if qrels is None:
        if query is not None:
            raise UsageError(f"--query needs data: rankwell explain {metric} QRELS RUN --query {query}")
        found = explained(metric)
        form = form_of(format, output, ("text", "markdown", "json"))
        write(
            found.to_text()
            if form == "text"
            else found.to_markdown()
            if form == "markdown"
            else found.to_json(),
            output,
        )
        return
    if run is None:
        raise UsageError(
            f"a worked table needs a run as well: rankwell explain {metric} QRELS RUN --query ID"
        )
    form = form_of(format, output, get_args(Form))
    refuse_files([qrels, run, *tables.given], [output])
    judged = None if qrels == "none" else read_qrels(qrels, **reading.of_qrels)
    table = explained(
        metric,
        open_run(run, **reading.of_runs),
        judged,
        query,
        items=tables.items,
        train=tables.train,
        users=tables.users,
        policy=policy,
    )
    write_tables([table], form, output)


def metrics(
    *words: Annotated[
        str,
        Option(help="list only metrics whose names or first sentence have all these words"),
    ],
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
) -> None:
    """List all metrics, or those that have some words in common.

    Example: ``rankwell metrics ndcg`` or ``rankwell metrics popularity --format csv``
    """
    from rankwell.inspection.explaining import catalogue

    form = form_of(format, output, get_args(Form))
    refuse_files([], [output])
    write_tables([catalogue(words)], form, output)


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
    reading: Reading = Reading(),
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    policy: PolicyRules = Policy(),
) -> None:
    """Show the value that each tool would print for these data under one name, and how its definition differs.

    Examples: ``rankwell rosetta qrels.txt bm25.run -m ndcg@10 -m ap@10``; ``rankwell rosetta test.csv als.csv -m coverage@10 --items films.csv``
    """
    from rankwell.inspection.rosetta_table import rosetta as compared
    from rankwell.readers import open_run, read_qrels

    form = form_of(format, output, get_args(Form))
    refuse_files([qrels, run, *tables.given], [output])
    names = None if metric is None else [part for text in metric for part in split(text)]
    ranked = open_run(run, **reading.of_runs)
    judged = None if qrels == "none" else read_qrels(qrels, **reading.of_qrels)
    found = compared(
        ranked, judged, names, train=tables.train, items=tables.items, users=tables.users, policy=policy
    )
    write_tables([each.to_table() for each in found], form, output)
