"""Checks: what the gate decides on. A check is a value, so whatever can be measured twice can join: quality, latency, cost."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, NamedTuple

import numpy as np

from rankwell.comparison.compare.methods import FailOn, Mode, refuse_odds
from rankwell.errors import UsageError, brief
from rankwell.records import record
from rankwell.statistics.effects import smallest_visible, units_needed
from rankwell.statistics.families import holm
from rankwell.statistics.many import PLAIN, Design
from rankwell.statistics.paired_tests import Margins, margins, t_test
from rankwell.statistics.parts import student

MANY, RESAMPLES = (
    10_000,
    2_000,
)  # from so many units on means are normal whatever the values; bootstrap replicates
Goal = Literal["keep", "improve"]
NUMBER = re.compile(r"\s*([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)\s*(%?)\s*")


class Margin(NamedTuple):
    """A drop that is tolerated: a number in units of the metric, or a share of the baseline's mean."""

    value: float
    is_relative: bool = False

    @classmethod
    def of(cls, given: object) -> Margin:
        """Read ``0.01``, ``"0.01"`` or ``"1%"``.

        >>> Margin.of("1%"), Margin.of(0.02)
        (Margin(value=0.01, is_relative=True), Margin(value=0.02, is_relative=False))
        """
        # Python refuses to write the largest whole numbers
        match = NUMBER.fullmatch(brief(given) if isinstance(given, int) else str(given))
        if match is None or not math.isfinite(float(match[1])):
            raise UsageError(f"a margin is a number such as 0.01, or a share such as 1%, not {brief(given)}.")
        return cls(float(match[1]) / (100 if match[2] else 1), bool(match[2]))

    def __str__(self) -> str:
        return f"{self.value * 100:g}%" if self.is_relative else f"{self.value:g}"


class CheckFinding(NamedTuple):
    """What one check found, turned so that larger is better; NaN is unknown.

    ``p_drop`` is small if it surely dropped, ``p_margin`` if it surely did not drop by the margin, ``p_beyond`` if it surely
    dropped by more, ``p_better`` if it surely improved; ``low`` is the lower bound of the difference. ``visible`` is the
    smallest drop that is found with a power of .8, ``needed`` the number of units that the margin needs.
    """

    n: int
    lost: int
    old: float
    new: float
    difference: float
    low: float
    high: float
    allowed: float
    p_drop: float
    p_margin: float
    p_beyond: float
    p_better: float
    visible: float
    needed: float
    method: str


@record(eq=False)
class Paired:
    """A check of paired values: a number per unit, NaN where undefined, of the new and of the old system."""

    name: str
    new: np.ndarray
    old: np.ndarray
    units: np.ndarray
    margin: Margin
    better: Literal["higher", "lower"] = "higher"
    goal: Goal = "keep"
    design: Design = field(default=PLAIN)

    def found(self, *, alpha: float, power: float, times: int, seed: int) -> CheckFinding:
        """Return the tests of this check."""
        sign = 1.0 if self.better == "higher" else -1.0
        both = np.flatnonzero(~np.isnan(self.new) & ~np.isnan(self.old))
        lost = int(np.count_nonzero(np.isnan(self.new) & ~np.isnan(self.old)))
        new, old = sign * self.new[both], sign * self.old[both]
        design = self.design.of(both)._asdict()
        more: Any = {"alpha": alpha, "times": times, "seed": seed, **self.design.of(both)._asdict()}
        data = new, old, self.units[both]
        own = _careful_margins(*data, margin=self.margin.value, is_relative=self.margin.is_relative, **more)
        change = t_test(new - old, **design)
        # one side at alpha is both sides at 2 alpha
        visible = smallest_visible(change.sd, change.n, alpha=2 * alpha, power=power)
        means = [t_test(values, **design).mean for values in (old, new)]
        allowed = self.margin.value * (abs(means[0]) if self.margin.is_relative else 1.0)
        needed = math.nan
        if change.n >= 2 and change.sd > 0 and allowed > 0:
            needed = int(units_needed(change.sd, change.n, allowed, alpha=2 * alpha, power=power))
        rise = _careful_margins(*data, margin=0.0, **more)
        return CheckFinding(
            n=len(both),
            lost=lost,
            old=sign * means[0],
            new=sign * means[1],
            difference=own.mean,
            low=own.low,
            high=own.high,
            allowed=allowed,
            p_drop=own.p_drop,
            p_margin=own.p_margin,
            p_beyond=own.p_beyond,
            p_better=1.0 if own.method == "identical" else rise.p_margin,
            visible=visible,
            needed=needed,
            method=own.method,
        )


