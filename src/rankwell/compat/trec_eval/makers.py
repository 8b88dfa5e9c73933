"""Makers of metrics from trec_eval's measures and their parameters: cut-offs, recall levels, gains."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Literal, Protocol

import numpy as np

from rankwell.compat.trec_eval.numbers import INTEGER, real, whole
from rankwell.compat.trec_eval.special import Eleven, GainRBP, Relstring, Residual
from rankwell.errors import UsageError, brief
from rankwell.metrics import metric_of
from rankwell.metrics.binary.interpolated import Avg11
from rankwell.metrics.binary.levels import Levels
from rankwell.metrics.diversity.by_topic import ByTopic
from rankwell.metrics.metric import Metric
from rankwell.metrics.parameters import OTHERS_OWN
from rankwell.records import record

Kind = Literal["real", "count", "text", "log"]
RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = tuple(tenth / 10 for tenth in range(11))
MULTIPLES = tuple(fifth / 5 for fifth in range(1, 11))


@record
class Settings:
    """Settings of the command that affect measures."""

    level: int = 1
    version: int = 10
    collection: int | None = None
    groups: Literal["topic", "query"] = "topic"  # the judgement groups of preferences

    @property
    def levels(self) -> Levels:
        """How recall levels are rounded."""
        return "trec9" if self.version == 9 else "trec10"


class Valued(Protocol):
    """What has the values of each topic."""

    def values(self, metric: Metric, /) -> np.ndarray:
        """Return the value of each topic."""


@record
class Printed:
    """A line of output: its name, its metric, and its format; a real number without a metric is 0."""

    name: str
    metric: Metric | None
    kind: Kind = "real"
    is_summary: bool = False  # printed only for all topics together
    text: tuple[Relstring, ...] = ()  # the parts of a text value

    def values(self, res: Valued) -> np.ndarray:
        """Return the value of each topic; its logarithm if the mean is geometric."""
        assert self.metric is not None
        values = res.values(self.metric)
        if self.kind != "log":
            return values
        return np.array([math.log(max(value, 1e-5)) for value in values.tolist()])


Maker = Callable[[str, str | None, Settings], list[Printed]]


def _levelled(metric: Metric, settings: Settings) -> Metric:
    """Return the metric with the level as its ``rel``."""
    has_rel = any(field.name == "rel" for field in fields(metric))
    return replace(metric, rel=float(settings.level)) if has_rel and settings.level != 1 else metric  # type: ignore[call-arg]


def plain(text: str, kind: Kind = "real", *, is_summary: bool = False, is_levelled: bool = True) -> Maker:
    """A measure without parameters."""

    def make(name: str, _: str | None, settings: Settings) -> list[Printed]:
        metric = metric_of(text)
        return [Printed(name, _levelled(metric, settings) if is_levelled else metric, kind, is_summary)]

    return make


def cut(text: str, ranks: Sequence[int] = RANKS, *, is_levelled: bool = True) -> Maker:
    """A measure at cut-offs."""

    def make(name: str, given: str | None, settings: Settings) -> list[Printed]:
        cuts = sorted(map(whole, given.split(","))) if given is not None else list(ranks)
        if cuts[0] <= 0:
            raise UsageError("Negative cutoff detected")
        _refuse_repeated(cuts)
        metric = metric_of(text, complete=False)
        base = _levelled(metric, settings) if is_levelled else metric
        return [Printed(f"{name}_{cut}", base @ cut) for cut in cuts]

    return make


def at(text: str, points: Sequence[float], *, rule: str) -> Maker:
    """A measure at real numbers, such as recall levels; ``rule`` is how they are rounded, by the version if empty."""

    def make(name: str, given: str | None, settings: Settings) -> list[Printed]:
        at = sorted(map(real, given.split(","))) if given is not None else list(points)
        _refuse_repeated(at)
        texts = {1.0: "rprec"} if name.startswith("Rprec_mult") else {}  # nothing is rounded here
        # a multiple of at most 0 ends before the first document: the program leaves its value at 0
        is_nothing = [name.startswith("Rprec_mult") and point <= 0 for point in at]
        return [
            Printed(
                f"{name}_{point:3.2f}",
                None
                if zero
                else _levelled(
                    metric_of(texts.get(point, text.format(point, rule or settings.levels))), settings
                ),
            )
            for point, zero in zip(at, is_nothing, strict=True)
        ]

    return make


def _refuse_repeated(values: Sequence[float]) -> None:
    if len(set(values)) < len(values):
        raise UsageError("duplicate cutoffs detected")


def gains(text: str) -> Maker:
    """A measure of graded gains, which pairs of level and gain may change."""

    def make(name: str, given: str | None, settings: Settings) -> list[Printed]:
        metric = metric_of(text)
        if name == "Rndcg":
            metric = _levelled(metric, settings)
        if given is None:
            return [Printed(name, metric)]
        table = _gains(_pairs(given))
        gain: object = (*table.items(), OTHERS_OWN) if table else "linear"
        return [Printed(f"{name}_{given}", replace(metric, gain=gain))]  # type: ignore[call-arg]

    return make


def _pairs(given: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in given.split(","):
        level, sign, gain = part.partition("=")
        if not sign or "=" in gain:
            raise UsageError(f"malformed pair parameters in '{given}'")
        found.setdefault(level, real(gain))
    return found


def _gains(pairs: Mapping[str, float]) -> dict[float, float]:
    return {float(whole(level)): gain for level, gain in pairs.items() if re.fullmatch(INTEGER, level)}


def rbp(name: str, given: str | None, _: Settings) -> list[Printed]:
    """Rank-biased precision with an optional p; grades are shares of the topic's highest grade, or have gains."""
    pairs = {} if given is None else _pairs(given)
    p = pairs.pop("p", 0.9)
    table = _gains(pairs)  # the program ignores other names too
    metric = (
        GainRBP(p=p, gain=tuple(table.items())) if table else metric_of(f"rbp(p={brief(p)},max_grade=query)")
    )
    return [Printed(name if given is None else f"{name}_{given}", metric)]


