"""Output: standard output, files written atomically, a progress line."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NoReturn

from rankwell.errors import InputError, RankwellError, UsageError, nearest, one_of

if TYPE_CHECKING:  # printing a help or a version needs no paths
    from pathlib import Path

    import polars as pl

    from rankwell.display.table import Table

WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    ".csv": lambda table, path: table.write_csv(path),
    ".tsv": lambda table, path: table.write_csv(path, separator="\t"),
    ".parquet": lambda table, path: table.write_parquet(path),
    ".arrow": lambda table, path: table.write_ipc(path),
    ".jsonl": lambda table, path: table.write_ndjson(path),
}


quiet: ContextVar[bool] = ContextVar("quiet", default=False)  # whether notes and progress are left out


def print_note(text: str) -> None:
    """Print a note on stderr, a line, with control characters as Python writes them; none where the command is to be quiet."""
    from rankwell.display.text import printable

    if not quiet.get():
        sys.stderr.write(f"rankwell: note: {printable(text)}\n")


def write(text: str, path: str | None) -> None:
    """Print the text, or write it to a file atomically.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    text = text.rstrip("\n") + "\n"
    try:
        if path is not None:
            write_bytes(text.encode(errors="replace"), path)
            return
        sys.stdout.write(text)
        sys.stdout.flush()
    except (BrokenPipeError, InputError):
        raise
    except OSError as error:
        raise InputError(f"stdout: cannot be written ({error.strerror}).") from error


def write_bytes(content: bytes, path: str) -> None:
    """Write a file atomically.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    from pathlib import Path

    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)  # devices and pipes cannot be replaced
            return
        with whole_file(target) as whole:
            whole.write_bytes(content)
    except (BrokenPipeError, InputError):
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}).") from error


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path to write to, which replaces the file once writing succeeds.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    import secrets  # loads OpenSSL, which printing does without
    from pathlib import Path

    try:
        target = Path(path).resolve()  # keeps a symbolic link in place
        whole = target.with_name(f".rankwell-{secrets.token_hex(8)}")
        # a new file, never one that is there or where a link leads; its mode is that of the file that it replaces
        os.close(os.open(whole, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be written ({_why(error)}).") from error
    try:
        if target.exists():
            whole.chmod(stat.S_IMODE(target.stat().st_mode))
        yield whole
        whole.replace(target)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({_why(error)}).") from error
    finally:
        whole.unlink(missing_ok=True)


def _why(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def refuse_format(path: str | Path) -> str:
    """Return the suffix of a file name; UsageError if it is that of no format."""
    from pathlib import Path

    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise UsageError(
            f"{path}: tables are written as {one_of(WRITERS)}, by the suffix of the name.{nearest(suffix, WRITERS)}"
        )
    return suffix


def save(table: pl.DataFrame, path: str | Path) -> None:
    """Write a frame in the format of the suffix, atomically.

    Raises
    ------
    UsageError
        If the name does not end in the suffix of a format.
    InputError
        If the file cannot be written.
    """
    write_frame = WRITERS[refuse_format(path)]
    with whole_file(path) as whole:
        write_frame(table, whole)


class ClosedOutput(io.TextIOBase):
    """Standard output where there is none, as after ``>&-``; what is printed to it is an error."""

    def __init__(self, remedy: str) -> None:
        self.remedy = remedy

    def write(self, _: str) -> int:
        """Raise InputError."""
        raise InputError(f"stdout is closed, so nothing can be printed. {self.remedy}")

    @property
    def buffer(self) -> NoReturn:
        """Raise InputError."""
        raise InputError(f"stdout is closed, so nothing can be printed. {self.remedy}")


@contextlib.contextmanager
def printing(remedy: str = "Give -o FILE, or leave stdout open.") -> Iterator[None]:
    """Print to standard output inside; a reader that closes the pipe ends it quietly.

    Raises
    ------
    InputError
        If standard output is closed or takes nothing more.
    """
    sys.stdout = sys.stdout or ClosedOutput(remedy)
    make_safe(sys.stdout, "replace")
    try:
        yield
        sys.stdout.flush()
    except RankwellError:  # some are an OSError too
        raise
    except BrokenPipeError:
        _discard_output()
    except OSError as error:
        if error.filename is not None:  # not of stdout, but of a name that no file can have
            raise InputError(f"{error.filename}: cannot be used ({error.strerror}).") from error
        _discard_output()
        raise InputError(f"stdout: cannot be written ({error.strerror or error}).") from error


def make_safe(stream: Any, errors: str) -> None:
    """Never fail on a character: files and pipes get UTF-8, a terminal what it can show."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors=errors)


