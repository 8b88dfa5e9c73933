"""Notes below tables of results: definitions, policy, and how many rows each rule affected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwell.display.table import number
from rankwell.matching.policy import Policy, default
from rankwell.results.results import Results

# longer names of counts, for printing
IN_WORDS = {"queries with R > k": "queries with more than k relevant items"}


def notes_of(
    results: Sequence[Results],
    *,
    full_policy: bool = False,
    hint: bool = True,
    names: Sequence[str] | None = None,
) -> list[str]:
    """Return the notes below a table: definitions, policy, and how many rows each rule affected.

    Without ``hint`` they do not say how to see the whole policy. With ``names`` for the runs, what is true of
    each of them is said once.
    """
    first = results[0]
    notes = [f"{metric} is {text}" for metric in first.metrics if (text := metric.signature) != str(metric)]
    notes += [f"{metric}: {text}" for metric in first.metrics if (text := metric.caution())]
    sampled = [str(metric) for metric in first.metrics if metric.sampled is not None]
    notes += (
        [f"{', '.join(sampled)}: of sampled candidates, not to be compared with values over all items"]
        if sampled
        else []
    )
    notes.append(first.meaning)
    if first.weights:
        plain = [name for name, is_weighted in first.is_weighted.items() if not is_weighted]
        notes.append(
            f"means are weighted by {first.weights}" + (f" (but not {', '.join(plain)})" if plain else "")
        )
    if first.experiment:
        notes.append(f"experiment: {first.experiment}")
    notes.append(f"policy: {first.policy}" if full_policy else policy_note(first.policy, hint=hint))
    if len(results) == 1:
        return [*notes, "; ".join(counted(first))]
    facts = [[*counted(res), *_ranges(res)] for res in results]
    if names is None:
        return notes + [f"{res.name}: {'; '.join(own)}" for res, own in zip(results, facts, strict=True)]
    common = [fact for fact in facts[0] if all(fact in own for own in facts)]
    notes += [f"each run: {'; '.join(common)}"] if common else []
    left = [[fact for fact in own if fact not in common] for own in facts]
    return notes + [f"{name}: {'; '.join(own)}" for name, own in zip(names, left, strict=True) if own]


def policy_note(policy: Policy, *, hint: bool = True) -> str:
    """Return a note that lists the policy fields that differ from the default."""
    plain = default().to_dict()
    changed = [f"{name}={value}" for name, value in policy.to_dict().items() if value != plain.get(name)]
    rest = "all others default" if changed else "all default"
    more = "; -v prints them" if hint else ""
    return f"policy: {' '.join([*changed, ''])}({rest}{more})"


def counted(res: Results) -> list[str]:
    """Return in words the numbers of lists and rows behind the values, and how many rows each rule affected."""
    counts = dict(res.counts)
    lists, rows = counts.pop("lists", 0), counts.pop("rows", 0)
    words = [f"{rows:,} rows in {lists:,} lists"]
    if "judged queries" in counts:
        words.append(
            f"{counts.pop('judgements', 0):,} judgements of {counts.pop('judged queries'):,} queries"
        )
    words += [f"{IN_WORDS.get(what, what)}: {count:,}" for what, count in counts.items()]
    words += _diagnosed(res.diagnostics)
    alike: dict[tuple[str, int], list[str]] = {}
    for name, reasons in res.undefined.items():
        for reason, count in reasons.items():
            alike.setdefault((reason, count), []).append(name)
    return words + [f"{', '.join(names)} {why}: {count:,} queries" for (why, count), names in alike.items()]


def _diagnosed(diagnostics: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return diagnostics in words, grouped by the metrics that share them."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, found in diagnostics.items():
        parts = (
            f"{what} {value:,}" if isinstance(value, int) else f"{what} {number(value)}"
            for what, value in found.items()
        )
        alike.setdefault(tuple(parts), []).append(name)
    return [f"{', '.join(names)}: {', '.join(parts)}" for parts, names in alike.items()]


def _ranges(res: Results) -> list[str]:
    """Return in words how far tie order can move each value; a table of one run has columns for this."""
    return [
        f"{name} is {number(low)} to {number(high)}, depending on the order of equal scores"
        for name, (low, high) in res.tie_range.items()
    ]
