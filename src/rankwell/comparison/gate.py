"""The ``gate`` function: checks of a new system against an accepted one, and one verdict, as text, JSON, Markdown and JUnit XML."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, ClassVar
from xml.etree import ElementTree as ET

import numpy as np

from rankwell.comparison.checks import (
    Check,
    DecidedCheck,
    GateRules,
    Goal,
    Limit,
    Margin,
    Paired,
    Status,
    decide,
    joint_status,
    margin_for,
    refuse_margins_too_small_to_see,
)
from rankwell.comparison.compare.alignment import MISSING, Aligned, QueryGroups, columns_of, groups_of
from rankwell.comparison.compare.compare import results_of
from rankwell.comparison.compare.methods import FailOn, Mode, refuse_more_than_all
from rankwell.display.result import Result
from rankwell.display.saved_files import kind_of, load_kind
from rankwell.display.table import Cell, Column, Table, number, visible
from rankwell.display.text import MARKDOWN, PRINTED, beside, plain_row, plain_value, whole
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.evaluation.request import reading_of_users
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers.bytes.paths import short_name
from rankwell.records import cached_property
from rankwell.results import Results
from rankwell.results.redaction import personal
from rankwell.results.saving.load import open_saved
from rankwell.statistics.many import intervals
from rankwell.tables.arguments import UnknownArgument, as_list, ordered, plain
from rankwell.tables.run_qrels import Run

ORDER = (
    "gate takes the run, the judgements and the metrics in this order, and the accepted system by name: "
    "rw.gate(run, qrels, metrics, baseline=old); of two results rw.gate(run, baseline=old)."
)
VERDICTS = {
    "pass": "PASS: every check is surely within its margin",
    "fail": "FAIL",
    "inconclusive": "INCONCLUSIVE: neither a drop nor its absence is certain",
}
# what GitHub and GitLab make a link of, or call somebody by, escaped or not: @name, a@b.org, #12, https://, www.; not ndcg@10 or r@2000t
LINKED = re.compile(r"(?<![0-9A-Za-z_])@|@(?=[\w-]+\.\w)|\\#|:(?=//)|www(?=\.)", re.IGNORECASE)


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """Whether a new system may replace the accepted one; made by ``gate``.

    ``checks`` are those of differences, ``limits`` those of single numbers; ``new`` and ``old`` are the
    results.
    """

    _plural: ClassVar[str] = "verdicts"
    _kind: ClassVar[str] = "gate"
    _printed: ClassVar[int | None] = PRINTED

    checks: tuple[DecidedCheck, ...]
    limits: tuple[Limit, ...]
    rules: GateRules
    name: str
    baseline: str
    new: Results
    old: Results
    experiment: str = ""

    @cached_property
    def status(self) -> Status:
        """``pass``, ``fail`` or ``inconclusive``."""
        return joint_status([*self.checks, *self.limits])

    @property
    def exit_code(self) -> int:
        """0 to let the change through, 1 to stop it: for what fails, and as asked for what is inconclusive."""
        if self.status == "inconclusive":
            return int(self.rules.strict or self.rules.mode == "non-inferiority")
        return int(self.status == "fail")

    @property
    def has_improved(self) -> bool:
        """Whether the first check surely improved and all passed, so that the new results may become the accepted ones."""
        return (
            self.status == "pass" and bool(self.checks) and self.checks[0].found.p_better < self.rules.alpha
        )

    def to_table(self) -> Table:
        """Return the checks as a table, with a row per check and limit."""
        columns = [Column("check"), Column("n", "count"), Column("baseline", "value"), Column("new", "value")]
        columns += [
            Column("difference", "value"),
            Column("surely above", "value"),
            Column("margin"),
            Column("p drop", "value"),
        ]
        columns += [Column("p margin", "value"), Column("status"), Column("why")]
        rows: list[tuple[Cell, ...]] = []
        for check in self.checks:
            own = check.found
            values = own.old, own.new, own.difference, own.low
            shown = [_float(value) for value in values]
            p = _float(check.p), _float(own.p_margin)
            rows.append(
                (check.check.name, own.n, *shown, str(check.check.margin), *p, check.status, check.why)
            )
        rows += [
            (check.name, None, None, _float(check.value), None, None, "", None, None, check.status, check.why)
            for check in self.limits
        ]
        beyond = (
            "that it dropped by no more than the margin"
            if self.rules.fail_on == "margin"
            else "that it did not drop"
        )
        notes = [
            f"difference: turned so that more is better; surely above: its one-sided bound ({(1 - self.rules.alpha) * 100:g} %)",
            f"p drop: {beyond} (Holm over the checks); p margin: that it dropped by the margin (each by itself)",
        ]
        sparse = [check.check.name for check in self.checks if check.found.method == "sign flips"]
        if sparse:
            notes.append(
                f"few queries, or few that differ, so tests and bounds are by sign flips: {', '.join(sparse)}"
            )
        notes += [f"experiment: {self.experiment}"] if self.experiment else []
        return Table(columns, rows, caption=f"{self.name} against {self.baseline}", notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; unknown is None."""
        return {
            "status": self.status,
            "exit_code": self.exit_code,
            "verdict": self.headline(),
            "new": self.name,
            "baseline": self.baseline,
            "experiment": self.experiment,
            "rules": vars(self.rules),
            "checks": [
                {
                    "check": check.check.name,
                    "status": check.status,
                    "why": check.why,
                    "goal": check.check.goal,
                    "margin": str(check.check.margin),
                    "p_corrected": plain_value(check.p),
                    **plain_row(check.found),
                }
                for check in self.checks
            ],
            "limits": [check._asdict() | {"value": plain_value(check.value)} for check in self.limits],
            "policy": self.new.policy.to_dict(),
        }

    def to_junit(self) -> str:
        """Return JUnit XML: what fails is a failure; what is inconclusive is skipped, or a failure where it stops the change."""
        cases = [(check.check.name, check.status, check.why) for check in self.checks]
        cases += [(check.name, check.status, check.why) for check in self.limits]
        stops = {"fail"} | (
            {"inconclusive"} if self.rules.strict or self.rules.mode == "non-inferiority" else set()
        )
        failures = sum(status in stops for _, status, _ in cases)
        skipped = sum(status == "inconclusive" and status not in stops for _, status, _ in cases)
        suite = ET.Element(
            "testsuite",
            name="rankwell gate",
            tests=str(len(cases)),
            failures=str(failures),
            skipped=str(skipped),
            errors="0",
        )
        for name, status, why in cases:
            case = ET.SubElement(suite, "testcase", classname="rankwell.gate", name=name)
            if status in stops:
                ET.SubElement(case, "failure", message=why)
            elif status == "inconclusive":
                ET.SubElement(case, "skipped", message=why)
        # servers show it with the suite: the table is there without another file
        ET.SubElement(suite, "system-out").text = self.to_text()
        ET.indent(suite)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode")

    def to_markdown(self, top: int = 10) -> str:
        """Return the verdict, the table, what can be seen and, to be unfolded, the queries that changed most.

        It is what a step summary or a comment on GitHub shows. ``top`` is how many queries are listed, by the first metric that
        fails, or else the first; 0 for none, as where their ids are not for everybody. What stands in ids and names is shown as
        it is: it makes no markup and no link, and calls nobody.
        """
        if plain("top", top, int) < 0:
            raise UsageError(f"top={top}: must be at least 0, which lists no queries.")
        seen = "\n".join(f"- {_escaped(line)}" for line in _visible(self))
        parts = [f"## {_escaped(self.headline())}", self.to_table().to_markdown(), *([seen] if seen else [])]
        # a comment of HTML is shown nowhere and parts what would be a link
        return LINKED.sub(r"\g<0><!-- -->", "\n\n".join([*parts, *self._changes(top)]))

    def _changes(self, top: int) -> list[str]:
        """The queries that changed most, folded; nothing where no query could have changed."""
        from rankwell.comparison.diff import diff

        if not top or self.new is self.old:
            return []
        if kind := personal(self.new.part.queries) or personal(self.old.part.queries):
            return [f"*The queries that changed most are not listed: their ids look like {kind}.*"]
        failed = [check for check in self.checks if check.status == "fail"]
        names = [check.check.name for check in (*failed, *self.checks)]
        # a check of a segment is called "ndcg@10 in old"
        metric = next(
            each for name in names for each in self.new.metrics if f"{name} in ".startswith(f"{each} in ")
        )
        changes = diff({self.baseline: self.old, self.name: self.new}, metric=metric, top=top)
        return [
            f"<details><summary>Queries that changed most</summary>\n\n{changes.to_markdown()}\n\n</details>"
        ]

    def to_text(self, width: int | None = None) -> str:
        """Return what can be seen, the table and the verdict, for a terminal of so many columns."""
        parts = ["\n".join(_visible(self)), self.to_table().to_text(width), self.headline()]
        return "\n\n".join(parts).strip()

    def headline(self) -> str:
        """Return the verdict in one line."""
        text = VERDICTS[self.status]
        wrong = [check.check.name for check in self.checks if check.status == "fail"]
        wrong += [check.name for check in self.limits if check.status == "fail"]
        if wrong:
            text += f": {', '.join(wrong)}"
        if self.status == "inconclusive":
            open_ones = [check.check.name for check in self.checks if check.status == "inconclusive"]
            text += f" ({', '.join(open_ones)}); " + (
                "stopped, as asked" if self.exit_code else "let through"
            )
        return text


