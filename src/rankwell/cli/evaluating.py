"""The command ``evaluate``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from rankwell.cli.application import app
from rankwell.cli.words import files, pairs, run_names, split
from rankwell.display.output import Progress, in_form, refuse_overwriting, width, write
from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.preset import preset_of
from rankwell.evaluation.rel_sweep import Sweep
from rankwell.evaluation.rel_sweep import rel_sweep as swept
from rankwell.judge.policy import Policy
from rankwell.metrics import metrics_of
from rankwell.metrics.bundles import profile
from rankwell.readers import read_qrels, read_run
from rankwell.readers.standard_input import STDIN
from rankwell.results import Results
from rankwell.tables.run_qrels import Run

REFERENCE_DEPTH = 100


@app.command
def evaluate(
    qrels: Annotated[
        str,
        Parameter(
            help="judgements; ``-`` for standard input, ``none`` for none, where no metric needs them",
        ),
    ],
    run: Annotated[
        str,
        Parameter(
            help="the run: a file, ``-``, or a pattern in quotation marks (``'part-*.parquet'``) for several as one",
        ),
    ],
    /,
    *runs: Annotated[
        str,
        Parameter(help="more runs, printed side by side", show_default=False),
    ],
    metric: Annotated[
        list[str] | None,
        Parameter(
            name=["--metric", "-m"],
            negative="",
            help="such as ``ndcg@10`` or ``'ap(denom=R)@100'``, or ``recsys`` for what recommenders are judged by; repeat it, "
            "or separate several by commas",
        ),
    ] = None,
    per_query: Annotated[bool, Parameter(help="one row per query", negative="")] = False,
    train: Annotated[
        str | None, Parameter(help="what the system learned from, a table of query and item (and grade)")
    ] = None,
    items: Annotated[
        str | None,
        Parameter(help="the catalogue, a table with an item column, and others that metrics name (topics …)"),
    ] = None,
    users: Annotated[
        str | None,
        Parameter(help="a table of queries (users) with more columns; user_coverage counts its users"),
    ] = None,
    by: Annotated[
        list[str] | None, Parameter(negative="", help="a column of --users: one row per segment; repeat it")
    ] = None,
    weights: Annotated[
        str | None, Parameter(help="a column of --users: how much each query weighs in the means")
    ] = None,
    baselines: Annotated[
        bool,
        Parameter(
            negative="",
            help="evaluate reference lists as well, made of --train: random, popular, recently popular; and the ideal ones",
        ),
    ] = False,
    rel_sweep: Annotated[
        str | None,
        Parameter(
            help="thresholds such as ``6,7,8,9,interactions``: one row per grade from which items are relevant, and whether "
            "the order of the runs changes"
        ),
    ] = None,
    slices: Annotated[
        list[str] | None,
        Parameter(
            negative="",
            help="some of the items and a table of them: ``head=head.csv``; one row where only they are relevant; repeat it",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        Parameter(
            help="the tool whose definitions and rules are meant, such as ``rectools`` (see ``rankwell rosetta``)"
        ),
    ] = None,
    format_in: Annotated[
        str | None, Parameter(help="what the runs are, where that is not seen: trec, delimited, json …")
    ] = None,
    columns: Annotated[
        list[str] | None,
        Parameter(negative="", help="a column of the runs and its meaning: ``userNo=query``; repeat it"),
    ] = None,
    qrels_format: Annotated[str | None, Parameter(help="the same for the judgements")] = None,
    qrels_columns: Annotated[
        list[str] | None, Parameter(negative="", help="the same for the judgements")
    ] = None,
    threads: Annotated[int | None, Parameter(help="default: the cores of this process")] = None,
    format: Annotated[  # noqa: A002 - the word of the option
        Literal["table", "json", "csv", "parquet", "markdown", "latex", "html"],
        Parameter(help="what is printed; parquet is the values of queries and goes to a file (-o)"),
    ] = "table",
    output: Annotated[
        str | None, Parameter(name=["--output", "-o"], help="write here instead of stdout")
    ] = None,
    verbose: Annotated[
        bool,
        Parameter(
            name=["--verbose", "-v"],
            help="print the whole policy, and what each file was read as",
            negative="",
        ),
    ] = False,
    policy: Annotated[Policy, Parameter(name="*")] = Policy(),  # noqa: B008 - a frozen value
) -> None:
    """Evaluate runs against judgements.

    Example: ``rankwell evaluate qrels.txt bm25.run dense.run -m ndcg@10 -m ap``
    """
    from rankwell.evaluation.engines.memory import Memory
    from rankwell.results import summary

    if not metric:
        raise UsageError(
            "say which metrics you want: -m ndcg@10 -m ap -m p@5 (`rankwell metrics` lists all)."
        )
    paths = [run, *runs]
    if output is not None:
        tables = [table for table in (train, items, users) if table is not None]
        refuse_overwriting(output, [qrels, *paths, *tables, *files(slices, "--slices").values()])
    if [qrels, *paths].count(STDIN) > 1:
        raise UsageError("standard input can be read only once; name a file for the others.")
    judgements = (
        None
        if qrels == "none"
        else read_qrels(qrels, format_in=qrels_format, columns=pairs(qrels_columns, "--qrels-columns"))
    )
    wanted = pairs(columns, "--columns")
    metrics: list[Any] = [part for text in metric for part in split(text)]
    references = _references(train, qrels, metrics) if baselines else {}
    if rel_sweep is not None:
        others = {
            "--per-query": per_query,
            "--users": users,
            "--by": by,
            "--weights": weights,
            "--slices": slices,
            "--preset": preset,
        }
        if told := [option for option, value in others.items() if value]:
            raise UsageError(f"--rel-sweep and {told[0]} exclude each other.")
        runs_by_name = {
            name: read_run(path, name=name, format_in=format_in, columns=wanted)
            for path, name in zip(paths, run_names(paths), strict=True)
        }
        sweep = swept(
            runs_by_name | references,
            judgements,
            metrics,
            split(rel_sweep),
            items=items,
            train=train,
            policy=policy,
            threads=threads,
        )
        _write_sweep(sweep, format, output)
        return
    if preset is not None:
        metrics, judgements, policy = preset_of(preset).applied(metrics, judgements, policy)
    with Progress() as progress:
        evaluator = Evaluator(
            judgements,
            metrics,
            train=train,
            items=items,
            users=users,
            by=by,
            weights=weights,
            slices=files(slices, "--slices"),
            policy=policy,
            engine=Memory(progress=progress),
            threads=threads,
            per_query=per_query,
        )
        read = [
            read_run(path, name=name, format_in=format_in, columns=wanted)
            for path, name in zip(paths, run_names(paths), strict=True)
        ]
        read += references.values()
        results = list(evaluator.evaluate_all({each.name: each for each in read}).values())
    if verbose:
        for each in (judgements, *read):
            if each is not None:
                sys.stderr.write(f"rankwell: {each.source}\n")
    for warning in summary.warnings_of(results):
        sys.stderr.write(f"rankwell: note: {warning}\n")
    if format == "parquet":
        _save_parquet(results, output)
        return
    text = summary.written(
        results,
        format,
        per_query=per_query,
        full_policy=verbose,
        words=any(profile(str(each)) for each in metrics),
        width=None if output else width(),
        colour=not output and sys.stdout.isatty(),
    )
    write(text, output)


def _references(train: str | None, qrels: str, metrics: Sequence[str]) -> dict[str, Run]:
    """Reference lists as runs, as long as the deepest cut-off."""
    from rankwell.prepare import baselines

    if train is None or qrels in ("none", STDIN):
        raise UsageError(
            "--baselines makes lists of the training data for the users of the test: give --train and QRELS, both as files."
        )
    cuts = [metric.k for metric in metrics_of(metrics)]
    lists, _ = baselines(train, qrels, k=max((k for k in cuts if k is not None), default=REFERENCE_DEPTH))
    return {f"({kind})": read_run(frame, name=f"({kind})") for kind, frame in lists.items()}


def _write_sweep(sweep: Sweep, form: str, output: str | None) -> None:
    """Print one table per metric: a row per threshold."""
    if form in ("csv", "parquet"):
        raise UsageError(f"--rel-sweep has no --format {form}: say json, markdown, latex, html or table.")
    if form == "json":
        text = json.dumps(sweep.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
    else:
        tables = [sweep.to_table(metric) for metric in sweep.metrics]
        text = in_form(tables, form, None if output else width())
    write(text, output)


def _save_parquet(results: Sequence[Results], output: str | None) -> None:
    if output is None or len(results) != 1:
        raise UsageError(
            "--format parquet writes the queries of one run to a file: give one run and -o FILE.parquet."
        )
    results[0].save(output if output.endswith(".parquet") else f"{output}.parquet")
