"""trec_eval's measures by name, in print order, and the metrics that they are: cut-offs, recall levels, gains, and what only trec_eval has."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import ClassVar, Literal, Protocol

import numpy as np

from rankwell.errors import UsageError, brief, nearest
from rankwell.matching.batch import Context, Judged
from rankwell.metrics import metric_of
from rankwell.metrics.binary.precision import Levels, needed_hits
from rankwell.metrics.binary.precision_recall import Avg11, interpolate
from rankwell.metrics.diversity.by_topic import ByTopic
from rankwell.metrics.graded.users import RBP, RBPResidual
from rankwell.metrics.metric import Metric, QueryMetric, definition
from rankwell.metrics.parameters import OTHERS_OWN, Pairs
from rankwell.records import record
from rankwell.tables.lists import offsets_of

INTEGER, NUMBER = r"\s*[+-]?\d+", r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"


def whole(text: str) -> int:
    """Parse a number as C's atol does: the leading digits, 0 if there are none."""
    number = re.match(INTEGER, text)
    return int(number.group()) if number else 0


def real(text: str) -> float:
    """Parse a number as C's atof does, except words such as nan."""
    number = re.match(NUMBER, text)
    return float(number.group()) if number else 0.0


SIGNS = "0123456789>-.<"  # grades to 9, above 9, not judged, in the pool but unjudged, none of these
MORE, UNKNOWN, POOLED = SIGNS.index(">"), SIGNS.index("-"), SIGNS.index(".")
BASE = len(SIGNS) + 1  # 0 means no item


@definition
class Relstring(QueryMetric):
    """The characters of some ranks as one number in base 15, which a double holds exactly; ``text`` decodes it."""

    MOST: ClassVar[int] = 13  # 15**13 < 2**53
    cut: ClassVar[Literal["required", "optional", "none"]] = "none"
    range: ClassVar[tuple[float, float]] = (0.0, float(BASE**13))
    better: ClassVar[Literal["higher", "lower", "neither"]] = "neither"
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    start: int = 0
    length: int = 10

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:  # noqa: ARG002 - same signature as all metrics
        """One digit per rank, the first rank the highest; '-' for an item unless the judgements say more."""
        shown = np.clip(judged.n_retrieved - self.start, 0, self.length)
        weights = BASE ** np.arange(self.length - 1, -1, -1, dtype=np.int64)
        until = offsets_of(weights)
        number = (UNKNOWN + 1) * until[shown]  # every shown rank is unjudged at first; digit 0 is no item
        rows = judged.found
        place = rows.rank - 1 - self.start
        rows, place = rows.where(inside := (place >= 0) & (place < self.length)), place[inside]
        sign = np.where(rows.grade < 0, POOLED, np.where(rows.grade > 9, MORE, np.trunc(rows.grade)))
        return number + rows.sum((sign - UNKNOWN) * weights[place])

    def text(self, number: float) -> str:
        """Return the characters of a number."""
        digits, left = [], int(number)
        for _ in range(self.length):
            left, digit = divmod(left, BASE)
            digits.append(digit)
        return "".join(SIGNS[digit - 1] for digit in reversed(digits) if digit)


@definition
class Eleven(Avg11):
    """11pt_avg at levels in any order, which the program reads from the last to the first.

    A level that requires more hits than the one read before it, or none, takes the highest precision at any rank, and so do
    all levels read after it.
    """

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:  # noqa: ARG002 - same signature as all metrics
        """The mean over the levels."""
        hits, relevant = judged.relevant(self.rel), judged.n_relevant(self.rel)
        highest = interpolate(hits, relevant, 0.0, self.levels)
        found = hits.count()
        least = found.copy()
        is_read, is_lost = np.zeros(len(found), np.bool_), np.zeros(len(found), np.bool_)
        total = np.zeros(len(found))
        at = self.at or ()
        # the program walks its list of hits once, backwards, and never finds a level that needs more hits than the one before
        for level in reversed(at):
            needed = needed_hits(level, relevant, self.levels)
            is_read |= needed <= found
            is_lost |= is_read & ((needed > least) | (needed == 0))
            least = np.where(is_read & ~is_lost, needed, least)
            total += np.where(is_lost, highest, interpolate(hits, relevant, level, self.levels))
        return total / len(at)