def _escaped(text: str) -> str:
    return visible(text).translate(MARKDOWN)


def _visible(gate: Gate) -> list[str]:
    """Return what these queries can show at all, which is said before anything else."""
    lines = []
    for check in gate.checks:
        own = check.found
        if math.isnan(own.visible):
            continue
        text = f"{check.check.name}: the smallest drop visible with {own.n:,} queries is {number(own.visible)} (power {gate.rules.power:g})"
        if own.allowed > 0 and not math.isnan(own.needed):
            text += f"; a margin of {number(own.allowed)} needs {own.needed:,.0f}"
        lines.append(text)
    return lines


def _float(value: float) -> float | None:
    return None if math.isnan(value) or math.isinf(value) else value


@ordered(ORDER)
def gate(
    run: Any,
    qrels: Any = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    *,
    baseline: Any = None,
    max_drop: Any = 0.0,
    improve: Any = None,
    minimum: Any = None,
    sure_minimum: Any = None,
    max_lost: float | str = "1%",
    checks: Any = (),
    by: Any = None,
    weights: str | None = None,
    clusters: str | None = None,
    users: Any = None,
    mode: Mode = "regression",
    fail_on: FailOn = "drop",
    alpha: float = 0.05,
    power: float = 0.8,
    flips: int = 10_000,
    seed: int = 0,
    strict: bool = False,
    force: bool = False,
    threads: int | None = None,
    experiment: str = "",
    **options: Any,
) -> Gate:
    """Decide whether a new system may replace the accepted one: pass, fail or inconclusive.

    Parameters
    ----------
    run
        The new system: anything that ``evaluate`` reads, ``Results``, or the path of saved ones.
    qrels, metrics
        As for ``evaluate``; for two ``Results`` they can be left out, and metrics where the baseline is one.
    baseline
        The accepted system, in the same forms; it must be given.
    max_drop
        The drop that is tolerated: a number in units of the metric, a share of the baseline's mean such as ``"1%"``, or one by
        metric. Default: none. What a mean can never drop by (1 of nDCG; 100 %, unless lower is better) is refused.
    improve
        Metrics that must surely get better; all others must not get worse.
    minimum, sure_minimum
        What the new mean, or the lower bound of its interval, must reach: one number, or by metric.
    max_lost
        The share of queries that the new system may lose: left unanswered, or undefined where the baseline is not.
    checks
        Further checks: values of ``Paired``, ``Estimated`` or ``Limit``, such as ``costs.limits(…)``, those of latency and memory; or what
        ``rankwell.clicks.interleaved`` returned, or its file: that users do not prefer the other team to the one named as ``run`` is.
    by, weights, clusters, users
        As for ``compare``: each segment has checks of its own, beside all queries.
    mode, fail_on, strict, force
        ``regression`` lets through what is inconclusive unless ``strict``; ``non-inferiority`` does not, and refuses a margin
        that these queries cannot show unless ``force``. ``fail_on="margin"`` fails only where the drop is surely larger than
        the margin.
    alpha, power, flips, seed
        The chance of a false failure and of a false pass; the power of the smallest visible drop; random patterns of signs for
        sparse differences, and their seed.
    threads, options
        As for ``Evaluator``.
    experiment
        What the verdict carries as its origin: the name and the hash of an experiment file.

    Returns
    -------
    Gate
        With ``status``, ``exit_code``, the checks, and reports as text, JSON, JUnit and Markdown.

    Raises
    ------
    RankwellError
        Without a baseline, for a metric that has no better direction or no value per query, results that do not fit together, or bad data.

    Notes
    -----
    Fail: a check whose drop is certain after Holm's correction (the chance of any false one is ``alpha``), and larger than the
    margin. A tolerated drop near the margin can fail. Pass: every check is surely within its margin, without correction (the
    chance to pass with a drop as large as the margin is ``alpha``). Where a t-test would be too optimistic, because few queries
    differ, sign flips are inverted; of fewer than five differences nothing is said. Up to 10,000 queries a pass must be sure by the
    studentised bootstrap as well, which rare and large drops do not deceive.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1} for q in range(80)}
    >>> old = {str(q): ["a", "b"] if q % 2 else ["b", "a"] for q in range(80)}
    >>> worse = old | {str(q): ["b", "c", "a"] for q in range(40)}
    >>> found = rw.gate(worse, qrels, ["rr"], baseline=old, max_drop=0.02)
    >>> found.status, found.exit_code, found.checks[0].why
    ('fail', 1, 'the drop is certain and larger than 0.02')
    """
    if baseline is None:
        raise UsageError(ORDER)
    rules = GateRules(
        mode=mode,
        fail_on=fail_on,
        alpha=alpha,
        power=power,
        flips=flips,
        seed=seed,
        strict=strict,
        force=force,
    )
    share_lost = _share_lost(max_lost)
    columns = columns_of(by)
    wanted = None if metrics is None else metrics_of(metrics)
    aligned = _align(run, baseline, qrels, wanted, {"threads": threads, **options})
    reading = reading_of_users(options)
    groups = groups_of(
        aligned.queries, users, by=columns, weights=weights, clusters=clusters, reading=reading
    )
    own = _checks(aligned, groups, _margins(max_drop, aligned.metrics), _goals(improve, aligned.metrics))
    checks = [check_of(each, aligned.names[0]) for each in as_list("checks", checks)]
    for each in checks:
        if not isinstance(each, Limit) and not callable(getattr(each, "found", None)):
            raise UsageError(
                f"checks= are values of Paired, Estimated or Limit, or results that can be checked, such as an interleaving, and their files, "
                f"not {brief(each)}."
            )
    more = [each for each in checks if isinstance(each, Limit)]
    # all checks together, those of the caller too, as Holm corrects for their number
    parts = decide([*own, *(each for each in checks if not isinstance(each, Limit))], rules)
    refuse_margins_too_small_to_see(parts, rules)
    limits = [
        *means_at_least(aligned, minimum),
        *means_surely_at_least(aligned, groups, sure_minimum, rules),
        lost_at_most(aligned, share_lost),
        *more,
    ]
    name, old_name = aligned.names
    new, old = aligned.results
    return Gate(tuple(parts), tuple(limits), rules, name, old_name, new, old, experiment)


