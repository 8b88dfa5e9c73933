"""Experiment: one file (``rankwell.toml``) that says what is evaluated, compared and let through."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from rankwell.comparison.compare.methods import FailOn, Methods, Mode
from rankwell.errors import InputError, UsageError, brief, nearest, one_of
from rankwell.matching.policy import Policy
from rankwell.readers.bytes.paths import ADDRESS
from rankwell.records import record
from rankwell.tables.arguments import UNFIT, as_path, fit_kind

TEXT, LIST, FILE, RUNS, NUMBER = "text", "a list of texts", "a file", "a list of runs", "a number such as 0.01"  # fmt: skip
AMOUNT = 'a number, or a share such as "1%"'
AMOUNTS = 'a number, a list such as ["rr=0.1"] or a table of numbers'
COLUMNS = "a table of texts or a list of texts"
READ = "format_in", "encoding", "order", "query_ids", "items_in", "scores_from", "qrels_format", "qrels_items_in"  # fmt: skip
# what each word holds: a kind of value, or in a table one by name, or one for whatever names
FORMS: dict[str, Any] = {
    "qrels": TEXT, "metrics": LIST, "baseline": TEXT, "primary": TEXT, "by": LIST, "weights": TEXT, "clusters": TEXT,
    "runs": {...: FILE}, "tables": dict.fromkeys(("train", "items", "users"), FILE), "policy": get_type_hints(Policy),
    "margins": {...: AMOUNT}, "rope": {...: NUMBER}, "seeds": {...: RUNS}, "folds": {...: RUNS},
    "statistics": {name: kind for name, kind in get_type_hints(Methods).items() if name not in ("primary", "margins", "ropes")},
    "read": dict.fromkeys(READ, TEXT) | {"rank_base": Literal[0, 1], "columns": COLUMNS, "qrels_columns": COLUMNS},
    "gate": dict.fromkeys(("min", "min_sure"), AMOUNTS) | {"mode": Mode, "fail_on": FailOn, "strict": bool, "force": bool, "improve": LIST,
                                                           "max_lost": AMOUNT},
}  # fmt: skip
SAID = {int: "a whole number such as 10", float: NUMBER, bool: "true or false", str: TEXT}
SHARE = re.compile(r"\s*[-+]?\d*\.?\d+([eE][-+]?\d+)?\s*%?\s*")
# of SHA-256: enough to tell files apart, short enough for a line of a table
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
        words: dict[str, Any] = {
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
        said = {word: value for word, value in words.items() if value is not None}
        return {**said, **self.tables, **self.policy, **self.statistics, "experiment": self.origin}


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
    file = as_path("path", path)
    try:
        # hashed as it lies there, so that the hash is that of `sha256sum`
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
    words: dict[str, Any] = dict(data)
    for word, value in data.items():
        if FORMS[word] == LIST:
            words[word] = (value,) if isinstance(value, str) else tuple(value)
        elif word in ("runs", "tables"):
            words[word] = {name: _beside(folder, path_or_id) for name, path_or_id in value.items()}
    if "qrels" in data:
        words["qrels"] = _beside(folder, data["qrels"])
    experiment = Experiment(file, origin, **words)
    systems = {**experiment.runs, **experiment.seeds, **experiment.folds}
    if experiment.baseline is not None and experiment.runs and experiment.baseline not in systems:
        raise UsageError(
            f"{file}: baseline = {brief(experiment.baseline)} is none of [runs], {one_of(systems)}."
            f"{nearest(experiment.baseline, systems)}"
        )
    return experiment


def _beside(folder: Path, name: str) -> str:
    """A file named from the folder; addresses and ids of ir_datasets are no paths, and stay as they are."""
    return name if ADDRESS.match(name) or name.startswith("irds:") else str(folder / name)


def _check(file: Path, word: str, value: Any) -> None:
    """Refuse words and kinds of values that an experiment file cannot hold."""
    if word not in FORMS:
        raise UsageError(f"{file}: {brief(word)} is none of {one_of(FORMS)}.{nearest(word, FORMS)}")
    form = FORMS[word]
    if not isinstance(form, dict):
        return _refuse_unfit(f"{file}: {word}", value, form)
    if not isinstance(value, dict):
        raise UsageError(f"{file}: {word} must be a table, not {brief(value)}.")
    for name, own in value.items():
        # ... stands for any name, as of runs
        if name not in form and ... not in form:
            raise UsageError(
                f"{file}: [{word}] has no {brief(name)}, only {one_of(form)}.{nearest(name, form)}"
            )
        _refuse_unfit(f"{file}: [{word}] {name}", own, form.get(name, form.get(...)))
    return None


def _refuse_unfit(place: str, value: Any, form: Any) -> None:
    """Refuse a value that is none of its kind: one of this file's, or that of an argument."""
    if isinstance(form, str):
        fits, said, near = _fits(value, form), form, ""
    else:
        # an optional argument is left out of the file, not written as None
        kinds = [
            kind
            for kind in (get_args(form) if isinstance(form, UnionType) else (form,))
            if kind is not NoneType
        ]
        fits = any(fit_kind(value, kind) is not UNFIT for kind in kinds)
        words = [choice for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
        said, near = one_of(words or [SAID[kind] for kind in kinds]), nearest(value, map(str, words))
    if not fits:
        raise UsageError(f"{place} must be {said}, not {brief(value)}.{near}")


def _fits(value: Any, form: str) -> bool:
    """Whether a value is of a kind that only this file has."""
    if isinstance(value, dict):
        inner = {AMOUNTS: AMOUNT, COLUMNS: TEXT}.get(form)
        return inner is not None and all(_fits(part, inner) for part in value.values())
    if isinstance(value, list):
        return form in (LIST, RUNS, AMOUNTS, COLUMNS) and all(isinstance(part, str) for part in value)
    # "1%" is an amount, but no number: only margins may be shares
    if isinstance(value, str):
        return form not in (RUNS, NUMBER) and (form != AMOUNT or SHARE.fullmatch(value) is not None)
    return form in (NUMBER, AMOUNT, AMOUNTS) and fit_kind(value, float) is not UNFIT