@definition
class Residual(RBPResidual):
    """The residual of RBP as in trec_eval: for every list, even of a query without a relevant item."""

    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The residual, whatever is relevant; 0 if there is no list."""
        return np.where(judged.n_retrieved > 0, self.residual(judged, context), 0.0)


@definition
class GainRBP(RBP):
    """Rank-biased precision with given gains, scaled to the range of gains possible in the topic.

    Formula
        (1 − p) Σ_r p^(r−1) · gain(g_r), over judged documents; if the lowest gain is below 0 or the highest above 1,
        (gain − lowest) / (highest − lowest) instead of gain

    Edge cases
        Lowest and highest are over the gains given and the topic's other grades, 0 to its highest grade, each of which is its
        own gain; so a gain counts there even if no document has its grade. 0 if all gains are the same.

    Parameters
    ----------
        p: the probability of continuing, at least 0 and below 1
        gain: {grade: gain}
    """

    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"
    rises: ClassVar[bool] = False

    p: float = 0.9
    gain: Pairs = ((1.0, 1.0),)  # type: ignore[assignment]

    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """The sums of scaled gains."""
        best, rows = judged.ideal.top(1), judged.found
        highest = best.sum(np.where(context.scale.judged(best.grade), best.grade, 0.0))
        rows = rows.where(context.scale.judged(rows.grade)).top(self.k)
        shares = np.empty(len(rows))
        # the program scales by the gains possible in a topic: those named, and every other grade up to its highest
        for top in np.unique(highest):
            gain = {float(grade): float(grade) for grade in range(int(top) + 1)} | dict(self.gain)
            low, high = min(gain.values()), max(gain.values())
            scale = (low, high - low) if low < 0 or high > 1 else (0.0, 1.0)
            of_topic = np.flatnonzero(highest[rows.query] == top)
            gains = np.array([gain[grade] for grade in rows.grade[of_topic].tolist()])
            shares[of_topic] = (gains - scale[0]) / scale[1] if scale[1] else 0.0
        return rows.sum(shares * self.weights_of(rows.rank))


# Makers of metrics from trec_eval's measures and their parameters: cut-offs, recall levels, gains.


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
class PrintedLine:
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


Maker = Callable[[str, str | None, Settings], list[PrintedLine]]


def _at_level(metric: Metric, settings: Settings) -> Metric:
    """Return the metric with the level as its ``rel``."""
    has_rel = any(field.name == "rel" for field in fields(metric))
    return replace(metric, rel=float(settings.level)) if has_rel and settings.level != 1 else metric  # type: ignore[call-arg]


def plain(text: str, kind: Kind = "real", *, is_summary: bool = False, is_levelled: bool = True) -> Maker:
    """A measure without parameters."""

    def make(name: str, _: str | None, settings: Settings) -> list[PrintedLine]:
        metric = metric_of(text)
        return [PrintedLine(name, _at_level(metric, settings) if is_levelled else metric, kind, is_summary)]

    return make


def cut(text: str, ranks: Sequence[int] = RANKS, *, is_levelled: bool = True) -> Maker:
    """A measure at cut-offs."""

    def make(name: str, parameter: str | None, settings: Settings) -> list[PrintedLine]:
        cuts = sorted(map(whole, parameter.split(","))) if parameter is not None else list(ranks)
        if cuts[0] <= 0:
            raise UsageError("Negative cutoff detected")
        _refuse_repeated(cuts)
        metric = metric_of(text, complete=False)
        base = _at_level(metric, settings) if is_levelled else metric
        return [PrintedLine(f"{name}_{cut}", base @ cut) for cut in cuts]

    return make


def at(text: str, points: Sequence[float], *, rule: str) -> Maker:
    """A measure at real numbers, such as recall levels; ``rule`` is how they are rounded, by the version if empty."""

    def make(name: str, parameter: str | None, settings: Settings) -> list[PrintedLine]:
        at = sorted(map(real, parameter.split(","))) if parameter is not None else list(points)
        _refuse_repeated(at)
        texts = {1.0: "rprec"} if name.startswith("Rprec_mult") else {}  # nothing is rounded here
        # a multiple of at most 0 ends before the first document: the program leaves its value at 0
        is_empty = [name.startswith("Rprec_mult") and point <= 0 for point in at]
        return [
            PrintedLine(
                f"{name}_{point:3.2f}",
                None
                if zero
                else _at_level(
                    metric_of(texts.get(point, text.format(point, rule or settings.levels))), settings
                ),
            )
            for point, zero in zip(at, is_empty, strict=True)
        ]

    return make


def _refuse_repeated(values: Sequence[float]) -> None:
    if len(set(values)) < len(values):
        raise UsageError("duplicate cutoffs detected")


def gains(text: str) -> Maker:
    """A measure of graded gains, which pairs of level and gain may change."""

    def make(name: str, parameter: str | None, settings: Settings) -> list[PrintedLine]:
        metric = metric_of(text)
        if name == "Rndcg":
            metric = _at_level(metric, settings)
        if parameter is None:
            return [PrintedLine(name, metric)]
        table = _gains(_pairs(parameter))
        gain: object = (*table.items(), OTHERS_OWN) if table else "linear"
        return [PrintedLine(f"{name}_{parameter}", replace(metric, gain=gain))]  # type: ignore[call-arg]

    return make


def _pairs(parameter: str) -> dict[str, float]:
    pairs: dict[str, float] = {}
    for part in parameter.split(","):
        level, sign, gain = part.partition("=")
        if not sign or "=" in gain:
            raise UsageError(f"malformed pair parameters in '{parameter}'")
        pairs.setdefault(level, real(gain))
    return pairs


def _gains(pairs: Mapping[str, float]) -> dict[float, float]:
    return {float(whole(level)): gain for level, gain in pairs.items() if re.fullmatch(INTEGER, level)}


def rbp(name: str, parameter: str | None, _: Settings) -> list[PrintedLine]:
    """Rank-biased precision with an optional p; grades are shares of the topic's highest grade, or have gains."""
    pairs = {} if parameter is None else _pairs(parameter)
    p = pairs.pop("p", 0.9)
    table = _gains(pairs)  # the program ignores other names too
    metric = (
        GainRBP(p=p, gain=tuple(table.items())) if table else metric_of(f"rbp(p={brief(p)},max_grade=query)")
    )
    return [PrintedLine(name if parameter is None else f"{name}_{parameter}", metric)]


