"""trec_eval's measures by their names there: which metric each is, with which parameters, and how it is printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

from rankwell.base import Metric
from rankwell.compat.trec_eval.special import Relstring, Residual
from rankwell.errors import UsageError, nearest
from rankwell.metrics import metric_of

Kind = Literal["real", "count", "text", "log"]
RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = tuple(tenth / 10 for tenth in range(11))
MULTIPLES = tuple(fifth / 5 for fifth in range(1, 11))
INTEGER, NUMBER = r"\s*[+-]?\d+", r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"


@dataclass(frozen=True)
class Settings:
    """What the command says beside the measures."""

    level: int = 1
    version: int = 10
    collection: int | None = None
    grades: tuple[float, ...] = ()

    @property
    def levels(self) -> str:
        """How points of recall are rounded."""
        return "trec9" if self.version == 9 else "trec10"


@dataclass(frozen=True)
class Printed:
    """A line of output: its name, the metric whose value it has, and how it is written."""

    name: str
    metric: Metric | None
    kind: Kind = "real"
    is_summary: bool = False  # printed for all topics together only
    text: tuple[Relstring, ...] = ()  # what a text is made of


Maker = Callable[[str, str | None, Settings], list[Printed]]


def whole(text: str) -> int:
    """Read a number as C's atol does: the digits at the beginning, 0 without any."""
    found = re.match(INTEGER, text)
    return int(found.group()) if found else 0


def real(text: str) -> float:
    """Read a number as C's atof does, but for words such as nan."""
    found = re.match(NUMBER, text)
    return float(found.group()) if found else 0.0


def _levelled(metric: Metric, settings: Settings) -> Metric:
    """The metric with the level from which items are relevant."""
    has_rel = any(field.name == "rel" for field in fields(metric))
    return replace(metric, rel=float(settings.level)) if has_rel and settings.level != 1 else metric  # type: ignore[call-arg]


def _plain(text: str, kind: Kind = "real", *, is_summary: bool = False, is_levelled: bool = True) -> Maker:
    """A measure without parameters."""

    def make(name: str, _: str | None, settings: Settings) -> list[Printed]:
        metric = metric_of(text)
        return [Printed(name, _levelled(metric, settings) if is_levelled else metric, kind, is_summary)]

    return make


def _cut(text: str, ranks: Sequence[int] = RANKS, *, is_levelled: bool = True) -> Maker:
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


def _at(text: str, points: Sequence[float], *, rule: str) -> Maker:
    """A measure at real numbers, such as levels of recall; ``rule`` is how they are rounded, by the version if empty."""

    def make(name: str, given: str | None, settings: Settings) -> list[Printed]:
        at = sorted(map(real, given.split(","))) if given is not None else list(points)
        _refuse_repeated(at)
        texts = {1.0: "rprec"} if name == "Rprec_mult" else {}  # where nothing is rounded
        return [
            Printed(
                f"{name}_{point:3.2f}",
                _levelled(metric_of(texts.get(point, text.format(point, rule or settings.levels))), settings),
            )
            for point in at
        ]

    return make


def _refuse_repeated(values: Sequence[float]) -> None:
    if len(set(values)) < len(values):
        raise UsageError("duplicate cutoffs detected")


def _gains(text: str) -> Maker:
    """A measure of graded gains, which pairs of level and gain may change."""

    def make(name: str, given: str | None, settings: Settings) -> list[Printed]:
        metric = metric_of(text)
        if name == "Rndcg":
            metric = _levelled(metric, settings)
        if given is None:
            return [Printed(name, metric)]
        table = {grade: grade for grade in settings.grades if grade >= 0}
        table |= {
            float(whole(level)): gain for level, gain in _pairs(given).items() if re.fullmatch(INTEGER, level)
        }
        return [Printed(f"{name}_{given}", replace(metric, gain=table))]  # type: ignore[call-arg]

    return make