def _careful_margins(new: np.ndarray, old: np.ndarray, units: np.ndarray, **options: Any) -> Margins:
    """The tests of a drop and of a margin; that nothing dropped must be sure by the studentised bootstrap as well.

    t and sign flips suppose differences that are not too lopsided: with 60 queries, of which a tenth drop by much, they let a
    drop as large as the margin pass in 14 % of all cases instead of 5 %, the bootstrap in 1 %.
    """
    own = margins(new, old, units, **options)
    if own.method not in ("t", "sign flips") or len(new) > MANY:
        return own
    other = margins(new, old, units, by="bootstrap", **options | {"times": RESAMPLES})
    p, low, spare = max(own.p_margin, other.p_margin), min(own.low, other.low), min(own.spare, other.spare)
    return own._replace(p_margin=p, low=low, spare=spare)


@record
class Estimated:
    """A check of a difference that is known with its standard error, as that of coverage by leaving lists out; larger is better."""

    name: str
    old: float
    new: float
    error: float
    freedom: float
    n: int
    margin: Margin
    better: Literal["higher", "lower"] = "higher"
    goal: Goal = "keep"

    def found(self, *, alpha: float, power: float, times: int, seed: int) -> CheckFinding:  # noqa: ARG002 - as all checks
        """Return the tests of this check, by Student's t."""
        from scipy.special import stdtr, stdtrit

        difference = (self.new - self.old) * (1 if self.better == "higher" else -1)
        allowed = self.margin.value * (abs(self.old) if self.margin.is_relative else 1.0)

        def below(shift: float) -> float:
            away = difference - shift
            if self.error > 0:
                return float(stdtr(self.freedom, away / self.error))
            return float(away >= 0)

        low, high = student(difference, self.error, self.freedom, 1 - alpha)
        # the drop that is found with the power asked for: both quantiles times the standard error
        seen = float(stdtrit(self.freedom, 1 - alpha) + stdtrit(self.freedom, power)) * self.error
        # leaving lists out changed nothing in either: the same system, of which no test can say more
        is_same = self.error == 0 and difference == 0
        return CheckFinding(
            n=self.n,
            lost=0,
            old=self.old,
            new=self.new,
            difference=difference,
            low=low,
            high=high,
            allowed=allowed,
            p_drop=1.0 if is_same else below(0.0),
            p_margin=0.0 if is_same else 1 - below(-allowed),
            p_beyond=1.0 if is_same else below(-allowed),
            p_better=1.0 if is_same else 1 - below(0.0),
            visible=seen,
            needed=math.nan,
            method="identical" if is_same else "jackknife",
        )


Check = Paired | Estimated


def margin_for(name: str, margins: Mapping[str, Margin] | Margin | None) -> Margin:
    """Return the margin of a metric, or the one for all; a metric without any may not drop at all."""
    if isinstance(margins, Margin):
        return margins
    return (margins or {}).get(name, Margin(0.0))


Status = Literal["pass", "fail", "inconclusive"]


@record(kw_only=True)
class GateRules:
    """How a gate decides; checked when made.

    A check fails where a drop is certain (Holm over the checks, below ``alpha``) and larger than the margin as estimated, or,
    with ``fail_on="margin"``, where it is certain that the drop is larger than the margin. All checks pass together only if each
    is surely within its margin, without correction. What is neither is inconclusive, which ``mode="non-inferiority"`` and
    ``strict`` do not let through.
    """

    mode: Mode = "regression"
    fail_on: FailOn = "drop"
    alpha: float = 0.05
    power: float = 0.8
    flips: int = 10_000
    seed: int = 0
    strict: bool = False
    force: bool = False

    def __post_init__(self) -> None:
        refuse_odds(self.alpha, self.power)
        if self.flips < 999:
            raise UsageError(f"flips={self.flips}: at least 999 random patterns of signs are needed.")