def set_f(name: str, parameter: str | None, settings: Settings) -> list[PrintedLine]:
    """F of the retrieved set; the parameter is the square of beta."""
    metric = metric_of(f"set_f(C={brief(real(parameter.split(',')[0]))})" if parameter else "set_f")
    return [PrintedLine(f"{name}_{parameter}" if parameter else name, _at_level(metric, settings))]


def utility(name: str, parameter: str | None, settings: Settings) -> list[PrintedLine]:
    """The value of the retrieved set, given a price for each cell of the contingency table."""
    prices = [real(part) for part in parameter.split(",")] if parameter else [1.0, -1.0, 0.0, 0.0]
    if len(prices) != 4:
        raise UsageError("improper number of coefficients")
    if prices[3] and settings.collection is None:
        raise UsageError(
            "utility with a fourth coefficient needs -N, the number of documents in the collection"
        )
    size = f",collection={settings.collection}" if prices[3] else ""
    metric = metric_of(f"utility(prices={prices}{size})")
    return [PrintedLine(f"{name}_{parameter}" if parameter else name, _at_level(metric, settings))]


def eleven(name: str, parameter: str | None, settings: Settings) -> list[PrintedLine]:
    """The mean of interpolated precisions at eleven recall levels, or those given."""
    at = tuple(real(part) for part in parameter.split(",")) if parameter else None
    kind = Eleven if at is not None and list(at) != sorted(at) else Avg11
    metric = kind(at=at, levels=settings.levels)
    return [PrintedLine(f"{name}_{parameter}" if parameter else name, _at_level(metric, settings))]


