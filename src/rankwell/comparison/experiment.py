"""Experiment: one file (``rankwell.toml``) that says what is evaluated, compared and let through."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any

from rankwell.comparison.methods import Methods
from rankwell.errors import InputError, UsageError, brief, nearest, one_of
from rankwell.matching.policy import Policy
from rankwell.readers.scans import ADDRESS
from rankwell.records import record

TEXT, LIST, TABLE = "text", "a list of texts", "a table"
KINDS = {
    "qrels": TEXT, "metrics": LIST, "baseline": TEXT, "primary": TEXT, "by": LIST, "weights": TEXT, "clusters": TEXT,
    "runs": TABLE, "tables": TABLE, "policy": TABLE, "margins": TABLE, "rope": TABLE, "seeds": TABLE, "folds": TABLE,
    "statistics": TABLE, "read": TABLE, "gate": TABLE,
}  # fmt: skip
WORDS = {
    "tables": ("train", "items", "users"),
    "policy": tuple(each.name for each in fields(Policy)),
    "statistics": tuple(
        each.name for each in fields(Methods) if each.name not in ("primary", "margins", "ropes")
    ),
    "read": (
        "format_in",
        "columns",
        "encoding",
        "rank_base",
        "order",
        "query_ids",
        "items_in",
        "scores_from",
        "qrels_format",
        "qrels_columns",
        "qrels_items_in",
    ),
    "gate": ("mode", "fail_on", "strict", "force", "improve", "min", "min_sure", "max_lost"),
}
DIGITS = 16


@record
class Experiment:
    """What an experiment file says; paths are from the folder of the file.

    ``origin`` is the name of the file with the beginning of its SHA-256, which results carry.
    """

    path: Path
    origin: str
    qrels: str | None = None
    runs: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    baseline: str | None = None
    primary: str | None = None
    margins: Mapping[str, Any] = field(default_factory=dict)
    rope: Mapping[str, Any] = field(default_factory=dict)
    seeds: Mapping[str, Any] = field(default_factory=dict)
    folds: Mapping[str, Any] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    weights: str | None = None
    clusters: str | None = None
    tables: Mapping[str, str] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    statistics: Mapping[str, Any] = field(default_factory=dict)
    read: Mapping[str, Any] = field(default_factory=dict)
    gate: Mapping[str, Any] = field(default_factory=dict)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of ``compare``."""
        given: dict[str, Any] = {
            "runs": dict(self.runs),
            "qrels": self.qrels,
            "metrics": list(self.metrics) or None,
            "baseline": self.baseline,
            "primary": self.primary,
            "margins": dict(self.margins) or None,
            "rope": dict(self.rope) or None,
            "seeds": dict(self.seeds) or None,
            "folds": dict(self.folds) or None,
            "by": list(self.by) or None,
            "weights": self.weights,
            "clusters": self.clusters,
            "read": dict(self.read) or None,
        }
        kept = {word: value for word, value in given.items() if value is not None}
        return {**kept, **self.tables, **self.policy, **self.statistics, "experiment": self.origin}


def read_experiment(path: str | Path) -> dict[str, Any]:
    r"""Return what an experiment file says, as arguments of ``compare``: ``rw.compare(**rw.read_experiment("rankwell.toml"))``.

    Parameters
    ----------
    path
        A TOML file with ``qrels``, ``metrics``, ``baseline``, ``primary``, ``by``, ``weights``, ``clusters`` and the tables
        ``[runs]`` (name = file), ``[tables]`` (train, items, users), ``[policy]``, ``[margins]`` and ``[rope]`` (metric =
        number), ``[seeds]`` and ``[folds]`` (name = list of runs), ``[statistics]``, ``[read]``, ``[gate]``. Files are named from its folder.

    Returns
    -------
    dict
        The arguments; ``experiment`` among them is the name and the hash of the file, which the comparison carries.

    Raises
    ------
    InputError, UsageError
        If the file cannot be read or holds a word that it cannot.

    Examples
    --------
    >>> import tempfile, pathlib, rankwell as rw
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "rankwell.toml").write_text('metrics = ["rr"]\n[runs]\nold = "old.run"\n')
    >>> rw.read_experiment(folder / "rankwell.toml")["metrics"]
    ['rr']
    """
    return experiment_of(path).arguments()


def experiment_of(path: str | Path) -> Experiment:
    """Read an experiment file."""
    file = Path(path)
    try:
        content = file.read_bytes()
        data = tomllib.loads(content.decode("utf-8-sig"))  # editors of Windows begin it with a mark
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else reason
        raise InputError(f"{file}: cannot be read as an experiment file ({reason}).") from error
    for word, value in data.items():
        _check(file, word, value)
    origin = f"{file.name} sha256:{hashlib.sha256(content).hexdigest()[:DIGITS]}"
    folder = file.parent
    given: dict[str, Any] = dict(data)
    for word, value in data.items():
        if KINDS[word] == LIST:
            given[word] = (value,) if isinstance(value, str) else tuple(value)
        elif word in ("runs", "tables"):
            given[word] = {name: _beside(folder, each) for name, each in value.items()}
    if "qrels" in data:
        given["qrels"] = _beside(folder, data["qrels"])
    found = Experiment(file, origin, **given)
    systems = {**found.runs, **found.seeds, **found.folds}
    if found.baseline is not None and found.runs and found.baseline not in systems:
        raise UsageError(
            f"{file}: baseline = {brief(found.baseline)} is none of [runs], {one_of(systems)}."
            f"{nearest(found.baseline, systems)}"
        )
    return found


def _beside(folder: Path, name: str) -> str:
    """A file named from the folder; addresses and ids of ir_datasets are no paths, and stay as they are."""
    return name if ADDRESS.match(name) or name.startswith("irds:") else str(folder / name)


def _check(file: Path, word: str, value: Any) -> None:
    """Refuse words and kinds of values that an experiment file cannot hold."""
    if word not in KINDS:
        raise UsageError(f"{file}: {brief(word)} is none of {one_of(KINDS)}.{nearest(word, KINDS)}")
    kind = KINDS[word]
    is_texts = isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    )
    fits = {TEXT: isinstance(value, str), LIST: is_texts, TABLE: isinstance(value, dict)}[kind]
    if not fits:
        raise UsageError(f"{file}: {word} must be {kind}, not {brief(value)}.")
    allowed = WORDS.get(word)
    for name, own in value.items() if kind == TABLE else ():
        if allowed is not None and name not in allowed:
            raise UsageError(
                f"{file}: [{word}] has no {brief(name)}, only {one_of(allowed)}.{nearest(name, allowed)}"
            )
        if word in ("runs", "tables") and not isinstance(own, str):
            raise UsageError(f"{file}: [{word}] {name} must be a file, not {brief(own)}.")
        if word in ("seeds", "folds") and not isinstance(own, list):
            raise UsageError(f"{file}: [{word}] {name} must be a list of runs, not {brief(own)}.")