class DecidedCheck(NamedTuple):
    """A check with what it found, its corrected p-value of a drop, its status, and why in one sentence."""

    check: Check
    found: CheckFinding
    p: float
    status: Status
    why: str


class Limit(NamedTuple):
    """A condition on one number: its name, the number, whether it holds, and why in one sentence."""

    name: str
    value: float
    status: Status
    why: str


def decide(checks: Sequence[Check], rules: GateRules) -> list[DecidedCheck]:
    """Return the status of each check."""
    findings = [
        check.found(alpha=rules.alpha, power=rules.power, times=rules.flips, seed=rules.seed)
        for check in checks
    ]
    p_of = {"drop": [check.p_drop for check in findings], "margin": [check.p_beyond for check in findings]}
    # corrected only to fail: each check is a chance to stop a good change, but all must pass together, which needs no
    # correction
    p = holm(np.array(p_of[rules.fail_on], np.float64))
    return [_decide_one(*check, rules) for check in zip(checks, findings, p.tolist(), strict=True)]


def _decide_one(check: Check, finding: CheckFinding, p: float, rules: GateRules) -> DecidedCheck:
    alpha = rules.alpha
    # in this order: what surely dropped too far fails whatever was hoped for, and only what did not can pass
    if finding.n == 0:
        return DecidedCheck(check, finding, p, "inconclusive", "no query is defined in both")
    if math.isnan(finding.p_drop):
        return DecidedCheck(
            check, finding, p, "inconclusive", "fewer than 5 queries differ, which says nothing of others"
        )
    # against rounding: a drop that is the margin itself is no larger one
    is_larger = finding.difference < -finding.allowed - 1e-12
    if p < alpha and is_larger:
        certain = "a drop beyond the margin" if rules.fail_on == "margin" else "the drop"
        return DecidedCheck(check, finding, p, "fail", f"{certain} is certain and larger than {check.margin}")
    if check.goal == "improve":
        if finding.p_better < alpha:
            return DecidedCheck(check, finding, p, "pass", "it surely improved")
        return DecidedCheck(check, finding, p, "inconclusive", "it did not surely improve, as was asked for")
    if finding.method == "identical":
        return DecidedCheck(check, finding, p, "pass", "the values are identical")
    if finding.p_margin < alpha:
        margin = f" by {check.margin}" if finding.allowed else ""
        return DecidedCheck(check, finding, p, "pass", f"it surely did not drop{margin}")
    if p < alpha:
        why = f"it surely dropped, but by less than {check.margin} as far as seen"
    else:
        why = f"a drop by {check.margin} is neither certain nor excluded"
    return DecidedCheck(check, finding, p, "inconclusive", why)


def joint_status(parts: Sequence[DecidedCheck | Limit]) -> Status:
    """Return the status of all: one failure fails all, and all pass only together."""
    states = {part.status for part in parts}
    if "fail" in states:
        return "fail"
    return "inconclusive" if "inconclusive" in states else "pass"


def refuse_margins_too_small_to_see(parts: Sequence[DecidedCheck], rules: GateRules) -> None:
    """Refuse to ask in non-inferiority mode for what these queries cannot show: it would hardly ever pass.

    Raises
    ------
    UsageError
        If a margin is below the smallest drop that is visible with the power asked for, unless forced.
    """
    if rules.mode != "non-inferiority" or rules.force:
        return
    small = [
        part
        for part in parts
        if part.found.allowed < part.found.visible and part.found.method not in ("identical", "too few")
    ]
    if small:
        first = small[0]
        needed = "" if math.isnan(first.found.needed) else f" It needs {first.found.needed:,.0f} queries."
        raise UsageError(
            f"{first.check.name}: a drop of {first.found.allowed:.4g} cannot be seen with {first.found.n:,} queries, only one of "
            f"{first.found.visible:.4g} can (power {rules.power:g}).{needed} Give a larger margin or more queries, or "
            f"force=True (--force)."
        )