def set_f(name: str, given: str | None, settings: Settings) -> list[Printed]:
    """F of the retrieved set; the parameter is the square of beta."""
    metric = metric_of(f"set_f(C={brief(real(given.split(',')[0]))})" if given else "set_f")
    return [Printed(f"{name}_{given}" if given else name, _levelled(metric, settings))]


def utility(name: str, given: str | None, settings: Settings) -> list[Printed]:
    """The value of the retrieved set, given a price for each cell of the contingency table."""
    prices = [real(part) for part in given.split(",")] if given else [1.0, -1.0, 0.0, 0.0]
    if len(prices) != 4:
        raise UsageError("improper number of coefficients")
    if prices[3] and settings.collection is None:
        raise UsageError(
            "utility with a fourth coefficient needs -N, the number of documents in the collection"
        )
    size = f",collection={settings.collection}" if prices[3] else ""
    metric = metric_of(f"utility(prices={prices}{size})")
    return [Printed(f"{name}_{given}" if given else name, _levelled(metric, settings))]


def eleven(name: str, given: str | None, settings: Settings) -> list[Printed]:
    """The mean of interpolated precisions at eleven recall levels, or those given."""
    at = tuple(real(part) for part in given.split(",")) if given else None
    kind = Eleven if at is not None and list(at) != sorted(at) else Avg11
    metric = kind(at=at, levels=settings.levels)
    return [Printed(f"{name}_{given}" if given else name, _levelled(metric, settings))]


def relstring(name: str, given: str | None, _: Settings) -> list[Printed]:
    """The grades at the first ranks, in pieces that fit into a number."""
    length = max(whole(given), 0) if given else 10
    pieces = tuple(
        Relstring(start=start, length=min(Relstring.MOST, length - start))
        for start in range(0, length, Relstring.MOST)
    )
    return [Printed(f"{name}_{given}" if given else name, None, "text", text=pieces)]


def nothing(name: str, *_: object) -> list[Printed]:
    """A line without a metric: the run's name or the number of topics."""
    return [Printed(name, None, "text" if name == "runid" else "count", is_summary=True)]


def preference(text: str, kind: Kind = "real") -> Maker:
    """A measure of preferences within each judgement group, or within each topic."""
    return lambda name, _, settings: [Printed(name, replace(metric_of(text), groups=settings.groups), kind)]  # type: ignore[call-arg]


def by_group(maker: Maker) -> Maker:
    """A measure averaged over the judgement groups of a topic; with a single group, its own value."""

    def make(name: str, given: str | None, settings: Settings) -> list[Printed]:
        lines = maker(name, given, settings)
        if settings.groups == "query":
            return lines
        return [
            line if line.metric is None else replace(line, metric=ByTopic(metric=line.metric, over="all"))
            for line in lines
        ]

    return make


def residual(name: str, *_: object) -> list[Printed]:
    """How much rank-biased precision could still grow."""
    return [Printed(name, Residual(p=0.9))]


def judged_metrics() -> tuple[Metric, ...]:
    """Return the counts of documents retrieved, relevant and retrieved, and judged nonrelevant and retrieved."""
    return tuple(map(metric_of, ("num_ret", "num_rel_ret", "num_nonrel_judged_ret")))
