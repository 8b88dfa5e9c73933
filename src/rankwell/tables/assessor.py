"""Assessor: who judged, a person or a model."""

from __future__ import annotations

import re
from typing import Literal

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.records import SetOnce, record
from rankwell.tables.arguments import plain

KINDS = "human", "model"
FORM = "write human, human:NAME or model:NAME, and after commas prompt=… and date=…"
BREAKING = re.compile(r"[,=\n\r]")
DIGITS = 12  # of the hash of a prompt


@record
class Assessor(SetOnce):
    """Who judged: ``human`` or ``model``, its name, and for a model the prompt and the date, which decide what it says.

    A ``prompt`` with spaces is taken for the text of the prompt, and its hash is kept: the first 12 digits of SHA-256.

    Raises
    ------
    UsageError
        For another kind, or a model without a name, or with a comma, ``=`` or a line end in it.

    Examples
    --------
    >>> print(Assessor("model", "gpt-4o", prompt="How relevant is this passage?", date="2025-03-01"))
    model gpt-4o (prompt 6c64c188e058, 2025-03-01)
    >>> Assessor.of("model:gpt-4o,date=2025-03-01") == Assessor("model", "gpt-4o", date="2025-03-01")
    True
    """

    kind: Literal["human", "model"]
    name: str = ""
    prompt: str = ""
    date: str = ""

    def __post_init__(self) -> None:
        for word in ("kind", "name", "prompt", "date"):
            plain(f"assessor {word}", getattr(self, word), str)
        kind: str = self.kind
        if kind not in KINDS:
            near = nearest(kind, KINDS)
            raise UsageError(f"assessor: the kind {brief(self.kind)} must be {one_of(KINDS)}.{near} {FORM}.")
        if self.kind == "model" and not self.name:
            raise UsageError("assessor: a model needs its name, such as model:gpt-4o.")
        if self.kind == "model" and (found := BREAKING.search(self.name)):
            raise UsageError(
                f"assessor: the name of a model cannot have {brief(found[0])}, which parts it from its prompt and date where judgements "
                f"are written: {brief(self.name)}. Write another sign, such as '-'."
            )
        if re.search(r"\s", self.prompt):
            import hashlib

            digest = hashlib.sha256(self.prompt.encode()).hexdigest()[:DIGITS]
            object.__setattr__(self, "prompt", digest)

    @classmethod
    def of(cls, value: Assessor | str) -> Assessor:
        """Return an assessor from its text, such as ``"human"`` or ``"model:gpt-4o,prompt=3fa9c1,date=2025-03-01"``."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, str):
            raise UsageError(f"assessor={brief(value)}: {FORM}.")
        head, *rest = (part.strip() for part in value.split(","))
        kind, _, name = head.partition(":")
        given = {word: text for word, _, text in (part.partition("=") for part in rest)}
        for word, text in given.items():
            if word not in ("prompt", "date") or not text:
                raise UsageError(f"assessor={brief(value)}: {FORM}.")
        return cls(kind.strip(), name.strip(), **given)  # type: ignore[arg-type] # checked when made

    def __str__(self) -> str:
        more = [f"prompt {self.prompt}"] if self.prompt else []
        more += [self.date] if self.date else []
        words = " ".join(each for each in (self.kind, self.name) if each)
        return f"{words} ({', '.join(more)})" if more else words