def check_of(value: Any, system: str) -> Any:
    """Return a check as it is; of a result of another room, or of the file of one, what it checks of a system."""
    if isinstance(value, str | Path) and (kind := kind_of(value)):
        value = load_kind(value, kind)
    return value.check(system) if callable(getattr(value, "check", None)) else value


def _align(
    run: Any, baseline: Any, qrels: Any, metrics: Sequence[Metric] | None, words: Mapping[str, Any]
) -> Aligned:
    run, baseline = open_saved(run), open_saved(baseline)
    systems = {_name(run, "new"): run}
    systems[_name(baseline, "baseline", *systems)] = baseline
    if metrics is None and isinstance(baseline, Results):
        metrics = baseline.metrics
    try:
        several = results_of(systems, qrels, metrics, words)
    except UsageError as error:
        if isinstance(error, UnknownArgument) or not (rules := rules_of(baseline)):
            raise
        raise UsageError(f"{error}{rules}") from None
    aligned = Aligned.of(several, metrics)
    for metric in aligned.metrics:
        if metric.better == "neither":
            raise UsageError(
                f"{metric}: neither higher nor lower is better, so no change of it is a regression; choose another metric."
            )
        if not aligned.has_values(metric):
            raise UsageError(
                f"{metric} is no mean of values per query. Check it by its error: checks=[Estimated(…)] with the value and "
                f"error of rw.jackknife(run, metrics='{metric}', against=baseline)."
            )
    return aligned


