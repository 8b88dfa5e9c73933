"""The command line: each command parses, calls one function of the library, and prints."""

from __future__ import annotations

import json
import os
import sys
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
            allow_leading_hyphen=True,
            help="judgements (TREC text, .gz, Parquet); ``-`` for none, where no metric needs them",
        ),
    ],
    run: Annotated[str, Parameter(help="the run: TREC text, .gz or Parquet")],
    /,
    *runs: Annotated[str, Parameter(help="more runs, printed side by side", show_default=False)],
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
    threads: Annotated[int | None, Parameter(help="default: the cores of this process")] = None,
    format: Annotated[  # noqa: A002 - the word of the option
        Literal["table", "json", "csv"], Parameter(help="what is printed")
    ] = "table",
    output: Annotated[
        str | None, Parameter(name=["--output", "-o"], help="write here instead of stdout")
    ] = None,
    verbose: Annotated[
        bool, Parameter(name=["--verbose", "-v"], help="print the whole policy", negative="")
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
        _refuse_overwriting(output, [qrels, *paths, *([items] if items else [])])
    with _Progress() as progress:
        evaluator = Evaluator(
            None if qrels == "-" else qrels,
            [part for text in metric for part in split(text)],
            items=items,
            policy=policy,
            engine=Memory(progress=progress),
            threads=threads,
            per_query=per_query,
        )
        results = [
            evaluator.evaluate(read_run(path, name=name))
            for path, name in zip(paths, run_names(paths), strict=True)
        ]
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


def run_names(paths: Sequence[str]) -> list[str]:
    """Return what each run is called: its file's name, or the path as given where that names several.

    >>> run_names(["a/bm25.run", "b/bm25.run", "a/dense.run"])
    ['a/bm25.run', 'b/bm25.run', 'dense.run']
    """
    names = [Path(path).name for path in paths]
    return [
        path if names.count(name) > 1 else name for path, name in zip(map(str, paths), names, strict=True)
    ]


def write(text: str, path: str | None) -> None:
    """Print the text, or write it to a file that appears only when it is whole.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    text = text.rstrip("\n") + "\n"
    try:
        if path is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            _write_file(text.encode(errors="replace"), Path(path))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"{path or 'stdout'}: cannot be written ({error.strerror}).") from error


def _write_file(content: bytes, target: Path) -> None:
    if target.exists() and not target.is_file():
        target.write_bytes(content)  # a device or a pipe is written to, not replaced
        return
    target = target.resolve()  # a link stays a link
    whole = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        whole.write_bytes(content)
        whole.replace(target)
    finally:
        whole.unlink(missing_ok=True)


def _refuse_overwriting(output: str, inputs: Sequence[str]) -> None:
    """Find out before the work, not after it, that the output cannot be written there."""
    target = Path(output)
    if not target.parent.is_dir():
        raise InputError(f"{output}: cannot be written (there is no folder {target.parent}).")
    if any(target.exists() and Path(path).exists() and target.samefile(path) for path in inputs):
        raise UsageError(f"-o {output} would overwrite what is to be read; give it another name.")


def _width() -> int | None:
    if not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


class _Progress:
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
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - closed with the process
    _make_safe(sys.stdout, "replace")
    _make_safe(sys.stderr, "backslashreplace")
    try:
        app(list(arguments), print_error=False, exit_on_error=False)
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
    return 0


def _make_safe(stream: Any, errors: str) -> None:
    """Let no sign stop the output: files and pipes get UTF-8, a terminal what it can show."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors=errors)


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"rankwell: {' '.join(message.split())}\n")
    return code
