"""Systems: what can be measured: functions, objects, and programs that are called by command lines; and what a search may answer."""

from __future__ import annotations

import contextlib
import copy
import math
import os
import re
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.tables.arguments import plain

FIELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")  # doubled braces stand for themselves
FIELDS = {
    "index": ("items", "index"),
    "search": ("index", "query", "k"),
    "batch": ("index", "queries", "k", "run"),
}
CHUNK = 1 << 16
LONGEST = 1 << 17  # characters of a command, as Linux has it for one argument
LAST = 2_000  # characters of what a program says of its errors


class CallError(Exception):
    """A call that failed in a way that has a name of its own: ``exit``, ``output`` or ``timeout``."""

    def __init__(self, outcome: str, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


def check_system(name: str, system: Any) -> Any:
    """Return a system if it can be measured.

    Raises
    ------
    UsageError
        If it is neither a function nor an object with ``search``.
    """
    if isinstance(system, str):
        raise UsageError(f"{name}: text is no system; give Command({brief(system)}) for a command line.")
    if isinstance(system, type):
        raise UsageError(f"{name}: give an object, not its class: {system.__name__}().")
    if not callable(searches(system)) and not callable(batches(system)):
        raise UsageError(
            f"{name}: a system is a function (query, k), or an object with search(query, k), not {brief(system)}."
        )
    return system


def searches(system: Any) -> Any:
    """Return what answers one query; None if the system answers only batches."""
    if isinstance(system, Command):
        return system.search if "search" in system.commands else None
    return getattr(system, "search", system if callable(system) else None)


def batches(system: Any) -> Any:
    """Return what answers a batch of queries; None if the system answers only one at a time."""
    if isinstance(system, Command):
        return system.search_batch if "batch" in system.commands else None
    return getattr(system, "search_batch", None)


def path_of(system: Any) -> Path | None:
    """Return the file or folder in which a system says that it keeps its index."""
    path = getattr(system, "path", None)
    return Path(path) if isinstance(path, (str, os.PathLike)) else None


class Command:
    """A system of command lines: each call starts a new process, and its latency includes that start.

    Arguments are split as a shell does, but no shell runs them. Braces name what is put in: ``{items}``, the file of documents
    (a table of documents is written as lines of JSON, as BEIR has them); ``{index}``, a folder for the index, whose size on disk is
    measured; ``{query}``, ``{k}``; and for a batch ``{queries}``, a file (UTF-8) of lines ``number<tab>text``, and ``{run}``, the file to write.
    Doubled braces (``{{print}}``) stand for themselves.

    A search prints a line per item: the item, or item and score, or a line of a TREC run. A batch writes a TREC run whose
    query ids are the numbers of the file, to ``{run}`` or, without that, to standard output.

    Parameters
    ----------
    search
        The command of a query; None if there is only a batch.
    index
        The command that indexes.
    batch
        The command that answers all queries of a file.
    output
        How many bytes a program may print; one that goes on is stopped, and the call counts as ``output``.

    Raises
    ------
    UsageError
        For a field in braces that does not exist, or no command that searches.

    Examples
    --------
    >>> Command("seek {index}/all.idx {query} -n {k}", index="build {items} {index}/all.idx").search_words("wing flow", 10)
    ['seek', '/all.idx', 'wing flow', '-n', '10']
    >>> Command("seek {text}")
    Traceback (most recent call last):
        ...
    rankwell.errors.UsageError: search: there is no field {text}; there are {index}, {query} or {k}.
    """

    def __init__(
        self,
        search: str | None = None,
        *,
        index: str | None = None,
        batch: str | None = None,
        output: int = 64 << 20,
    ) -> None:
        if search is None and batch is None:
            raise UsageError("a Command needs search= or batch=.")
        commands = {"search": search, "index": index, "batch": batch}
        for word, command in commands.items():
            plain(word, command, str, None)
        self.commands = {
            word: _split(word, command) for word, command in commands.items() if command is not None
        }
        self.output = plain("output", output, int)
        # given by the one who measures: where the index and the files of a batch are, and the seconds that a query may take
        self.folder: Path | None = None
        self.timeout: float | None = None

    def given(self, folder: Path, timeout: float | None) -> Command:
        """Return the same commands with a folder to work in, and the seconds that a query may take."""
        same = copy.copy(self)
        same.folder, same.timeout = folder, timeout
        return same

    @property
    def path(self) -> Path | None:
        """The folder of the index; None if no command makes one."""
        return self.folder / "index" if "index" in self.commands and self.folder else None

    @property
    def reads_documents(self) -> bool:
        """Whether the command that indexes is given the documents."""
        return any("items" in FIELD.findall(word) for word in self.commands.get("index", ()))

    def index(self, documents: Any) -> None:
        """Run the command that indexes."""
        if self.path is not None:
            self.path.mkdir(exist_ok=True)
            self._run(self._words("index", items=documents), None)

    def open(self) -> None:
        """Nothing: each command opens the index itself."""

    def search_words(self, query: Any, k: int) -> list[str]:
        """Return the words of the command that answers a query."""
        return self._words("search", query=query, k=k)

    def search(self, query: Any, k: int) -> list[tuple[str, float]]:
        """Run the command of a query; return what it printed.

        Raises
        ------
        CallError
            If it did not end well.
        """
        printed = self._run(self.search_words(query, k), self.timeout)
        return _best_first((item, score) for _, item, score in _lines(printed))

    def search_batch(self, queries: list[Any], k: int) -> list[list[tuple[str, float]]]:
        """Run the command of a batch; return the list of each query.

        Raises
        ------
        CallError
            If it did not end well.
        """
        folder = self.folder or Path.cwd()
        query_file, run = folder / "queries.tsv", folder / "batch.run"
        query_file.write_text(
            "".join(f"{at}\t{' '.join(str(query).split())}\n" for at, query in enumerate(queries, 1)),
            encoding="utf-8",
        )
        run.unlink(missing_ok=True)
        seconds = None if self.timeout is None else self.timeout * len(queries)
        printed = self._run(self._words("batch", queries=query_file, run=run, k=k), seconds)
        content = run.read_bytes() if run.exists() else printed
        lists: dict[str, list[tuple[str, float]]] = {str(at): [] for at in range(1, len(queries) + 1)}
        for query, item, score in _lines(content):
            if query not in lists:
                raise CallError(
                    "shape", f"the run has a query {brief(query)}, and the file of queries has not"
                )
            lists[query].append((item, score))
        return [_best_first(answer) for answer in lists.values()]

    def _words(self, task: str, **values: Any) -> list[str]:
        values["index"] = self.path or ""
        return [
            FIELD.sub(lambda field: str(values[field[1]]) if field[1] else field[0][0], word)
            for word in self.commands[task]
        ]

    def _run(self, words: list[str], seconds: float | None) -> bytes:
        """What a program prints within so many seconds; it and all that it started have ended then."""
        try:
            process = subprocess.Popen(  # noqa: S603 - the program that the user wants to measure
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )  # fmt: skip
        except OSError as error:
            raise CallError("exit", f"{words[0]}: cannot be started ({error.strerror})") from None
        try:
            printed, said, code = self._read(process, seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code:
            last = said.decode(errors="replace").strip().splitlines()[-1:]
            how = f"exit {code}" if code > 0 else f"ended by {signal.Signals(-code).name}"
            raise CallError("exit", f"{how}: {last[0]}" if last else how)
        return printed

    def _read(self, process: subprocess.Popen[bytes], seconds: float | None) -> tuple[bytes, bytes, int]:
        """What it prints, what it says of its errors, and its code: one that prints no more may still live on."""
        until = None if seconds is None else time.monotonic() + seconds
        printed, said = bytearray(), bytearray()
        with selectors.DefaultSelector() as selector, process:
            for stream, buffer in (process.stdout, printed), (process.stderr, said):
                selector.register(stream, selectors.EVENT_READ, buffer)  # type: ignore[arg-type]
            while selector.get_map():
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    raise _too_late(process, seconds)
                for key, _ in selector.select(left):
                    chunk = os.read(key.fd, CHUNK)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    key.data.extend(chunk)
                    if len(printed) > self.output:
                        os.killpg(process.pid, signal.SIGKILL)
                        raise CallError("output", f"more than {self.output:,} bytes were printed")
                    # only the last lines of errors are shown, and a program may print them for hours
                    del said[:-LAST]
            try:
                code = process.wait(None if until is None else max(until - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                raise _too_late(process, seconds) from None
        return bytes(printed), bytes(said), code


def _too_late(process: subprocess.Popen[bytes], seconds: float | None) -> CallError:
    """End a program whose time is over, and return the error to raise."""
    os.killpg(process.pid, signal.SIGKILL)
    return CallError("timeout", f"no answer within {seconds:g} s")


def _split(word: str, command: str) -> list[str]:
    """The words of a command, whose fields all exist."""
    fields = FIELDS[word]
    if len(command) > LONGEST:  # before it is split, which takes as long as the square of it
        raise UsageError(f"{word}: a command of {len(command):,} characters can be started by no system.")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{word}: {brief(command)} cannot be split into words ({error}).") from None
    if not words:
        raise UsageError(f"{word}: the command is empty.")
    for field in FIELD.findall(command):
        if field and field not in fields:
            has = one_of(f"{{{each}}}" for each in fields)
            raise UsageError(
                f"{word}: there is no field {{{field}}}; there are {has}.{nearest(field, fields)}"
            )
    return words


def _best_first(answer: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """An answer by its scores, as in a TREC run the order of lines says nothing; equal scores stay in order."""
    return sorted(answer, key=lambda pair: -pair[1])


def _lines(printed: bytes) -> list[tuple[str, str, float]]:
    """Query, item and score of each line; without a score, the items keep their order."""
    rows = [line.split() for line in printed.decode(errors="replace").splitlines() if line.strip()]
    rows_read = []
    for at, row in enumerate(rows):
        try:
            match row:
                case [query, _, item, _, score, _]:
                    rows_read.append((query, item, float(score)))
                case [item, score]:
                    rows_read.append(("", item, float(score)))
                case [item]:
                    rows_read.append(("", item, float(len(rows) - at)))
                case _:
                    raise _not_a_line(at, row)
        except ValueError:
            raise _not_a_line(at, row) from None
    return rows_read


def _not_a_line(at: int, row: list[str]) -> CallError:
    return CallError(
        "shape", f"line {at + 1} is no item, item and score, or line of a run: {brief(' '.join(row))}"
    )


Answer = list[tuple[str | int, float]]


class ShapeError(ValueError):
    """An answer that is no ranked list."""


def take_first(answer: Any, k: int) -> Any:
    """Return an answer that costs nothing more to look at: of an iterator its first entries, one more than may be."""
    return list(islice(answer, k + 1)) if hasattr(answer, "__next__") else answer


def read_answer(answer: Any, k: int) -> Answer:
    """Return the items and scores of an answer, best first.

    An answer is a list of items, of pairs (item, score), a mapping from item to score, or a pair of arrays (items, scores). A list of
    items gets the scores n, n − 1, …, so that its order is kept.

    Raises
    ------
    ShapeError
        If it is none of these, holds more than `k` items or one twice, a score that is no finite number, or scores that rise.
    """
    pairs = _pairs(answer)
    if len(pairs) > k:
        raise ShapeError(f"{len(pairs):,} items came back where {k:,} were asked for")
    pairs_read: Answer = []
    for item, score in pairs:
        # NumPy's numbers become Python's, which can be pickled without NumPy and compared with ids of files
        plain = item.item() if hasattr(item, "item") and not isinstance(item, (str, int)) else item
        if isinstance(plain, bool) or not isinstance(plain, (str, int)):
            raise ShapeError(f"an item is text or a whole number, not {brief(plain)}")
        try:
            value = float(score)
        except (TypeError, ValueError):
            raise ShapeError(f"the score of {brief(plain)} is no number but {brief(score)}") from None
        if not math.isfinite(value):
            raise ShapeError(f"the score of {brief(plain)} is {value}")
        pairs_read.append((plain, value))
    if any(after > before for (_, before), (_, after) in pairwise(pairs_read)):
        raise ShapeError(
            "scores rise down the list: the best item comes first and a higher score is better, so give −distance"
        )
    if len({item for item, _ in pairs_read}) < len(pairs_read):
        raise ShapeError("an item came back twice")
    return pairs_read


def _pairs(answer: Any) -> list[tuple[Any, Any]]:
    if isinstance(answer, Mapping):
        return sorted(answer.items(), key=lambda pair: -pair[1])
    if isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        raise ShapeError(f"an answer is a list of items or of (item, score), not {brief(answer)}")
    if isinstance(answer, tuple) and len(answer) == 2 and all(hasattr(part, "tolist") for part in answer):
        items, scores = (part.tolist() for part in answer)
        if len(items) != len(scores):
            raise ShapeError(f"{len(items):,} items came back with {len(scores):,} scores")
        return list(zip(items, scores, strict=True))
    entries = list(answer)
    if all(isinstance(each, (tuple, list)) and len(each) == 2 for each in entries):
        return [(item, score) for item, score in entries]
    return [(item, len(entries) - at) for at, item in enumerate(entries)]