def rules_of(baseline: Any) -> str:
    """Return a sentence with the rules of a saved baseline that are none by default, which the new system needs, too."""
    if not isinstance(baseline, Results):
        return ""
    usual, own = Policy().to_dict(), baseline.policy.to_dict()
    rules = [f"{word}={brief(value)}" for word, value in own.items() if value != usual.get(word)]
    return f" The baseline was saved with {', '.join(rules)}." if rules else ""


def _name(system: Any, word: str, *taken: str) -> str:
    """The name of a system: that of its results, its run or its file, else what it is."""
    own = system.name if isinstance(system, Results | Run) else None
    if isinstance(system, str | PurePath):
        own = short_name(system)
    return own if own and own not in taken else f"{own} ({word})" if own else word


def _checks(
    aligned: Aligned, groups: QueryGroups, margins: Mapping[str, Margin], goals: Mapping[str, Goal]
) -> list[Check]:
    """One check per metric and segment."""
    checks: list[Check] = []
    for metric in aligned.metrics:
        new, old = aligned.values(metric)
        for labels, rows in zip(groups.labels, groups.members, strict=True):
            name = f"{metric} in {', '.join(labels)}" if labels else str(metric)
            checks.append(
                Paired(
                    name=name,
                    new=new[rows],
                    old=old[rows],
                    units=aligned.units[rows],
                    margin=margins[str(metric)],
                    better="lower" if metric.better == "lower" else "higher",
                    goal="keep" if labels else goals.get(str(metric), "keep"),
                    design=groups.design.of(rows),
                )
            )
    return checks


