"""Ledger: a file with a line per evaluation, and ``read_ledger``, which says how often a set of judgements was used and what luck alone would give."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypedDict

import numpy as np

from rankwell.display.result import Result, frame_of_rows
from rankwell.display.saved_files import Kind, Plain
from rankwell.display.table import Column, Table
from rankwell.display.text import PRINTED, plain_row, plain_value
from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.results.part import Part
from rankwell.results.results import Results
from rankwell.statistics.effects import expected_maximum
from rankwell.tables.arguments import as_path, checked
from rankwell.tables.ids import Digest
from rankwell.tables.machine import lock

if TYPE_CHECKING:
    import polars as pl

BEGINNING = b'{"ledger": '  # of each line; the number that follows is the version of its layout
SHORT = 8  # digits of a hash that are shown
DIFFERENT = "runs, definitions: different ones; a run evaluated again, by whatever name, is one"
LUCK = "luck: how far the best of so many equal runs is above its worth, E[max]·sd/√(2n); sd of a paired difference: "
UPPER = "√2 × the largest sd logged, an upper bound: give sd if you know it"
MIXED = "best: of all definitions (signature and policy) of a metric together"
DAMAGED = "lines that cannot be read, such as that of a writer that was killed:"


class Value(TypedDict):
    """The value of a metric in a line: its definition, the mean, and the standard deviation over n queries, None where there is none."""

    signature: str
    better: str
    mean: Plain
    sd: Plain
    n: int


class Line(TypedDict):
    """A line of a ledger: an evaluation of a run by judgements, each by name and hash (None: there are none)."""

    ledger: int
    time: str
    qrels: str | None
    qrels_hash: str | None
    run: str
    run_hash: str
    policy: str
    metrics: dict[str, Value]


LINE = Kind(
    Line, "line of a ledger", "evaluate with ledger= writes them", "leave the line out", None, ("ledger", 1)
)


@record
class Use:
    """What a line needs of the rows: the digests of judgements and run, and of each metric's values their number, mean, and squared deviations.

    Those of parts add up (Chan et al., 1979).
    """

    judgements: Digest
    run: Digest
    spreads: Mapping[Metric, tuple[int, float, float]]

    @classmethod
    def of(cls, judgements: Digest, run: Digest, part: Part) -> Use:
        """Return the use of some rows that a part holds the values of, of which NaN are left out."""
        spreads = {}
        for metric, values in part.values.items():
            own = values[~np.isnan(values)]
            mean = float(own.mean()) if len(own) else 0.0
            spreads[metric] = len(own), mean, float(((own - mean) ** 2).sum())
        return cls(judgements, run, spreads)

    def __add__(self, other: Use) -> Use:
        spreads = {}
        for metric, (n, mean, squares) in self.spreads.items():
            more, its_mean, its_squares = other.spreads[metric]
            apart, share = its_mean - mean, more / max(n + more, 1)
            squares = squares + its_squares + apart * apart * n * share
            spreads[metric] = n + more, mean + apart * share, squares
        return Use(self.judgements + other.judgements, self.run + other.run, spreads)

    def sd(self, metric: Metric) -> float:
        """Return the standard deviation of the values of a metric, divided by n − 1; NaN if there are fewer than two."""
        n, _, squares = self.spreads.get(metric, (0, 0.0, 0.0))
        return math.sqrt(squares / (n - 1)) if n > 1 else math.nan


@record
class LedgerFile:
    """The file that evaluations are written to; ``qrels`` and ``judgements`` are the name and the digest of the judgements, where they are held."""

    path: Path
    qrels: str | None = None
    judgements: Digest = field(default_factory=Digest)

    @classmethod
    def of(cls, path: Any) -> LedgerFile:
        """Return a file that can be written; it is made if there is none. RankwellError if it cannot be written, or holds something else."""
        if not isinstance(path, str | os.PathLike):
            raise UsageError(f"ledger={brief(path)}: must be the path of a file, such as 'ledger.jsonl'.")
        try:
            with Path(path).open("a+b") as file:
                file.seek(0)
                begins = file.read(4 * len(BEGINNING))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"{path}: the ledger cannot be written ({why}).") from error
        if not _is_ledger(begins):
            raise UsageError(f"{path}: this is no ledger, so nothing is written to it. Name a new file.")
        return cls(Path(path))

    def write(self, res: Results, use: Use, qrels: str | None) -> None:
        """Append the line of an evaluation.

        Under a lock and in one write, so that writers at once mix no lines; what another one left of a line when it was killed is ended first. Not
        forced to the disk: a kill loses nothing, and where the power fails, the last uses are missing, for which no evaluation
        needs to wait. If it fails, a warning says so, and the results stay.
        """
        metrics: dict[str, Value] = {}
        for metric in res.metrics:
            name, sd = str(metric), plain_value(use.sd(metric))
            mean, n = plain_value(res.mean[name]), res.n[name]
            metrics[name] = Value(signature=metric.signature, better=metric.better, mean=mean, sd=sd, n=n)
        hashed = None if qrels is None else use.judgements.to_bytes().hex()
        line: Line = {
            "ledger": 1, "time": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", "qrels": qrels, "qrels_hash": hashed, "run": res.name,
            "run_hash": use.run.to_bytes().hex(), "policy": str(res.policy), "metrics": metrics,
        }  # fmt: skip
        text = json.dumps(line, ensure_ascii=False).encode(errors="replace") + b"\n"
        try:
            with self.path.open("a+b", buffering=0) as file:
                lock(file, waits=True)
                end = file.seek(0, os.SEEK_END)
                file.seek(max(end - 1, 0))
                text = b"\n" * (file.read(1) not in (b"", b"\n")) + text
                if file.write(text) < len(text):  # the disk is full
                    file.truncate(end)
                    raise OSError(None, "there is no room")  # noqa: TRY301 - told as any other reason
        except OSError as error:
            lost = f"{self.path}: the evaluation of {res.name} is not in the ledger ({error.strerror})."
            warnings.warn(lost, stacklevel=2)


def _is_ledger(content: bytes) -> bool:
    """Whether a file is a ledger, by how it begins: of its first line a kill may have left a part."""
    second = content.partition(b"\n")[2]
    return BEGINNING.startswith(content) or content.startswith(BEGINNING) or second.startswith(BEGINNING)


class LedgerRow(NamedTuple):
    """How often judgements were used for a metric; NaN is undefined.

    ``uses`` counts evaluations, ``runs`` and ``definitions`` the different ones. ``best`` is the best mean, of ``run``; ``n`` the fewest queries of a
    mean. ``sd`` is the standard deviation of a paired difference, and ``luck`` how far the best of so many equal systems is above its worth.
    """

    qrels: str
    qrels_hash: str
    metric: str
    uses: int
    runs: int
    definitions: int
    first: str
    last: str
    best: float
    run: str
    n: int
    sd: float
    luck: float


@dataclass(frozen=True, eq=False, repr=False)
class Ledger(Result):
    """The uses of judgements; made by ``read_ledger``.

    ``rows`` has a ``LedgerRow`` per set of judgements and metric, ``lines`` counts evaluations, ``damaged`` are the numbers of lines that cannot be
    read. ``sd`` is what was said of paired differences.
    """

    _plural: ClassVar[str] = "ledgers"
    _printed: ClassVar[int | None] = PRINTED

    name: str
    rows: tuple[LedgerRow, ...]
    lines: int
    damaged: tuple[int, ...] = ()
    sd: float | None = None

    def to_table(self) -> Table:
        """Return a row per set of judgements and metric."""
        counts = [Column(name, "count") for name in ("uses", "runs", "definitions")]
        values = [Column("best", "value"), Column("n", "count"), Column("luck", "value")]
        columns = [Column("judgements"), Column("metric"), *counts, Column("first"), Column("last"), *values]
        rows = [
            (" ".join(filter(None, (row.qrels, row.qrels_hash[:SHORT]))), *row[2:6], row.first[:10], row.last[:10], row.best, row.n, row.luck)
            for row in self.rows
        ]  # fmt: skip
        caption = f"Ledger {self.name}: {self.lines:,} evaluation{'s' * (self.lines != 1)}"
        return Table(columns, rows, caption=caption, notes=self.notes(), labels=2)

    def notes(self) -> list[str]:
        """Return what luck is, and which lines cannot be read."""
        notes = [DIFFERENT, LUCK + (UPPER if self.sd is None else f"{self.sd:g}")]
        notes += [MIXED] * any(row.definitions > 1 for row in self.rows)
        return notes + [
            f"{DAMAGED} {len(self.damaged):,}, first line {self.damaged[0]:,}" for _ in self.damaged[:1]
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        rows = [plain_row(row) for row in self.rows]
        own = {"name": self.name, "lines": self.lines, "damaged": [*self.damaged], "sd": self.sd}
        return own | {"rows": rows, "notes": self.notes()}

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per set of judgements and metric; undefined is null."""
        return frame_of_rows(LedgerRow, self.rows)


