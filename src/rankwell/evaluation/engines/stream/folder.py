"""The folder of an evaluation that can be taken up again: what is done is kept there, and goes when all is."""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rankwell import __version__
from rankwell.errors import InputError, UsageError, brief
from rankwell.evaluation.engines.stream.tables import Tables
from rankwell.results.conditions import digest_of_tables
from rankwell.tables.machine import lock
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.evaluation.plan import OpenedPlan


MARK, LOCK = "rankwell-evaluation", "rankwell-lock"
ENDED = "ended"  # what the mark says of a folder that is being cleared
PREFIX = "rankwell-"


class Nowhere:
    """Keeps nothing; its files have no name, so that none is left by a crash."""

    where = Path(tempfile.gettempdir())

    def load(self, name: str) -> Any:  # noqa: ARG002 - nothing is kept
        """Return None."""
        return None

    def save(self, name: str, value: Any) -> None:
        """Keep nothing."""

    def file(self, name: str) -> IO[bytes]:  # noqa: ARG002 - it has no name
        """Return a new file."""
        return tempfile.TemporaryFile(prefix=PREFIX)

    def clear(self) -> None:
        """Do nothing."""

    def release(self) -> None:
        """Do nothing."""


class Folder:
    """Keeps what is done of one evaluation under names, each whole or not there; no other process has it meanwhile.

    Raises
    ------
    UsageError
        If the folder holds another evaluation, or files that are none of rankwell's, or another evaluation uses it now.
    InputError
        If it cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], identity: str) -> None:
        self.where, self._mark = Path(path), Path(path) / MARK
        name = f"resume={brief(os.fspath(path))}"
        try:
            self._lock = _lock_file(self.where / LOCK)
        except OSError as error:
            raise InputError(f"{name}: {error.strerror}.") from error
        if self._lock is None:
            raise UsageError(
                f"{name}: another process uses this folder now. Wait until it has ended, or name another folder."
            )
        try:
            self._begin(name, identity)
        except OSError as error:
            self.release()
            raise InputError(f"{name}: {error.strerror}.") from error
        except UsageError:
            self.release()
            raise

    def _begin(self, name: str, identity: str) -> None:
        mark = self._mark.read_text() if self._mark.exists() else ""
        if mark == ENDED:  # it was ended while it cleared the folder
            self._remove_files()
            mark = ""
        strangers = (
            [file.name for file in self.where.iterdir() if file.name not in (MARK, LOCK)] if not mark else []
        )
        if strangers:
            raise UsageError(
                f"{name}: the folder holds other files ({strangers[0]}); name an empty or a new one."
            )
        if mark not in ("", identity):
            raise UsageError(
                f"{name}: the folder holds the evaluation of other data, metrics or rules, or of another version of "
                f"rankwell. Remove it, or name another one."
            )
        self._write_mark(identity)

    def _write_mark(self, text: str) -> None:
        new = self.where / f".{MARK}"
        new.write_text(text)
        new.replace(self._mark)

    def load(self, name: str) -> Any:
        """Return what was kept under a name, None if nothing was."""
        try:
            with (self.where / name).open("rb") as file:
                return pickle.load(file)  # noqa: S301 - written here by the same user
        except FileNotFoundError:
            return None

    def save(self, name: str, value: Any) -> None:
        """Keep a value, whole or not at all."""
        new = self.where / f".{name}"
        try:
            with new.open("wb") as file:
                pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
            new.replace(self.where / name)
        except OSError as error:
            raise InputError(f"cannot keep what is done in {self.where}: {error.strerror}.") from error

    def file(self, name: str) -> IO[bytes]:
        """Return a file that is kept, with what is in it."""
        path = self.where / name
        path.touch()
        return path.open("r+b")

    def clear(self) -> None:
        """Remove all that was kept, and the folder; what the system does not remove stays, for the results are more than that.

        First the mark says that all is done: of a folder whose files are gone in part nothing could be taken up again.
        """
        with suppress(OSError):
            self._write_mark(ENDED)
            self._remove_files()
            self._mark.unlink()
        if os.name == "nt":  # removes no open file
            self.release()
        with suppress(OSError):
            (self.where / LOCK).unlink()
            self.where.rmdir()
        self.release()

    def _remove_files(self) -> None:
        for file in self.where.iterdir():
            if file.name not in (MARK, LOCK):
                with suppress(OSError):  # a folder of somebody else
                    file.unlink()

    def release(self) -> None:
        """Let others use the folder; the system does so for a process that is killed."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _lock_file(path: Path) -> IO[bytes] | None:
    """Make the folder of a file, and lock the file until it is closed; None if another one has locked it."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            file = path.open("ab")
        except FileNotFoundError:  # another process has just cleared the folder
            continue
        if not lock(file):
            file.close()
            return None
        # the one that held the lock may have removed the file meanwhile: then this lock keeps nobody away
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()


Keeping = Nowhere | Folder


def identity_of(plan: OpenedPlan, run: Run, tables: Tables, cut: tuple[int | None, str]) -> str:
    """Return a digest of all that the values depend on; UsageError if a table is not in files, which alone are known to be the same later."""
    inputs, division = plan.inputs, None if plan.segments is None else plan.segments.division
    parts: list[Any] = [
        __version__,
        run.name,
        [metric.signature for metric in plan.metrics],
        inputs.asked.policy.to_dict(),
        *cut,
        plan.per_query if isinstance(plan.per_query, bool) else "file",
        plan.tie_ranges,
        None if division is None else (division.by, division.weights),
        None
        if inputs.prepare is None
        else repr(inputs.prepare),  # a preset and two policies, whose fields it prints
    ]
    if plan.ledger is not None:
        parts.append("ledger")  # for which parts hold more
    for name, pieces in tables.items():
        paths = [file.path for file in pieces.files if file.path is not None]
        if not paths or len(paths) < len(pieces.files):
            raise UsageError(
                f"resume= is for tables in files, and {name} is not in one; give the path, or leave out resume=."
            )
        stamps = [file.stamp for file in pieces.files]
        parts.append([name, [str(path.resolve()) for path in paths], stamps])
    slices = inputs.slices if isinstance(inputs.slices, dict) else {"": repr(inputs.slices)}
    parts.append(
        {
            name: items if isinstance(items, str) else digest_of_tables(items, None)
            for name, items in slices.items()
        }
    )
    parts.append(digest_of_tables(inputs.items, inputs.users))
    return hashlib.sha256(repr(parts).encode()).hexdigest()
