"""Limits: what a gate demands of costs: a latency, memory or index size that is surely not exceeded."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankwell.comparison.gate.deciding import Limit, Status
from rankwell.display.plain_values import beside
from rankwell.efficiency.estimates import MIB, MS, most, over_repetitions, ratio
from rankwell.efficiency.frames import WARM
from rankwell.errors import UsageError, brief

if TYPE_CHECKING:
    from rankwell.efficiency.costs import Costs

QUANTILE = re.compile(r"p(\d+(?:\.\d+)?)")


def limits(
    costs: Costs,
    system: str,
    *,
    max_latency: Mapping[str, float] | None = None,
    max_memory: float | None = None,
    max_index_size: float | None = None,
    max_slowdown: float | None = None,
    baseline: str | None = None,
    load: str | None = None,
    alpha: float = 0.05,
) -> list[Limit]:
    """Return whether a system keeps within limits, for ``gate(…, checks=…)``.

    A latency passes if the upper bound of its quantile is at most the limit, each bound with confidence 1 − `alpha`, and fails if the lower
    bound is above it; in between, and with too few queries for bounds, it is inconclusive. A search that failed fails the gate.

    Parameters
    ----------
    costs
        What was measured.
    system
        The system.
    max_latency
        Seconds by quantile, such as ``{"p95": 0.05}``.
    max_memory, max_index_size
        Bytes.
    max_slowdown, baseline
        The share by which it may be slower than another system that was measured with it, such as 0.05, in the geometric mean over
        queries; surely both for other queries and for another measurement.
    load
        Under which load; may be left out if there is only one.
    alpha
        The chance that a bound is wrong.

    Raises
    ------
    UsageError
        For a system, load or quantile that does not exist.
    """
    found = [
        _latency(costs, system, name, most_allowed, load, alpha)
        for name, most_allowed in (max_latency or {}).items()
    ]
    calls = costs.of(system, load)
    own = costs.sessions.filter(system=system, session=WARM)
    if load is not None:
        own = own.filter(load=load)
    index = costs.indexing.filter(system=system)
    if max_memory is not None:
        held = [each for each in (most(own["peak_memory"]), most(index["peak_memory"])) if each is not None]
        found.append(_bytes("memory", max(held) if held else math.nan, max_memory))
    if max_index_size is not None:
        size = most(index["size"])
        found.append(_bytes("index size", math.nan if size is None else size, max_index_size))
    if max_slowdown is not None:
        if baseline is None:
            raise UsageError("max_slowdown needs baseline=, the system that it is measured against.")
        found.append(_slowdown(costs, system, baseline, max_slowdown, load, alpha))
    failed = int((~calls["outcome"].is_in(["ok", "timeout"])).sum())
    if failed:
        found.append(
            Limit("searches that fail: none", failed, "fail", f"{failed:,} of {len(calls):,} searches failed")
        )
    return found


def _latency(costs: Costs, system: str, name: str, limit: float, load: str | None, alpha: float) -> Limit:
    word = QUANTILE.fullmatch(name)
    if word is None or not 0 < float(word[1]) < 100:
        raise UsageError(f"max_latency is by quantile, such as p95, not {brief(name)}.")
    if not limit > 0:
        raise UsageError(f"max_latency of {name} is a number of seconds above 0, not {brief(limit)}.")
    known = costs.quantile(system, float(word[1]) / 100, load, level=1 - 2 * alpha)
    own = limit * MS
    what = f"{name} latency at most {own:g} ms"
    value = known.value * MS
    if known.missing:
        more = f"{known.missing:,} more independent queries are needed to be sure"
        return Limit(what, value, "inconclusive", f"{name} is {value:.4g} ms, but {more}")
    status: Status = "pass" if known.high <= limit else "fail" if known.low > limit else "inconclusive"
    why = f"{name} is {value:.4g} ms, surely between {beside(known.low * MS, own)} and {beside(known.high * MS, own)} ms"
    return Limit(what, value, status, why)


def _slowdown(costs: Costs, new: str, old: str, limit: float, load: str | None, alpha: float) -> Limit:
    if not limit >= 0:
        raise UsageError(f"max_slowdown is a share from 0 on, such as 0.05, not {brief(limit)}.")
    level = 1 - 2 * alpha
    ours, theirs = costs.group(new, load), costs.group(old, load)
    whole, turns = ratio(ours, theirs, level=level), over_repetitions(ours, theirs, level=level)
    name = f"latency at most {limit:.4g} of the baseline's more"
    low, high = min(whole.low, turns.low), max(whole.high, turns.high)
    if math.isnan(whole.high) or math.isnan(turns.high):
        why = f"too few queries ({whole.n:,}) or repetitions ({turns.n:,}, of {turns.needed} at least) to be sure"
        return Limit(name, whole.value - 1, "inconclusive", why)
    most_allowed = 1 + limit
    status: Status = "pass" if high <= most_allowed else "fail" if low > most_allowed else "inconclusive"
    why = f"it is {whole.value:.4g} times the baseline's, surely between {low:.4g} and {high:.4g} times"
    return Limit(name, whole.value - 1, status, why)


def _bytes(what: str, value: float, limit: float) -> Limit:
    name = f"{what} at most {limit / MIB:,.4g} MiB"
    if math.isnan(value):
        return Limit(name, value, "inconclusive", f"the {what} was not measured")
    return Limit(
        name, value / MIB, "pass" if value <= limit else "fail", f"the {what} is {value / MIB:,.4g} MiB"
    )
