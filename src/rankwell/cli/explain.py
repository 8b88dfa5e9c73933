"""The commands ``explain``, ``metrics`` and ``axioms``."""

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
from rankwell.display.output import write
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy


def explain(
    metric: Annotated[
        str,
        Option(
            help="a metric such as ``ndcg@10``, or another tool's ``context_precision``, ``context_recall`` or ``faithfulness``"
        ),
    ],
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
    reading: ReadingPairs = Reading(),
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
    policy: PolicyPairs = Policy(),
) -> None:
    """Print the definition of a metric; with judgements and a run, how its value for one query is computed.

    Example: ``rankwell explain ndcg@10 qrels.txt bm25.run --query 12``
    """
    from rankwell.evaluation.needs import with_needs
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
    judged = None if qrels == "none" else read_qrels(qrels, **with_needs(reading.of_qrels, metric))
    table = explained(
        metric,
        run=open_run(run, **with_needs(reading.of_runs, metric, "run", policy.sizes)),
        qrels=judged,
        query=query,
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

    Example: ``rankwell metrics popularity``
    """
    from rankwell.inspection.explaining import catalogue

    form = form_of(format, output, get_args(Form))
    refuse_files([], [output])
    write_tables([catalogue(words)], form, output)


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
    """Check which axioms a metric satisfies; where it fails, a small pair of lists shows it.

    Several metrics make a table. Without a metric, list the axioms with their statements and sources.

    Example: ``rankwell axioms ndcg@10 err "alpha_ndcg(alpha=.1)@10" --axiom Red``
    """
    from rankwell.inspection.axioms import check_axioms, list_axioms

    form = form_of(format, output, get_args(Form))
    refuse_files([], [output])
    names = None if axiom is None else [name for text in axiom for name in split(text)]
    found = None
    if metrics:
        found = check_axioms(
            [part for text in metrics for part in split(text)], names, trials=trials, seed=seed
        )
    tables, record = (found.tables(), found.counts()) if found else ([list_axioms(names)], list_axioms(names))
    if form == "json":
        write(found.to_json() if found else record.to_json(), output)
    elif form == "csv":
        write(record.to_csv(), output)
    else:
        write_tables(tables, form, output)
