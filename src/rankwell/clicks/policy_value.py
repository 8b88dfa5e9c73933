"""The ``off_policy`` function: what another policy would have earned, from what the logging policy chose and with which probability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import polars as pl

from rankwell.clicks.log import Log
from rankwell.clicks.means import Weights, student
from rankwell.clicks.read import read_log, target_of
from rankwell.clicks.results import OfRows, with_interval
from rankwell.display.page import PageStrings, words_of
from rankwell.display.saved_files import ensure
from rankwell.display.table import Table, number
from rankwell.errors import DataError, UsageError, brief, nearest
from rankwell.readers.frames.columns import quoted
from rankwell.tables.arguments import checked, refuse_level

How = Literal["snips", "ips", "dr"]
NEAR = 1e-9  # what rounding leaves of weights that are all 1
LEAST_N, LEAST_FREEDOM, MOST_UNSEEN = 30, 20, 0.05


class PolicyValue(NamedTuple):
    """What a policy is worth, and how far the log can tell; NaN is undefined.

    ``n_effective`` is (Σw)²/Σw², ``freedom`` ν = (Σg²)²/Σg⁴, ``largest`` the share of the largest weight, ``weight`` the mean of the weights
    before clipping with its interval, ``unseen`` the mean of the target's mass on what the log never shows.
    """

    policy: str
    value: float
    error: float
    low: float
    high: float
    freedom: float
    n_effective: float
    largest: float
    weight: float
    weight_low: float
    weight_high: float
    unseen: float
    refused: str

    def why(self, units: int, cluster: str | None, words: PageStrings) -> str:
        """Return why the log cannot tell the value, in the words of a language; "" if it can. Units are rows, or clusters of them."""
        why, unit = list[str](), cluster or words("clicks.off_policy.row")
        if self.n_effective < LEAST_N:
            why.append(words("clicks.off_policy.few_rows", n=self.n_effective, least=LEAST_N))
        if not self.freedom >= LEAST_FREEDOM:
            key = "few_units" if not math.isnan(self.freedom) else "one_unit" if units < 2 else "all_alike"
            why.append(words(f"clicks.off_policy.{key}", n=self.freedom, least=LEAST_FREEDOM, unit=unit))
        if self.unseen > MOST_UNSEEN:
            shares = {"share": 100 * self.unseen, "most": 100 * MOST_UNSEEN}
            why.append(words("clicks.off_policy.too_unseen", **shares))
        return words("clicks.and").join(why)


class PolicyDifference(NamedTuple):
    """The value of the first policy less that of the second, of the same log."""

    policy: str
    other: str
    value: float
    error: float
    low: float
    high: float
    freedom: float


@dataclass(frozen=True, eq=False, repr=False)
class OffPolicy(OfRows, kind="off-policy value", plural="off-policy values"):
    """What one or two policies are worth; made by ``rankwell.clicks.off_policy``.

    ``found.value``, ``found.low``, ``found.high`` and the other fields of ``PolicyValue`` are those of one policy; ``found.policies`` holds
    all, ``found.difference`` that of two. ``found.weights`` tells of each policy how the weights that were used are spread.
    """

    _rows: ClassVar[tuple[str, type]] = "policies", PolicyValue
    _noted: ClassVar[int] = -1

    log: str
    how: How
    clip: float | None
    cluster: str | None
    clusters: int
    rows: int
    level: float
    policies: tuple[PolicyValue, ...]
    difference: PolicyDifference | None
    weights: tuple[Weights, ...]
    counts: dict[str, int]
    forced: bool

    def title(self, words: PageStrings) -> str:
        """What the page of a report is called."""
        return words("clicks.off_policy.title", how=self.how.upper(), log=self.log, n=self.rows)

    def _tables(self, words: PageStrings) -> list[Table]:
        values = {"text": "policy", "value": "value low high"}
        spread = "n_effective freedom largest weight weight_low weight_high unseen"
        weights = {"text": "policy", "value": spread}
        tables = [
            self._table(words, self.policies, values, self.title(words)),
            self._table(words, self.policies, weights, words("clicks.off_policy.weights")),
        ]
        if self.difference is not None:
            heads = {"text": "policy other", "value": "difference low high"}
            caption = words("clicks.off_policy.difference")
            tables.append(self._table(words, [self.difference], heads, caption, labels=2))
        return tables

    def _said(self, words: PageStrings) -> list[str]:
        def say(key: str, **fields: Any) -> str:
            return words(f"clicks.off_policy.{key}", **fields)

        notes, of = [say(self.how)], (self.clusters, self.cluster)
        refused = [row for row in self.policies if row.refused]
        notes += [say("refused", policy=row.policy, why=row.why(*of, words)) for row in refused]
        notes += [say("forced")] * self.forced
        notes += [] if self.clip is None else [say("clipped", clip=f"{self.clip:g}")]
        for row in self.policies:
            expected = 1 - (0.0 if math.isnan(row.unseen) else row.unseen)
            # weights that are all the same have no interval
            low, high = (row.weight if math.isnan(end) else end for end in (row.weight_low, row.weight_high))
            if low > expected + NEAR or high < expected - NEAR:
                weight = f"{row.weight:.3g}"
                # what the log lacks by chance makes the mean too small, never too large
                key = "wrong" if low > expected else "scarce"
                notes.append(say(key, policy=row.policy, expected=f"{expected:.3g}", weight=weight))
        return notes + (
            [] if self.cluster is None else [say("clustered", cluster=self.cluster, n=self.clusters)]
        )

    def _answer(self, words: PageStrings) -> tuple[str, str, dict[str, int]]:
        row, both = self.policies[0], self.difference
        case, said = "value", {"policy": row.policy, "value": with_interval(row)}
        if row.refused and not self.forced:
            case, said = (
                "refused",
                {"policy": row.policy, "why": row.why(self.clusters, self.cluster, words)},
            )
        elif both is not None and not math.isnan(both.value):
            one, two = (number(each.value) for each in self.policies)
            case = "difference"
            said |= {"one": one, "other": both.other, "two": two, "value": with_interval(both)}
        of = {"rows": self.rows} | ({} if self.cluster is None else {"clusters": self.clusters})
        return case, words(f"clicks.off_policy.answer_{case}", **said), of

    def _check(self) -> None:
        ensure(self.policies, "policies", "there is none")
        are_of = [own.of for own in self.weights] == [row.policy for row in self.policies]
        ensure(are_of, "weights", "they are of other policies")
        ensure(all(own.is_whole() for own in self.weights), "weights", "they do not add up")


@checked
def off_policy(
    log: Any,
    *,
    how: How = "snips",
    target: Any = None,
    clip: float | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    force: bool = False,
) -> OffPolicy:
    """Estimate what a policy would have earned on the log of another one, whose probabilities were logged.

    Formula
        w = target / propensity. IPS: mean(w r); SNIPS: v = Σ w r / Σ w, g = w (r − v), se = √Σg² / Σw; DR: mean(v + w (r − q)), with the
        model's expectations q of what was shown and v of the target policy; of IPS and DR g = term − mean, se = sd/√n. Clusters: g is
        summed first, and se² × U/(U − 1). Student's t with ν = (Σg²)²/Σg⁴ degrees of freedom

    Parameters
    ----------
    log
        What ``rankwell.clicks.read_log`` reads: a row per choice, with reward (or click, of which a count is one), propensity and target; for ``dr`` q and v.
    how
        ``snips`` (weights divided by their sum), ``ips``, or ``dr`` (doubly robust).
    target
        The column of the probability under the new policy, two of them for their difference, or an array of the shape rounds × actions
        (× positions) as Open Bandit Pipeline has it; default: the column target.
    clip
        The largest weight; larger ones become it, which biases the value.
    cluster
        The column of what comes back, such as user; None counts each row alone.
    level
        The share of intervals that should contain the true value.
    force
        Give a value also where it is refused.

    Returns
    -------
    OffPolicy
        Print it; ``found.value``, ``found.low``, ``found.high``, ``found.n_effective``. The value is NaN, and ``found.refused`` says why, where
        the effective n is below 30, ν below 20, or the target has more than 5 % of its mass on what the log never shows.

    Raises
    ------
    RankwellError
        If a column is missing, a propensity is 0 or above 1, all are 1 (nothing else was tried), or a row is wrong.

    Notes
    -----
    Where nearly all logs of a design are answered, intervals of SNIPS at level .95 contain the true value in 94 to 95 %; in designs of which
    half or more are refused it may be as little as 86 % (``docs/clicks.md``).

    Source: Swaminathan and Joachims, The self-normalized estimator for counterfactual learning, NIPS 2015; Dudík, Langford and Li, Doubly
    robust policy evaluation and learning, ICML 2011.

    Examples
    --------
    >>> import rankwell as rw
    >>> log = {"reward": [1, 0, 1, 0], "propensity": [0.5, 0.25, 0.125, 0.5], "target": [0.1, 0.5, 0.5, 0.25]}
    >>> found = rw.clicks.off_policy(log, force=True)
    >>> round(found.value, 4), round(found.error, 4), round(found.n_effective, 2)
    (0.6269, 0.2949, 2.21)
    >>> rw.clicks.off_policy(log).refused
    'effective n 2.2 < 30 and ν 2.0 < 20'
    """
    refuse_level(level)
    if clip is not None and not clip > 0:
        raise UsageError(f"clip={clip:g}: must be above 0.")
    own = read_log(log)
    own = _with_targets(own, target)
    reward = "reward" if "reward" in own.words or "click" not in own.words else "click"
    words = [reward, "propensity", *["q", "v"] * (how == "dr"), *["unseen"] * ("unseen" in own.words)]
    names = [word for word in own.words if word.startswith("target")] or ["target"]
    own.require(*words, *names)
    column = own.cluster(cluster)
    own = own.checked(*words, *names)
    numbers = {word: own.number(word) for word in (*words, *names)}
    if reward == "click":  # a count is one click
        numbers[reward] = own.clicked.cast(pl.Float64)
    frame, codes, alone = own.of_rows(column, *(number.alias(word) for word, number in numbers.items()))
    columns = {"reward" if word == reward else word: frame[word].to_numpy() for word in numbers}
    if (columns["propensity"] == 1).all():
        raise DataError(
            f"{own.name}: every propensity is 1: the logging policy was deterministic, so nothing else was tried and no log of it can tell "
            f"what another policy earns. Compare the two by interleaving or an A/B test."
        )
    counts = own.counted(cluster, alone=alone)
    choices = Choices(columns, codes, int(codes.max()) + 1, cluster, level)
    found = [_valued(name, choices, how, clip, force=force) for name in names]
    values, influences, weights = zip(*found, strict=True)
    both = None
    if len(found) == 2:
        one, two = values
        value = one.value - two.value  # NaN, as are its ends, if one is refused
        error, *ends = choices.interval(value, influences[0] - influences[1], small=False)
        error = math.nan if math.isnan(value) else error
        both = PolicyDifference(one.policy, two.policy, value, error, *ends)
    return OffPolicy(
        own.name,
        how,
        clip,
        cluster,
        choices.clusters,
        len(codes),
        level,
        values,
        both,
        weights,
        counts,
        force,
    )


def _with_targets(log: Log, target: Any) -> Log:
    """The log with the columns of the targets, under the word ``target`` or, for several, ``target NAME``."""
    if target is None:
        return log
    names = [target] if isinstance(target, str) else target
    if not isinstance(names, Sequence) or not all(isinstance(each, str) for each in names):
        frame = log.frame.collect().with_columns(pl.Series("target", target_of(log, target)))
        return replace(log, frame=frame.lazy(), words={**log.words, "target": "target"})
    if len(names) not in (1, 2) or len({*names}) < len(names):
        raise UsageError("target=: one column, or two different ones to compare.")
    for name in names:
        if name not in log.names:
            raise UsageError(
                f"target={brief(name)}: {log.name} has no such column; the columns are {quoted(log.names)}.{nearest(name, log.names)}"
            )
    words = {word: column for word, column in log.words.items() if word != "target"}
    return replace(log, words=words | {f"target {name}": name for name in names})


class Choices(NamedTuple):
    """The columns of a log by word, the clusters of its rows, and the level of intervals."""

    columns: Mapping[str, np.ndarray]
    codes: np.ndarray
    clusters: int
    cluster: str | None
    level: float

    def estimate(self, how: How, weight: np.ndarray, total: float) -> tuple[float, np.ndarray]:
        """Return the value under weights, whose sum is known, and the influence of each row on it."""
        r, n = self.columns["reward"], len(weight)
        if how == "snips":
            value = math.fsum(weight * r) / total
            return value, weight * (r - value) / total
        terms = weight * r if how == "ips" else self.columns["v"] + weight * (r - self.columns["q"])
        value = math.fsum(terms) / n
        return value, (terms - value) / n

    def interval(
        self, value: float, influence: np.ndarray, *, small: bool
    ) -> tuple[float, float, float, float]:
        """Return the standard error of a value from its influences, which sum to 0, the interval, and the degrees of freedom.

        ``small`` corrects for few units.
        """
        own = np.bincount(self.codes, influence, self.clusters) if self.cluster else influence
        square = own**2
        squares, fourths = math.fsum(square), math.fsum(square**2)
        if not fourths or len(own) < 2:
            return (math.nan,) * 4
        error = math.sqrt(squares * (len(own) / (len(own) - 1) if small or self.cluster else 1))
        freedom = squares**2 / fourths
        return error, *student(value, error, freedom, self.level), freedom


def _valued(
    name: str, choices: Choices, how: How, clip: float | None, *, force: bool
) -> tuple[PolicyValue, np.ndarray, Weights]:
    """The value of the policy of a target, the influence of each row on it, and how its weights are spread."""
    policy, columns = name.removeprefix("target ").strip() or name, choices.columns
    raw = columns[name] / columns["propensity"]
    weight = raw if clip is None else np.minimum(raw, clip)
    total = math.fsum(weight)
    if not total:
        raise DataError(
            f"{policy}: its probability of every logged choice is 0, so the log tells nothing of it."
        )
    value, influence = choices.estimate(how, weight, total)
    error, low, high, freedom = choices.interval(value, influence, small=how != "snips")
    mean = (total if clip is None else math.fsum(raw)) / len(raw)
    weight_low, weight_high = choices.interval(mean, (raw - mean) / len(raw), small=True)[1:3]
    unseen = float(columns["unseen"].mean()) if "unseen" in columns else math.nan
    spread = Weights.spread(policy, weight, total)
    found = PolicyValue(
        policy, value, error, low, high, freedom, spread.n_effective, spread.largest, mean, weight_low, weight_high, unseen, ""
    )  # fmt: skip
    if why := found.why(choices.clusters, choices.cluster, words_of("en")):
        hidden = {} if force else dict.fromkeys(("value", "error", "low", "high"), math.nan)
        found = found._replace(refused=why, **hidden)  # type: ignore[arg-type]
    return found, influence, spread
