"""Deciding: pass, fail or inconclusive, of each check and of all together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from rankwell.comparison.gate.checks import Check, Finding
from rankwell.comparison.methods import FailOn, Mode, refuse_odds
from rankwell.errors import UsageError
from rankwell.records import record
from rankwell.statistics.corrections import holm

Status = Literal["pass", "fail", "inconclusive"]


@record(kw_only=True)
class Rules:
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


class Decided(NamedTuple):
    """A check with what it found, its corrected p-value of a drop, its status, and why in one sentence."""

    check: Check
    found: Finding
    p: float
    status: Status
    why: str


class Limit(NamedTuple):
    """A condition on one number: its name, the number, whether it holds, and why in one sentence."""

    name: str
    value: float
    status: Status
    why: str


def decided(checks: Sequence[Check], rules: Rules) -> list[Decided]:
    """Return the status of each check."""
    found = [
        each.found(alpha=rules.alpha, power=rules.power, times=rules.flips, seed=rules.seed)
        for each in checks
    ]
    p_of = {"drop": [each.p_drop for each in found], "margin": [each.p_beyond for each in found]}
    p = holm(np.array(p_of[rules.fail_on], np.float64))
    return [_decided(*each, rules) for each in zip(checks, found, p.tolist(), strict=True)]


def _decided(check: Check, found: Finding, p: float, rules: Rules) -> Decided:
    alpha = rules.alpha
    if found.n == 0:
        return Decided(check, found, p, "inconclusive", "no query is defined in both")
    if math.isnan(found.p_drop):
        return Decided(
            check, found, p, "inconclusive", "fewer than 5 queries differ, which says nothing of others"
        )
    # against rounding: a drop that is the margin itself is no larger one
    is_larger = found.difference < -found.allowed - 1e-12
    if p < alpha and is_larger:
        certain = "a drop beyond the margin" if rules.fail_on == "margin" else "the drop"
        return Decided(check, found, p, "fail", f"{certain} is certain and larger than {check.margin}")
    if check.goal == "improve":
        if found.p_better < alpha:
            return Decided(check, found, p, "pass", "it surely improved")
        return Decided(check, found, p, "inconclusive", "it did not surely improve, as was asked for")
    if found.method == "identical":
        return Decided(check, found, p, "pass", "the values are identical")
    if found.p_margin < alpha:
        margin = f" by {check.margin}" if found.allowed else ""
        return Decided(check, found, p, "pass", f"it surely did not drop{margin}")
    if p < alpha:
        why = f"it surely dropped, but by less than {check.margin} as far as seen"
    else:
        why = f"a drop by {check.margin} is neither certain nor excluded"
    return Decided(check, found, p, "inconclusive", why)


def together(parts: Sequence[Decided | Limit]) -> Status:
    """Return the status of all: one failure fails all, and all pass only together."""
    states = {each.status for each in parts}
    if "fail" in states:
        return "fail"
    return "inconclusive" if "inconclusive" in states else "pass"


def refuse_margins_too_small_to_see(parts: Sequence[Decided], rules: Rules) -> None:
    """Refuse to ask in non-inferiority mode for what these queries cannot show: it would hardly ever pass.

    Raises
    ------
    UsageError
        If a margin is below the smallest drop that is visible with the power asked for, unless forced.
    """
    if rules.mode != "non-inferiority" or rules.force:
        return
    small = [
        each
        for each in parts
        if each.found.allowed < each.found.visible and each.found.method not in ("identical", "too few")
    ]
    if small:
        first = small[0]
        needed = "" if math.isnan(first.found.needed) else f" It needs {first.found.needed:,.0f} queries."
        raise UsageError(
            f"{first.check.name}: a drop of {first.found.allowed:.4g} cannot be seen with {first.found.n:,} queries, only one of "
            f"{first.found.visible:.4g} can (power {rules.power:g}).{needed} Give a larger margin or more queries, or "
            f"force=True (--force)."
        )
