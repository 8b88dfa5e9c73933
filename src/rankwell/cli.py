"""The command line: each command parses, calls one function of the library, and prints."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from cyclopts import App, CycloptsError, Parameter

from rankwell import __version__
from rankwell.arguments import STDIN, grades, pairs, run_names, split, with_standard_input
from rankwell.errors import DataError, InputError, RankwellError, UsageError
from rankwell.evaluation import Evaluator
from rankwell.output import Progress, refuse_overwriting, width, write
from rankwell.policy import Policy
from rankwell.readers import read_qrels, read_run

FOUND, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 3, 130

app = App(
    name="rankwell",
    help="Tells how well a system ranks: a recommender's lists or a search engine's runs.",
    version=f"rankwell {__version__}",
    version_flags=["--version", "-V"],
    help_format="rst",
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)


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
            help="such as ``ndcg@10`` or ``'ap(denom=R)@100'``; repeat it, or separate several by commas",
        ),
    ] = None,
    per_query: Annotated[bool, Parameter(help="one row per query", negative="")] = False,
    items: Annotated[str | None, Parameter(help="the catalogue, a table with an item column")] = None,
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
        Literal["table", "json", "csv"], Parameter(help="what is printed")
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
    from rankwell import summary
    from rankwell.engines.memory import Memory

    if not metric:
        raise UsageError(
            "say which metrics you want: -m ndcg@10 -m ap -m p@5 (`rankwell metrics` lists all)."
        )
    paths = [run, *runs]
    if output is not None:
        refuse_overwriting(output, [qrels, *paths, *([items] if items else [])])
    if [qrels, *paths].count(STDIN) > 1:
        raise UsageError("standard input can be read only once; name a file for the others.")
    judgements = (
        None
        if qrels == "none"
        else read_qrels(qrels, format_in=qrels_format, columns=pairs(qrels_columns, "--qrels-columns"))
    )
    wanted = pairs(columns, "--columns")
    with Progress() as progress:
        evaluator = Evaluator(
            judgements,
            [part for text in metric for part in split(text)],
            items=items,
            policy=policy,
            engine=Memory(progress=progress),
            threads=threads,
            per_query=per_query,
        )
        read = [
            read_run(path, name=name, format_in=format_in, columns=wanted)
            for path, name in zip(paths, run_names(paths), strict=True)
        ]
        results = [evaluator.evaluate(each) for each in read]
    if verbose:
        for each in (judgements, *read):
            if each is not None:
                sys.stderr.write(f"rankwell: {each.source}\n")
    for warning in summary.warnings_of(results):
        sys.stderr.write(f"rankwell: note: {warning}\n")
    if format == "json":
        parts = [res.to_dict(per_query=per_query) for res in results]
        data = {"rankwell": __version__, "schema": summary.SCHEMA, "runs": parts}
        text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)
    elif format == "csv":
        text = summary.csv_of(results, per_query=per_query)
    else:
        table = summary.table_of(results, per_query=per_query, full_policy=verbose)
        text = table.to_text(None if output else width(), colour=not output and sys.stdout.isatty())
    write(text, output)


@app.command
def lint(
    qrels: Annotated[str, Parameter(help="judgements; ``-`` for standard input, ``none`` for none")],
    run: Annotated[str, Parameter(help="the run")],
    /,
    *runs: Annotated[str, Parameter(help="more runs", show_default=False)],
    items: Annotated[str | None, Parameter(help="the catalogue, a table with an item column")] = None,
    train: Annotated[str | None, Parameter(help="what the system learned from")] = None,
    k: Annotated[int, Parameter(help="the depth at which unjudged items are counted")] = 10,
    scale: Annotated[str | None, Parameter(help="the grades that are allowed: ``0,1,2,3``")] = None,
    metric: Annotated[
        str, Parameter(name=["--metric", "-m"], help="the metric whose change is told")
    ] = "ndcg@10",
    fix: Annotated[str | None, Parameter(help="write cleaned copies into this folder")] = None,
    format: Annotated[  # noqa: A002 - the word of the option
        Literal["text", "json", "github"], Parameter(help="what is printed")
    ] = "text",
    output: Annotated[
        str | None, Parameter(name=["--output", "-o"], help="write here instead of stdout")
    ] = None,
    policy: Annotated[Policy, Parameter(name="*")] = Policy(),  # noqa: B008 - a frozen value
) -> int:
    """Say what is wrong with runs and judgements, what it does to a metric, and what to do; exit 1 if something is.

    Example: ``rankwell lint qrels.txt bm25.run dense.run``
    """
    from rankwell.linting import lint as look

    sources = [qrels, run, *runs, *(each for each in (items, train) if each)]
    if sources.count(STDIN) > 1:
        raise UsageError("standard input can be read only once; name a file for the others.")
    if output is not None:
        refuse_overwriting(output, sources)
    found = look(
        [run, *runs],
        None if qrels == "none" else qrels,
        items=items,
        train=train,
        k=k,
        scale=grades(scale),
        metric=metric,
        policy=policy,
        fix=fix,
    )
    if format == "json":
        text = json.dumps(
            {"rankwell": __version__, "wrong": found.is_wrong, "findings": found.to_dicts()},
            ensure_ascii=False,
            indent=2,
        )
    else:
        text = str(found) if format == "text" else found.to_github()
    write(text, output)
    return FOUND if found.is_wrong else 0


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
    from rankwell.explanation import explain as told

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
        refuse_overwriting(output, [qrels, run, *([items] if items else [])])
    if [qrels, run].count(STDIN) > 1:
        raise UsageError("standard input can be read only once; name a file for the others.")
    table = told(metric, run, None if qrels == "none" else qrels, query, items=items, policy=policy)
    forms = {"markdown": table.to_markdown, "latex": table.to_latex, "html": table.to_html}
    text = forms[format]() if format in forms else table.to_text(None if output else width())
    write(text, output)


@app.command
def metrics() -> None:
    """List all metrics."""
    from rankwell.explanation import catalogue

    write(catalogue().to_text(width()), None)


@app.command
def demo() -> None:
    """Evaluate bundled real data and print tables that teach something."""
    from rankwell.demonstration import demo as show

    write(show(width()), None)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 fine, 1 lint found something, 2 usage, 3 bad data; one line on stderr says what is wrong."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - closed with the process
    _make_safe(sys.stdout, "replace")
    _make_safe(sys.stderr, "backslashreplace")
    try:
        code = app(with_standard_input(arguments), print_error=False, exit_on_error=False)
        sys.stdout.flush()
    except CycloptsError as error:
        return _fail(f"{error} `rankwell --help` shows how.", USAGE)
    except (DataError, InputError) as error:
        return _fail(str(error), BAD_DATA)
    except RankwellError as error:
        return _fail(str(error), USAGE)
    except BrokenPipeError:
        # the reader has gone; nothing is to be said to anybody
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _fail("interrupted.", INTERRUPTED)
    except MemoryError:
        return _fail(
            "there is not enough memory for these data; give fewer metrics or a machine with more.", BAD_DATA
        )
    return code if isinstance(code, int) else 0


def _make_safe(stream: Any, errors: str) -> None:
    """Let no sign stop the output: files and pipes get UTF-8, a terminal what it can show."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors=errors)


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"rankwell: {' '.join(message.split())}\n")
    return code