def _margins(amounts: Amounts, metrics: Sequence[Metric]) -> dict[str, Margin]:
    if isinstance(amounts, Mapping):
        by_name = {
            name_checked(name, metrics, "max_drop"): Margin.of(value) for name, value in amounts.items()
        }
        margins = {metric: margin_for(str(metric), by_name) for metric in metrics}
    else:
        margins = dict.fromkeys(metrics, Margin.of(amounts))
    for metric, margin in margins.items():
        if not margin.is_relative:
            refuse_more_than_all("margin", metric, margin.value, share=True)
        # a mean that cannot be negative cannot drop by more than itself; one of which lower is better may grow by more
        elif margin.value >= 1 and metric.better != "lower" and metric.range[0] >= 0:
            raise UsageError(
                f"a margin of {margin} is all of the mean of {metric}, or more; give a smaller share, such as 1%."
            )
    return {str(metric): margin for metric, margin in margins.items()}


def _share_lost(share: float | str) -> Margin:
    limit = Margin.of(share)
    if limit.value > 1:
        near = f" Did you mean {limit.value:g}%?" if not limit.is_relative and limit.value <= 100 else ""
        raise UsageError(
            f"{limit.value:.0%} of the queries may be lost: that is more than all, so give a share such as 1%.{near}"
        )
    return limit


def _goals(improve: Any, metrics: Sequence[Metric]) -> dict[str, Goal]:
    if improve is None:
        return {}
    several = metrics_of(improve)
    return {name_checked(str(metric), metrics, "improve"): "improve" for metric in several}


Amounts = Mapping[str, Any] | float | str | None


