"""Damage in binary files, and the error that reports it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rankwell.errors import InputError
from rankwell.readers.files import File


class Damage(Exception):
    """What is wrong, in words that end the sentence of the error."""


@contextmanager
def refused(file: File, form: str, *signs: type[Exception]) -> Iterator[None]:
    """Turn damage into an InputError; ``signs`` are what reading raises where the structure is not that of ``form``."""
    expected: tuple[type[Exception], ...] = (Damage, *signs)
    try:
        yield
    except expected as error:
        trouble = error if isinstance(error, Damage) else f"its structure is not that of {form}"
        raise InputError(
            f"{file.label}: the {form} file cannot be read; it is damaged or cut off ({trouble}). Write it again."
        ) from error