def _pairs(given: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in given.split(","):
        level, sign, gain = part.partition("=")
        if not sign or "=" in gain:
            raise UsageError(f"malformed pair parameters in '{given}'")
        found.setdefault(level, real(gain))
    return found


def _rbp(name: str, given: str | None, _: Settings) -> list[Printed]:
    pairs = {} if given is None else _pairs(given)
    p = pairs.pop("p", 0.9)
    if pairs:
        raise UsageError(f"{name}: gains of one's own are not offered here; give p=")
    metric = metric_of(f"rbp(p={p!r},max_grade=query)")
    return [Printed(name if given is None else f"{name}_{given}", metric)]


def _set_f(name: str, given: str | None, settings: Settings) -> list[Printed]:
    metric = metric_of(f"set_f(C={real(given.split(',')[0])!r})" if given else "set_f")
    return [Printed(f"{name}_{given}" if given else name, _levelled(metric, settings))]


def _utility(name: str, given: str | None, settings: Settings) -> list[Printed]:
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


def _eleven(name: str, given: str | None, settings: Settings) -> list[Printed]:
    at = f"at={[real(part) for part in given.split(',')]}," if given else ""
    metric = metric_of(f"avg11({at}levels={settings.levels})")
    return [Printed(f"{name}_{given}" if given else name, _levelled(metric, settings))]


def _relstring(name: str, given: str | None, _: Settings) -> list[Printed]:
    length = max(whole(given), 0) if given else 10
    pieces = tuple(
        Relstring(start=start, length=min(Relstring.MOST, length - start))
        for start in range(0, length, Relstring.MOST)
    )
    return [Printed(f"{name}_{given}" if given else name, None, "text", text=pieces)]


def _nothing(name: str, *_: object) -> list[Printed]:
    return [Printed(name, None, "text" if name == "runid" else "count", is_summary=True)]


def _residual(name: str, *_: object) -> list[Printed]:
    return [Printed(name, Residual(p=0.9))]


# in the order in which they are printed
MEASURES: Mapping[str, Maker] = {
    "runid": _nothing,
    "num_q": _nothing,
    "num_ret": _plain("num_ret", "count"),
    "num_rel": _plain("num_rel", "count"),
    "num_rel_ret": _plain("num_rel_ret", "count"),
    "map": _plain("ap(denom=R)"),
    "gm_map": _plain("gmap(denom=R)", "log", is_summary=True),
    "Rprec": _plain("rprec"),
    "bpref": _plain("bpref"),
    "recip_rank": _plain("rr"),
    "iprec_at_recall": _at("iprec(level={!r},levels={})", RECALLS, rule=""),
    "P": _cut("p"),
    "relstring": _relstring,
    "recall": _cut("r"),
    "infAP": _plain("infap"),
    "gm_bpref": _plain("gm_bpref", "log", is_summary=True),
    "Rprec_mult": _at("rprec(multiple={!r},levels={})", MULTIPLES, rule="trec9"),
    "utility": _utility,
    "11pt_avg": _eleven,
    "binG": _plain("bing"),
    "G": _gains("g"),
    "dcg": _gains("dcg"),
    "ideal_dcg": _gains("idcg"),
    "ndcg": _gains("ndcg"),
    "ndcg_rel": _gains("ndcg_rel"),
    "Rndcg": _gains("rndcg"),
    "ndcg_cut": _cut("ndcg", is_levelled=False),
    "map_cut": _cut("ap(denom=R)"),
    "relative_P": _cut("r(denom=min_rk)"),
    "success": _cut("hit", (1, 5, 10)),
    "set_P": _plain("set_p"),
    "set_relative_P": _plain("set_r(denom=min_rn)"),
    "set_recall": _plain("set_r"),
    "set_map": _plain("set_ap"),
    "set_F": _set_f,
    "num_nonrel_judged_ret": _plain("num_nonrel_judged_ret", "count"),
    "yaap": _plain("yaap"),
    "rbp": _rbp,
    "rbp_resid": _residual,
    "unj": _cut("unj", (5, 10, 20)),
}
ONLY_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")
SET = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_recall", "set_relative_P",
       "set_map", "set_F")  # fmt: skip
OFFICIAL = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
            "iprec_at_recall", "P")  # fmt: skip
NICKNAMES: Mapping[str, tuple[str, ...]] = {
    "official": OFFICIAL,
    "set": SET,
    "all_trec": tuple(name for name in MEASURES if name not in ("dcg", "ideal_dcg", "yaap")),
}


def known(version: int) -> list[str]:
    """Return the measures of a version, in the order in which it prints them."""
    return [name for name in MEASURES if version == 10 or name not in ONLY_10]


def chosen(wanted: Sequence[str], version: int) -> dict[str, str | None]:
    """Return the measures that were asked for with their parameters, in the order of printing.

    Raises
    ------
    UsageError
        If there is no such measure or nickname, or a dot without a parameter after it.
    """
    names = known(version)
    marked: set[str] = set()
    parameters: dict[str, str] = {}
    for text in wanted:
        name, dot, parameter = text.partition(".")
        if dot:
            if not parameter:
                raise UsageError(f"improper measure in parameter '{name}'")
            parameters.setdefault(name, parameter)  # the first one counts
        if name not in NICKNAMES and name not in names:
            raise UsageError(f"illegal measure '{text}'{nearest(name, [*NICKNAMES, *names])}")
        marked.update(NICKNAMES.get(name, (name,)))
    return {name: parameters.get(name) for name in names if name in marked}


def lines(measures: Mapping[str, str | None], settings: Settings) -> list[Printed]:
    """Return what is printed for measures, with the metrics.

    Raises
    ------
    UsageError
        For a parameter that a measure cannot have.
    """
    return [line for name, given in measures.items() for line in MEASURES[name](name, given, settings)]
