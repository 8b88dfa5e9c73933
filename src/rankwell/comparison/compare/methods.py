"""Methods: which tests, corrections and intervals a comparison uses, as one value that is printed with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.metrics.metric import Metric

Test = Literal["t", "flips", "wilcoxon", "sign"]
Correction = Literal["auto", "holm", "maxt", "tukey", "bh", "by", "none"]
FamilyOf = Literal["metric", "all"]
Mode = Literal["regression", "non-inferiority"]  # of a gate
FailOn = Literal["drop", "margin"]
Direction = Literal["both", "better", "worse"]  # of the queries on which two runs differ

TESTS = {
    "t": "paired t-tests",
    "flips": "sign-flip tests",
    "wilcoxon": "Wilcoxon's signed-rank tests (Pratt's zeros), which test symmetry, not the mean",
    "sign": "sign tests, which test the median, not the mean",
}
CORRECTIONS = {
    "holm": "Holm",
    "maxt": "step-down maxT over sign flips (studentised)",
    "tukey": "randomised Tukey HSD, which holds if all systems are exchangeable",
    "bh": "Benjamini–Hochberg, which controls the false discovery rate (FDR), not the chance of any error",
    "by": "Benjamini–Yekutieli, which controls the false discovery rate (FDR), not the chance of any error",
    "none": "no correction for the number of comparisons",
}
INTERVALS = {
    "studentised": "studentised Poisson bootstrap",
    "wilson": "Wilson's for values that are only 0 or 1",
    "betting": "hedged betting where others are likely too short",
    "t": "Student's t",
    "seeds": "two-way bootstrap over seeds and queries",
}
FLIPS, RESAMPLES = 100_000, 2_000
LEAST_ALPHA, MOST_POWER = 1e-6, 0.9999


def refuse_odds(alpha: float, power: float) -> None:
    """Refuse chances of error that nobody can want, and that no sample can show.

    Raises
    ------
    UsageError
        If alpha is not from 1e-6 to 0.5, or power not from 0.5 to 0.9999.
    """
    if not LEAST_ALPHA <= alpha <= 0.5:
        raise UsageError(f"alpha={alpha:g}: must be from {LEAST_ALPHA:g} to 0.5, such as 0.05.")
    if not 0.5 <= power <= MOST_POWER:
        raise UsageError(f"power={power:g}: must be from 0.5 to {MOST_POWER:g}, such as 0.8.")


def refuse_more_than_all(word: str, metric: Metric, amount: float, *, share: bool = False) -> None:
    """Refuse a margin that no two means of a metric can differ by: whatever is measured would be within it.

    With ``share`` the amount may also be written as a share of a mean, which is then what is likely meant.

    Raises
    ------
    UsageError
        If the amount is not less than the length of the range of the metric.
    """
    low, high = metric.range
    most = high - low
    if amount < most:
        return
    # who writes 5 and means 5 % is told what to write, where that would make sense
    meant = f"{amount:g}%" if share else f"{amount / 100:g}"
    near = f"; did you mean {meant}?" if amount / 100 < most and amount < 100 else "."
    can = "all that" if amount == most else "larger than"
    does = "drop" if share else "differ by"
    raise UsageError(
        f"a {word} of {amount:g} is {can} {metric} can {does}, whose values are from {low:g} to {high:g}{near}"
    )


@record(kw_only=True)
class Methods:
    """How differences are tested; checked when made.

    ``test`` gives the p-value of one comparison, ``correction`` that of a family of them; ``auto`` is Holm beside a baseline and
    step-down maxT for all pairs. ``maxt`` and ``tukey`` have tests of their own. A family is one metric's comparisons of all
    queries, and in another one those of its segments, or with ``family="all"`` everything. Intervals hold 1 − ``alpha``.
    ``flips`` and ``resamples`` are the numbers of random replicates, drawn by ``seed``. ``margins`` are the differences, by
    metric, up to which two systems count as equivalent, ``ropes`` those within which a Bayesian calls them practically equal.
    """

    test: Test = "t"
    correction: Correction = "auto"
    family: FamilyOf = "metric"
    alpha: float = 0.05
    power: float = 0.8
    flips: int = FLIPS
    resamples: int = RESAMPLES
    seed: int = 0
    primary: str = ""
    margins: Mapping[str, float] = field(default_factory=dict)
    ropes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for word, value, allowed in (
            ("test", self.test, get_args(Test)),
            ("correction", self.correction, get_args(Correction)),
            ("family", self.family, get_args(FamilyOf)),
        ):
            if value not in allowed:
                raise UsageError(
                    f"{word}={brief(value)}: must be {one_of(allowed)}.{nearest(value, allowed)}"
                )
        refuse_odds(self.alpha, self.power)
        if self.flips < 99 or self.resamples < 99:
            raise UsageError(
                f"flips={self.flips} and resamples={self.resamples} are numbers of random replicates: at least 99 each."
            )
        for name, margin in self.margins.items():
            if not margin > 0:
                raise UsageError(
                    f"margin of {name} = {margin:g}: must be above 0, in units of the metric, such as 0.01."
                )
        for name, rope in self.ropes.items():
            if not rope >= 0:
                raise UsageError(
                    f"rope of {name} = {rope:g}: must be 0 or more, in units of the metric, such as 0.01."
                )
        if self.correction in ("maxt", "tukey") and self.test not in ("t", "flips"):
            raise UsageError(
                f"correction={brief(self.correction)} has a test of its own, so test={brief(self.test)} cannot go with it; use "
                f"correction='holm'."
            )

    @property
    def level(self) -> float:
        """The share of intervals that should hold the true value."""
        return 1 - self.alpha

    def chosen(self, *, has_baseline: bool) -> str:
        """The correction, where ``auto`` is decided."""
        if self.correction != "auto":
            return self.correction
        return "holm" if has_baseline or self.test in ("wilcoxon", "sign") else "maxt"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return asdict(self) | {"margins": dict(self.margins), "ropes": dict(self.ropes)}
