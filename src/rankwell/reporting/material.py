"""Material: what a report is made from, read and evaluated once; and the files behind it."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from rankwell.comparison.compare.comparison import Comparison
from rankwell.display.page import PageStrings
from rankwell.errors import InputError
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.records import cached_property, record
from rankwell.reporting.chart.systems import FEW, best_first
from rankwell.reporting.chart.theme import MOST_COLOURS
from rankwell.results import Results
from rankwell.results.intervals import MeanInterval, has_interval
from rankwell.tables.items_users import Items, Users
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    from rankwell.comparison.compare.costs import CostEstimates
    from rankwell.comparison.trend import Trend
    from rankwell.evaluation import Evaluator
    from rankwell.readers.texts import Images, Texts
    from rankwell.results.redaction import Redaction


DEPTH = 10  # of lists, where the metric that decides has no cut-off
CHUNK = 1 << 20


@runtime_checkable
class Subject(Protocol):
    """What an optional room makes a report of, beside whose sections its own ones stand."""

    def title(self, words: PageStrings) -> str:
        """Return what the page is called."""
        ...

    def answer(self, words: PageStrings) -> dict[str, Any]:
        """Return the data of the section ``answer``."""
        ...


@record(eq=False)
class Material:
    """What the sections of a report are made from.

    ``results`` are by system, in the order given; there are none if a comparison or a trend was given alone. ``comparison`` is None for
    one system, a trend and the ``subject`` of an optional room. ``evaluator`` and ``runs`` are there if runs were given, not saved results; a run in a file is read when its rows are
    looked at, so ask for few queries. ``costs`` are those of the comparison, or of the system that is alone. A table is None if it was not given.
    """

    results: Mapping[str, Results]
    comparison: Comparison | None
    words: PageStrings
    evaluator: Evaluator | None = None
    runs: Mapping[str, Run] = field(default_factory=dict)
    qrels: Qrels | None = None
    train: Qrels | None = None
    items: Items | None = None
    users: Users | None = None
    query_texts: Texts | None = None
    item_texts: Texts | None = None
    command: str = ""
    inputs: tuple[InputFile, ...] = ()
    redaction: Redaction | None = None
    item_images: Images | None = None
    costs: CostEstimates | None = None
    trend: Trend | None = None
    subject: Subject | None = None

    @property
    def names(self) -> list[str]:
        """The systems, in the order given."""
        return list(self.results) or list(self._compared.names)

    @property
    def systems(self) -> list[str]:
        """What is compared: the systems, or the methods whose seeds or folds they are."""
        comparison = self.comparison
        is_of_methods = comparison is not None and (comparison.seeds or comparison.folds)
        return list(self._compared.names) if is_of_methods else self.names

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, in the order asked."""
        if self.comparison is not None:
            return self.comparison.metrics
        if self.trend is not None:
            return self.trend.metrics
        return next(iter(self.results.values())).metrics

    @property
    def has_judged_items(self) -> bool:
        """Whether judgements are of items, and not of spans of documents: then metrics of items mean something."""
        return self.qrels is not None and not any("spans" in metric.needs for metric in self.metrics)

    @property
    def primary(self) -> Metric:
        """The metric that decides: the primary one, or the first."""
        named = self.comparison.methods.primary if self.comparison is not None else ""
        return metric_of(named) if named else self.metrics[0]

    @property
    def depth(self) -> int:
        """How much of a list is looked at: the cut-off of the metric that decides."""
        return self.primary.k or DEPTH

    def mean(self, system: str, metric: Metric) -> float:
        """A system's mean, as the leaderboard has it."""
        if self.comparison is not None:
            return self.comparison.mean(system, metric).mean
        return self.results[system].mean[str(metric)]

    @cached_property
    def intervals(self) -> dict[str, MeanInterval]:
        """The intervals of the means of a system that is alone; a comparison has its own."""
        (res,) = self.results.values()
        return {str(metric): res.interval(metric) for metric in res.metrics if has_interval(res.part, metric)}

    @cached_property
    def judged(self) -> dict[str, float]:
        """The share of judged items among the first ``depth`` of each list, by system; empty where that means nothing.

        A log of ratings or interactions holds what users happened to choose, so a share says nothing of it.
        """
        wanted = metric_of(f"judged@{self.depth}")
        first = next(iter(self.results.values()), None)
        if first is None or first.grades != "judgements":
            return {}
        if all(wanted in res.metrics for res in self.results.values()):
            return {name: res[wanted] for name, res in self.results.items()}
        # with slices there are other judgements for each part, so one share of all would be of none
        if self.evaluator is None or not self.runs or not self.has_judged_items or self.evaluator.plan.slices:
            return {}
        results = self.evaluator.of_other_metrics([wanted]).results_of_all(self.runs)
        return {name: res[wanted] for name, res in results.items()}

    @cached_property
    def highlighted(self) -> list[str] | None:
        """The runs in colour, the same in all pictures, if they are too many for all: the best by the primary metric, and the baseline."""
        names, metric = list(self.runs), self.primary
        if len(names) <= MOST_COLOURS:
            return None
        best = best_first(names, {name: self.mean(name, metric) for name in names}, metric.better)[:FEW]
        baseline = None if self.comparison is None else self.comparison.baseline
        return best if baseline not in names or baseline in best else [*best, baseline]

    @property
    def _compared(self) -> Comparison:
        assert self.comparison is not None
        return self.comparison


@record
class InputFile:
    """A file: its role (``qrels``, ``train`` … or the name of a system), its name without the folder, its bytes and their SHA-256."""

    role: str
    name: str
    size: int
    sha256: str


def input_files(role: str, source: Any) -> list[InputFile]:
    """Return the files behind a source: a path, a pattern, several of them, or a table that was read from some.

    Raises
    ------
    InputError
        If one cannot be read.
    """
    return [_of(role, path) for path in _paths(source) if path.is_file()]


def _paths(source: Any) -> list[Path]:
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        # a file may be called by brackets or a star itself
        if glob.has_magic(text) and not Path(text).exists():
            return [Path(part) for part in sorted(glob.glob(text, recursive=True))]  # noqa: PTH207 - as readers do
        return [Path(text)]
    if isinstance(source, (list, tuple)) and all(isinstance(part, (str, os.PathLike)) for part in source):
        return [path for part in source for path in _paths(part)]
    own = (getattr(file, "path", None) for file in getattr(source, "files", ()))
    return [path for path in own if path is not None]


def _of(role: str, path: Path) -> InputFile:
    try:
        with path.open("rb") as file:
            digest = hashlib.sha256()
            # in blocks, as runs may be larger than the memory
            while block := file.read(CHUNK):
                digest.update(block)
            return InputFile(role, path.name, file.tell(), digest.hexdigest())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