def _discard_output() -> None:
    """Let go of what is still to be printed, so that the interpreter does not fail on it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse_overwriting(output: str, inputs: Sequence[str]) -> None:
    """Refuse, before the work, an output that cannot be written or would overwrite an input."""
    from pathlib import Path

    if "\0" in output:
        raise UsageError(f"-o {output}: a path has no NUL character.")
    target = Path(output)
    if not target.parent.is_dir():
        raise InputError(f"{output}: cannot be written (the folder {target.parent} does not exist).")
    if any(target.exists() and Path(path).exists() and target.samefile(path) for path in inputs):
        raise UsageError(f"-o {output} would overwrite an input; choose another name.")


def width() -> int | None:
    """Return the width of the terminal, None if the output is not a terminal."""
    if not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


class ProgressLine:
    """A progress line: each report says how many more rows are done, or how many of all."""

    def __init__(self, bar: Any, task: Any) -> None:
        self._bar, self._task, self._what = bar, task, ""

    def __call__(self, rows: int) -> None:
        """So many rows more are done."""
        self._bar.advance(self._task, rows)

    def of_total(self, what: str, done: int, total: int | None) -> None:
        """So many rows are done of all; with the rate, and the time that is left."""
        if what != self._what:
            self._bar.reset(self._task, description=what, total=total)
            self._what = what
        speed = self._bar.tasks[0].speed
        rate = "" if speed is None else f", {speed:,.0f} a second"
        self._bar.update(
            self._task, completed=done, total=total, all="" if total is None else f" of {total:,}", rate=rate
        )


class ProgressBar:
    """A progress line on stderr, on a terminal only."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __enter__(self) -> ProgressLine | None:
        if not sys.stderr.isatty() or quiet.get():
            return None
        from rich.console import Console
        from rich.progress import Progress as Bar
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        amounts = "{task.completed:,.0f}{task.fields[all]} {task.description}{task.fields[rate]}"
        columns = (
            SpinnerColumn(),
            TextColumn(amounts),
            TimeElapsedColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
        )
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        return ProgressLine(self._bar, self._bar.add_task("rows", total=None, all="", rate=""))

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def in_form(tables: Iterable[Table], form: str, width: int | None = None, colour: bool = False) -> str:
    """Return tables one below the other, as markdown, latex, html, json, csv or terminal text.

    HTML is a whole page. One table is a JSON array of its rows; several are an array of captions, rows and notes.

    Raises
    ------
    UsageError
        If several tables are wanted as CSV, which holds one.
    """
    import json

    tables = list(tables)
    if form in ("json", "csv") and len(tables) == 1:
        return str(getattr(tables[0], f"to_{form}")())
    if form == "json":
        records = [
            {"caption": table.caption, "rows": json.loads(table.to_json()), "notes": [*table.notes]}
            for table in tables
        ]
        return json.dumps(records, ensure_ascii=False, indent=2, allow_nan=False)
    if form == "csv":
        raise UsageError(
            f"a CSV file holds one table, and these are {len(tables)}; choose json, or ask for one."
        )
    if form == "html":
        from rankwell.display.table import html_of  # commands print their help without the table

        return html_of(tables, full=True)
    method = {"markdown": "to_markdown", "latex": "to_latex"}.get(form)
    texts = [getattr(table, method)() if method else table.to_text(width, colour) for table in tables]
    return "\n\n".join(texts)