def relstring(name: str, parameter: str | None, _: Settings) -> list[PrintedLine]:
    """The grades at the first ranks, in pieces that fit into a number."""
    length = max(whole(parameter), 0) if parameter else 10
    pieces = tuple(
        Relstring(start=start, length=min(Relstring.MOST, length - start))
        for start in range(0, length, Relstring.MOST)
    )
    return [PrintedLine(f"{name}_{parameter}" if parameter else name, None, "text", text=pieces)]


def nothing(name: str, *_: object) -> list[PrintedLine]:
    """A line without a metric: the run's name or the number of topics."""
    return [PrintedLine(name, None, "text" if name == "runid" else "count", is_summary=True)]


def preference(text: str, kind: Kind = "real") -> Maker:
    """A measure of preferences within each judgement group, or within each topic."""
    return lambda name, _, settings: [
        PrintedLine(name, replace(metric_of(text), groups=settings.groups), kind)  # type: ignore[call-arg]
    ]


def by_group(maker: Maker) -> Maker:
    """A measure averaged over the judgement groups of a topic; with a single group, its own value."""

    def make(name: str, parameter: str | None, settings: Settings) -> list[PrintedLine]:
        lines = maker(name, parameter, settings)
        if settings.groups == "query":
            return lines
        return [
            line if line.metric is None else replace(line, metric=ByTopic(metric=line.metric, over="all"))
            for line in lines
        ]

    return make


def residual(name: str, *_: object) -> list[PrintedLine]:
    """How much rank-biased precision could still grow."""
    return [PrintedLine(name, Residual(p=0.9))]


def judged_metrics() -> tuple[Metric, ...]:
    """Return the counts of documents retrieved, relevant and retrieved, and judged nonrelevant and retrieved."""
    return tuple(map(metric_of, ("num_ret", "num_rel_ret", "num_nonrel_judged_ret")))


# trec_eval's measures by name, in print order, and its names for groups of measures.


PREFERENCES: Mapping[str, Maker] = {
    "prefs_num_prefs_poss": preference("prefs_num_poss", "count"),
    "prefs_num_prefs_ful": preference("prefs_num_ful", "count"),
    "prefs_num_prefs_ful_ret": preference("prefs_num_ful(pairs=both)", "count"),
    "prefs_simp": preference("prefs_simp"),
    "prefs_pair": preference("prefs_pair"),
    "prefs_avgjg": preference("prefs_avgjg(over=all)"),
    "prefs_avgjg_Rnonrel": preference("prefs_avgjg_rnonrel(over=all,rule=trec_eval)"),
    "prefs_simp_ret": preference("prefs_simp(pairs=both)"),
    "prefs_pair_ret": preference("prefs_pair(pairs=both)"),
    "prefs_avgjg_ret": preference("prefs_avgjg(pairs=both,over=all)"),
    "prefs_avgjg_Rnonrel_ret": preference("prefs_avgjg_rnonrel(pairs=both,over=all,rule=trec_eval)"),
    "prefs_simp_imp": preference("prefs_simp(pairs=one)"),
    "prefs_pair_imp": preference("prefs_pair(pairs=one)"),
    "prefs_avgjg_imp": preference("prefs_avgjg(pairs=one,over=all)"),
}
NAMES = tuple(PREFERENCES)
# in print order
MEASURES: Mapping[str, Maker] = {
    "runid": nothing,
    "num_q": nothing,
    "num_ret": plain("num_ret", "count"),
    "num_rel": plain("num_rel", "count"),
    "num_rel_ret": plain("num_rel_ret", "count"),
    "map": plain("ap(denom=R)"),
    "gm_map": plain("gmap(denom=R)", "log", is_summary=True),
    "Rprec": plain("rprec"),
    "bpref": plain("bpref"),
    "recip_rank": plain("rr"),
    "iprec_at_recall": at("iprec(level={!r},levels={})", RECALLS, rule=""),
    "P": cut("p"),
    "relstring": relstring,
    "recall": cut("r"),
    "infAP": plain("infap"),
    "gm_bpref": plain("gm_bpref", "log", is_summary=True),
    "Rprec_mult": at("rprec(multiple={!r},levels={})", MULTIPLES, rule="trec9"),
    "utility": utility,
    "11pt_avg": eleven,
    "binG": plain("bing"),
    "G": gains("g"),
    "dcg": gains("dcg"),
    "ideal_dcg": gains("idcg"),
    "ndcg": gains("ndcg"),
    "ndcg_rel": gains("ndcg_rel"),
    "Rndcg": gains("rndcg"),
    "ndcg_cut": cut("ndcg", is_levelled=False),
    "map_cut": cut("ap(denom=R)"),
    "relative_P": cut("r(denom=min_rk)"),
    "success": cut("hit", (1, 5, 10)),
    "set_P": plain("set_p"),
    "set_relative_P": plain("set_r(denom=min_rn)"),
    "set_recall": plain("set_r"),
    "set_map": plain("set_ap"),
    "set_F": set_f,
    "num_nonrel_judged_ret": plain("num_nonrel_judged_ret", "count"),
    **PREFERENCES,
    "map_avgjg": by_group(plain("ap(denom=R)")),
    "P_avgjg": by_group(cut("p")),
    "Rprec_mult_avgjg": by_group(at("rprec(multiple={!r},levels={})", MULTIPLES, rule="trec9")),
    "yaap": plain("yaap"),
    "rbp": rbp,
    "rbp_resid": residual,
    "unj": cut("unj", (5, 10, 20)),
}
BY_GROUP = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")
ONLY_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")
SET = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_recall", "set_relative_P",
       "set_map", "set_F")  # fmt: skip