def name_checked(name: str, metrics: Sequence[Metric], word: str) -> str:
    """Return the text of a metric that is one of those checked; raises UsageError for others."""
    wanted = metric_of(name)
    if wanted not in metrics:
        names = [str(other) for other in metrics]
        raise UsageError(
            f"{word}: {wanted} is none of the metrics, {one_of(names)}.{nearest(str(wanted), names)}"
        )
    return str(wanted)


def _amounts(amounts: Amounts, metrics: Sequence[Metric], word: str) -> dict[str, float]:
    if amounts is None:
        return {}
    if not isinstance(amounts, Mapping):
        amounts = {str(metric): amounts for metric in metrics}
    by_name = {}
    for name, value in amounts.items():
        own = name_checked(name, metrics, word)
        try:
            by_name[own] = float(value)
        except (TypeError, ValueError):
            raise UsageError(
                f"{word} is a number or numbers by metric, such as 0.3, not {brief(amounts)}."
            ) from None
        low, high = metric_of(own).range
        if not low <= by_name[own] <= high:  # nan is in no range
            raise UsageError(f"{word}: {by_name[own]:g} is none of the values of {own}, {low:g} to {high:g}.")
    return by_name


def means_at_least(aligned: Aligned, amounts: Amounts) -> list[Limit]:
    """Return whether the new means reach what they must, as estimated."""
    limits = []
    res = aligned.results[0]
    for name, least in _amounts(amounts, aligned.metrics, "minimum").items():
        value = res.mean[name]
        better = metric_of(name).better
        holds = value <= least if better == "lower" else value >= least
        bound = "at most" if better == "lower" else "at least"
        limits.append(
            Limit(
                f"{name} {bound} {whole(least)}",
                value,
                "pass" if holds else "fail",
                f"the mean is {beside(value, least)}",
            )
        )
    return limits


def means_surely_at_least(
    aligned: Aligned, groups: QueryGroups, amounts: Amounts, rules: GateRules
) -> list[Limit]:
    """Return whether the one-sided bounds of the new means reach what they must."""
    limits = []
    for name, least in _amounts(amounts, aligned.metrics, "sure_minimum").items():
        metric = metric_of(name)
        row = aligned.values(metric)[:1]
        interval = intervals(
            row,
            aligned.units,
            # only one end is asked about: one side at alpha is both sides at 2 alpha
            level=1 - 2 * rules.alpha,
            seed=rules.seed,
            limits=metric.range,
            design=groups.design,
        )
        is_lower = metric.better == "lower"
        bound = float((interval.high if is_lower else interval.low)[0])
        word = "at most" if is_lower else "at least"
        if math.isnan(bound):  # without spread there is no bound but the value itself
            values = row[~np.isnan(row)]
            bound = float(values[0]) if len(values) > 1 else math.nan
        holds = bound <= least if is_lower else bound >= least
        status: Status = "inconclusive" if math.isnan(bound) else "pass" if holds else "fail"
        why = f"its bound is {beside(bound, least)}"
        limits.append(Limit(f"{name} surely {word} {whole(least)}", bound, status, why))
    return limits


def lost_at_most(aligned: Aligned, limit: Margin) -> Limit:
    """Return whether the new system leaves queries unanswered, or undefined, that the baseline answers."""
    new, old = aligned.results
    # saved results may not count judged queries
    judged = max(new.counts.get("judged queries", 0), len(aligned.queries), 1)
    # unanswered queries count as empty lists, which have values: no undefined value would show them
    unanswered = max(new.counts.get(MISSING, 0) - old.counts.get(MISSING, 0), 0)
    lost = unanswered
    for metric in aligned.metrics:
        values = aligned.values(metric)
        lost = max(lost, int(np.count_nonzero(np.isnan(values[0]) & ~np.isnan(values[1]))))
    share = lost / judged
    why = f"{lost:,} of {judged:,} queries are lost: unanswered, or undefined where the baseline is not"
    # a share of queries, also where it is written as a number
    return Limit(
        f"lost queries at most {limit.value * 100:g}%", share, "pass" if share <= limit.value else "fail", why
    )