@checked
def read_ledger(path: Any, *, sd: float | None = None) -> Ledger:
    """Read a ledger: how often judgements were used, and how far the best of so many systems is above its worth by luck alone.

    Formula
        E[max_k] · sd / √(2n): k different runs, n queries, E[max_k] the mean of the largest of k standard normal values

    Parameters
    ----------
    path
        A file that evaluations wrote (``ledger=``, ``--ledger``).
    sd
        The standard deviation of the differences per query of two systems, such as .15; default: √2 × the largest that was logged for one system,
        which is an upper bound, as systems find the same queries hard.

    Returns
    -------
    Ledger
        Print it; ``found.rows`` has a ``LedgerRow`` per set of judgements and metric, ``found.to_frame()`` all of them.

    Raises
    ------
    RankwellError
        If the file cannot be read or is no ledger.

    Notes
    -----
    Judgements and runs are the same if their rows are, in any order and by any name. Luck is of equal systems with independent errors; it says what the
    best mean would gain if nothing were better. Lines that cannot be read are counted.

    Examples
    --------
    >>> import pathlib, tempfile, rankwell as rw
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "ledger.jsonl"
    >>> qrels = {q: {"a": 1, "b": 0} for q in "uvwx"}
    >>> for place in range(3):
    ...     res = rw.evaluate({q: list("ba" if q < "uvw"[place] else "ab") for q in "uvwx"}, qrels, ["rr"], ledger=file)
    >>> [row] = rw.read_ledger(file, sd=.3).rows
    >>> row.uses, row.runs, row.best, row.n, round(row.luck, 4)
    (3, 3, 1.0, 4, 0.0898)
    """
    if sd is not None and not sd > 0:
        raise UsageError(f"sd={sd:g}: must be above 0, such as .15.")
    path = as_path("path", path)
    try:
        with path.open("rb") as file:
            lock(file, waits=True)
            content = file.read()
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error}).") from error
    if not _is_ledger(content):
        raise DataError(f"{path}: this is no ledger; evaluate with ledger= writes one.")
    lines, damaged = [], []
    for number, text in enumerate(content.split(b"\n"), 1):
        try:
            lines += [LINE.decode(text, f"{path}:{number}")] if text else []
        except DataError:
            damaged.append(number)
    groups: dict[str, dict[str, list[Line]]] = {}
    for line in lines:
        of_metrics = groups.setdefault(line["qrels_hash"] or "", {})
        for name in line["metrics"]:
            of_metrics.setdefault(name, []).append(line)
    rows = [_row(hashed, *group, sd) for hashed, own in groups.items() for group in own.items()]
    return Ledger(Path(path).name, tuple(rows), len(lines), tuple(damaged), sd)


def _row(hashed: str, metric: str, lines: list[Line], sd: float | None) -> LedgerRow:
    values = [line["metrics"][metric] for line in lines]
    sign = {"higher": 1.0, "lower": -1.0}.get(values[0]["better"], math.nan)
    turned = sign * np.array([own["mean"] if isinstance(own["mean"], float) else math.nan for own in values])
    at = None if np.isnan(turned).all() else int(np.nanargmax(turned))
    if sd is None:
        logged = [own["sd"] for own in values if isinstance(own["sd"], float)]
        sd = math.sqrt(2) * max(logged, default=math.nan)
    n, runs = min(own["n"] for own in values), len({line["run_hash"] for line in lines})
    definitions = {(own["signature"], line["policy"]) for own, line in zip(values, lines, strict=True)}
    times = sorted(line["time"] for line in lines)
    best, run = (math.nan, "") if at is None else (float(sign * turned[at]), lines[at]["run"])
    luck = abs(sign) * expected_maximum(runs) * sd / math.sqrt(2 * n) if n > 0 else math.nan
    return LedgerRow(
        lines[-1]["qrels"] or "none", hashed, metric, len(lines), runs, len(definitions), times[0], times[-1], best, run, n, sd, luck
    )  # fmt: skip