OFFICIAL = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
            "iprec_at_recall", "P")  # fmt: skip
NICKNAMES: Mapping[str, tuple[str, ...]] = {
    "official": OFFICIAL,
    "set": SET,
    "all_trec": tuple(
        name for name in MEASURES if name not in ("dcg", "ideal_dcg", "yaap", *NAMES, *BY_GROUP)
    ),
    "all_prefs": ("runid", "num_q", *NAMES),
    "prefs": ("runid", "num_q", *NAMES[:6]),
    "qrels_jg": ("runid", "num_q", *BY_GROUP),
}
FORMATS = ("qrels", "qrels_jg", "prefs", "qrels_prefs")


def measures_of_version(version: int) -> list[str]:
    """Return the measures of a version, in print order."""
    return [name for name in MEASURES if version == 10 or name not in ONLY_10]


def select_measures(texts: Sequence[str], version: int) -> dict[str, str | None]:
    """Return the measures asked for with their parameters, in print order.

    Raises
    ------
    UsageError
        For an unknown measure or nickname, or a dot without a parameter after it.
    """
    names = measures_of_version(version)
    marked: set[str] = set()
    parameters: dict[str, str] = {}
    for text in texts:
        name, dot, parameter = text.partition(".")
        if dot:
            if not parameter:
                raise UsageError(f"improper measure in parameter '{name}'")
            parameters.setdefault(name, parameter)  # the first one counts
        if name not in NICKNAMES and name not in names:
            raise UsageError(f"illegal measure '{text}'{nearest(name, [*NICKNAMES, *names])}")
        marked.update(NICKNAMES.get(name, (name,)))
    return {name: parameters.get(name) for name in names if name in marked}


def first_misplaced(measures: Iterable[str], rel_format: str) -> str | None:
    """Return the first measure that cannot be computed from this format of judgements."""
    for name in measures:
        formats = (
            ("prefs", "qrels_prefs") if name in NAMES else ("qrels_jg",) if name in BY_GROUP else ("qrels",)
        )
        if name not in ("runid", "num_q") and rel_format not in formats:
            return name
    return None


def lines_of(measures: Mapping[str, str | None], settings: Settings) -> list[PrintedLine]:
    """Return the lines to print for measures, with their metrics.

    Raises
    ------
    UsageError
        For an invalid parameter of a measure.
    """
    return [
        line for name, parameter in measures.items() for line in MEASURES[name](name, parameter, settings)
    ]
