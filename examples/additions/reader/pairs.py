"""Lines of a query and its items, each with its score: ``q1 d3=0.9 d7=0.4``."""

from __future__ import annotations

from collections.abc import Mapping

from rankwell.extend import File, Qrels, Run, require_text
from rankwell.extend import read_qrels as qrels_of
from rankwell.extend import read_run as run_of

SUFFIXES = (".pairs",)


def recognises(start: bytes) -> bool:
    """Whether the first bytes of a file can be nothing else."""
    return start.startswith(b"#pairs")


def lists(file: File) -> dict[str, dict[str, float]]:
    """The numbers by query and item."""
    require_text(file)
    found: dict[str, dict[str, float]] = {}
    with file.stream() as lines:
        for line in lines:
            if not line.startswith(b"#"):
                query, *pairs = line.decode().split()
                found[query] = {item: float(score) for item, score in (pair.split("=") for pair in pairs)}
    return found


def read_run(file: File, *, name: str, columns: Mapping[str, str]) -> Run:
    """Return the run in a file of pairs."""
    return run_of(lists(file), name=name, columns=columns)


def read_qrels(file: File, *, name: str, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements in a file of pairs."""
    return qrels_of(lists(file), name=name, columns=columns)
