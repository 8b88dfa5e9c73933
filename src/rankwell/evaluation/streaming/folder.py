"""The folder of an evaluation that can be taken up again: what is done is kept there, and goes when all is."""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path
from typing import IO, Any

from rankwell.errors import InputError, UsageError, brief

MARK = "rankwell-evaluation"
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


class Folder:
    """Keeps what is done of one evaluation under names, each whole or not there.

    Raises
    ------
    UsageError
        If the folder holds another evaluation, or files that are none of rankwell's.
    InputError
        If it cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], identity: str) -> None:
        self.where = Path(path)
        mark = self.where / MARK
        try:
            self.where.mkdir(parents=True, exist_ok=True)
            held = mark.read_text() if mark.exists() else ""
            others = [each.name for each in self.where.iterdir() if each.name != MARK] if not held else []
            if others:
                raise UsageError(
                    f"resume={brief(os.fspath(path))}: the folder holds other files ({others[0]}); name an empty or a new one."
                )
            if held not in ("", identity):
                raise UsageError(
                    f"resume={brief(os.fspath(path))}: the folder holds the evaluation of other data, metrics or rules, or of another version of "
                    f"rankwell. Remove it, or name another one."
                )
            mark.write_text(identity)
        except OSError as error:
            raise InputError(f"resume={brief(os.fspath(path))}: {error.strerror}.") from error

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
        """Remove all that was kept, and the folder."""
        for each in self.where.iterdir():
            each.unlink()
        self.where.rmdir()


Keeping = Nowhere | Folder
