"""The command line: each command parses, calls one function of the library, and prints."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, CycloptsError, Parameter

from rankwell import __version__
from rankwell.errors import DataError, InputError, RankwellError, UsageError
from rankwell.evaluation import Evaluator
from rankwell.policy import Policy
from rankwell.readers import read_run

USAGE, BAD_DATA, INTERRUPTED = 2, 3, 130
ROWS_SHOWN = 60

app = App(
    name="rankwell",
    help="Tells how well a system ranks: a recommender's lists or a search engine's runs.",
    version=f"rankwell {__version__}",
    help_format="plaintext",
    result_action="return_value",
)

Words = Literal["table", "json", "csv"]


@app.command
def evaluate(
    qrels: Annotated[
        str,
        Parameter(
            allow_leading_hyphen=True,
            help="judgements (TREC text, .gz, Parquet); '-' where no metric needs them",
        ),
    ],
    run: Annotated[str, Parameter(help="the run: TREC text, .gz or Parquet")],
    /,
    *runs: Annotated[str, Parameter(help="more runs, printed side by side", show_default=False)],
    metric: Annotated[
        list[str] | None,
        Parameter(name=["--metric", "-m"], help="such as ndcg@10, 'ap(denom=R)@100'; repeat it", negative=""),
    ] = None,
    per_query: Annotated[bool, Parameter(help="one row per query", negative="")] = False,
    items: Annotated[str | None, Parameter(help="the catalogue, a table with an item column")] = None,
    rel: Annotated[float | None, Parameter(help="the grade from which an item is relevant")] = None,
    grades: Literal["auto", "judgements", "ratings", "interactions"] = "auto",
    ties: Literal["item-desc", "item-asc", "order", "best", "worst"] = "item-desc",
    scores: Literal["double", "single"] = "double",
    depth: Annotated[int | None, Parameter(help="only the first n items of each list are seen")] = None,
    duplicates: Literal["error", "first", "drop"] = "error",
    duplicate_grades: Literal["error", "max", "last"] = "error",
    negative: Literal["unjudged", "nonrelevant"] = "unjudged",
    missing: Literal["empty", "skip"] = "empty",
    undefined: Literal["skip", "zero", "one", "error"] = "skip",
    population: Literal["all", "judged"] = "all",
    unjudged: Literal["nonrelevant", "condense"] = "nonrelevant",
    outside: Literal["error", "ignore"] = "error",
    threads: Annotated[int | None, Parameter(help="default: the cores of this process")] = None,
    format: Annotated[Words, Parameter(help="what is printed")] = "table",  # noqa: A002 - the word of the option
    output: Annotated[
        str | None, Parameter(name=["--output", "-o"], help="write here instead of stdout")
    ] = None,
    verbose: Annotated[
        bool, Parameter(name=["--verbose", "-v"], help="the whole policy", negative="")
    ] = False,
) -> None:
    """Evaluate runs against judgements."""
    from rankwell.engines.memory import Memory

    policy = Policy(
        grades=grades,
        ties=ties,
        scores=scores,
        depth=depth,
        duplicates=duplicates,
        duplicate_grades=duplicate_grades,
        negative=negative,
        missing=missing,
        undefined=undefined,
        population=population,
        unjudged=unjudged,
        outside=outside,
        rel=rel,
    )
    if not metric:
        raise UsageError(
            "say which metrics you want: -m ndcg@10 -m ap -m p@5 (`rankwell metrics` lists all)."
        )
    with _progress() as progress:
        evaluator = Evaluator(
            None if qrels == "-" else qrels,
            [part for text in metric for part in split(text)],
            items=items,
            policy=policy,
            engine=Memory(progress=progress),
            threads=threads,
            per_query=per_query,
        )
        results = [evaluator.evaluate(read_run(path)) for path in (run, *runs)]
    from rankwell import summary

    for res in results:
        for warning in summary.warnings_of(res):
            sys.stderr.write(f"rankwell: note: {warning}\n")
    if format == "json":
        data = {
            "rankwell": __version__,
            "schema": 1,
            "runs": [res.to_dict(per_query=per_query) for res in results],
        }
        text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)
    elif format == "csv":
        text = summary.table_of(results, per_query=True).to_csv() if per_query else summary.csv_of(results)
    else:
        table = summary.table_of(results, per_query=per_query, full_policy=verbose)
        text = table.to_text(None if output else _width(), colour=not output and sys.stdout.isatty())
    write(text, output)


@app.command
def explain(metric: Annotated[str, Parameter(help="such as ndcg@10")], /) -> None:
    """Print the definition of a metric: formula, edge cases, rival conventions, switches, source."""
    from rankwell.explanation import explain as card

    write(str(card(metric)), None)


@app.command
def metrics() -> None:
    """List all metrics."""
    from rankwell.explanation import catalogue

    write(catalogue().to_text(_width()), None)


@app.command
def demo() -> None:
    """Evaluate bundled real data and print tables that teach something."""
    from rankwell.demonstration import demo as show

    write(show(_width()), None)


def split(text: str) -> list[str]:
    """Split metrics at commas that stand outside brackets.

    >>> split("ndcg@10,ap(denom=R,rel=2)@5, rr")
    ['ndcg@10', 'ap(denom=R,rel=2)@5', 'rr']
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def write(text: str, path: str | None) -> None:
    """Print the text, or write it to a file that appears only when it is whole.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    text = text.rstrip("\n") + "\n"
    if path is None:
        sys.stdout.write(text)
        return
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(target)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}).") from error


def _width() -> int | None:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


class _progress:
    """A progress line on stderr, on a terminal only."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __enter__(self) -> Callable[[int], object] | None:
        if not sys.stderr.isatty():
            return None
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f} rows"), TimeElapsedColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        task = self._bar.add_task("rows", total=None)
        return lambda rows: self._bar.advance(task, rows)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 fine, 2 usage, 3 bad data; one line on stderr says what is wrong."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace" if stream is sys.stdout else "backslashreplace")
    try:
        app(list(arguments), print_error=False, exit_on_error=False)
        sys.stdout.flush()
    except CycloptsError as error:
        return _fail(" ".join(str(error).split()) + " `rankwell --help` shows how.", USAGE)
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
    return 0


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"rankwell: {message}\n")
    return code
