"""Topics and preferences once more, in plain loops over dicts: nothing of rankwell, and nothing is fast.

A judgement is (query, item, grade, topic, subgroup). Where the definitions leave a case open, the choice made here: of items
not retrieved, those on the lowest level stand first where nonrelevant items are counted, and in groups of several subgroups
those with the lowest id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import reference
from .reference_policy import (
    Id,
    ReferenceRefusal,
    complete,
    id_bytes,
    in_order,
    judged_items,
    scale_of,
    seen_part,
)

Row = tuple[Id, Id, float, str, str | None]
Group = dict[str | None, dict[Id, float]]  # subgroup -> item -> level


def by_topic(
    run: Mapping[Id, Sequence[tuple[Id, float]]],
    rows: Sequence[Row],
    metric: str,
    policy: Mapping[str, Any],
    *,
    over: str = "defined",
    catalogue: Sequence[Id] | None = None,
    order: Any = "score",
) -> dict[Id, float | None]:
    """Per judged query the mean over its topics of a metric computed as if there were no other judgements."""
    alone = {**policy, "missing": "empty", "undefined": "skip"}
    values: dict[Id, list[float | None]] = {row[0]: [] for row in rows}
    for topic in sorted({row[3] for row in rows}):
        judged = [(query, item, grade, None) for query, item, grade, other, _ in rows if other == topic]
        for query, value in reference.evaluate(
            run, judged, metric, policy=alone, catalogue=catalogue, order=order
        ).values.items():
            values[query].append(value)
    return {query: _mean(each, over) for query, each in values.items()}


def _mean(values: Sequence[float | None], over: str) -> float | None:
    defined = [value for value in values if value is not None]
    if not defined:
        return None
    return sum(defined) / (len(defined) if over == "defined" else len(values))


def preferences(
    run: Mapping[Id, Sequence[tuple[Id, float]]],
    rows: Sequence[Row],
    metric: str,
    policy: Mapping[str, Any],
    *,
    groups: str = "topic",
    pairs: str = "all",
    over: str = "defined",
    rel: float | None = None,
    order: Any = "score",
) -> dict[Id, float | None]:
    """Per judged query the value of a metric of preferences."""
    rules = complete(policy)
    whole = [(query, item, grade, f"{topic} {part}") for query, item, grade, topic, part in rows]
    scale = scale_of(whole, rules, rules["rel"] is not None)
    highest = judged_items(whole, rules, scale)
    stated: dict[Id, dict[str, Group]] = {}
    for query, topic, part in {(row[0], row[3], row[4]) for row in rows}:
        own = [(*row[:3], None) for row in rows if row[0] == query and row[3:] == (topic, part)]
        levels = judged_items(own, rules, scale).get(query, {})
        if groups == "topic":
            stated.setdefault(query, {}).setdefault(topic, {})[part] = levels
    if groups == "query":
        stated = {query: {"": {None: known}} for query, known in highest.items()}
    lists = {
        query: seen_part(in_order(listed, order, rules, highest.get(query, {})), rules, query)
        for query, listed in run.items()
    }
    found: dict[Id, float | None] = {}
    for query, known in stated.items():
        ranked = [item for item, is_first, _ in lists.get(query, []) if is_first]
        threshold = rel if rel is not None else rules["rel"]
        found[query] = VALUES[metric]([known[name] for name in sorted(known)], ranked, pairs, over, threshold)
    return found


def preferred(group: Group) -> set[tuple[Id, Id]]:
    """Every pair of which the first item is preferred, with what follows."""
    pairs = {(a, b) for levels in group.values() for a in levels for b in levels if levels[a] > levels[b]}
    if len(group) > 1:
        while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
            pairs |= more
    if any((b, a) in pairs for a, b in pairs):
        raise ReferenceRefusal("contradiction", "two items are preferred to each other")
    return pairs


def counted(pairs: set[tuple[Id, Id]], ranked: Sequence[Id], how: str) -> list[bool]:
    """Whether each preference is fulfilled, of those that count."""
    out = []
    for a, b in pairs:
        retrieved = (a in ranked) + (b in ranked)
        if how == "all" or (how == "one" and retrieved) or retrieved == 2:
            out.append(a in ranked and (b not in ranked or ranked.index(a) < ranked.index(b)))
    return out


def _share(stated: Sequence[bool]) -> float:
    return sum(stated) / len(stated) if stated else 0.0


def simp(groups: Sequence[Group], ranked: Sequence[Id], how: str, *_: Any) -> float | None:
    stated = [preferred(group) for group in groups]
    return _share([each for pairs in stated for each in counted(pairs, ranked, how)]) if any(stated) else None


def poss(groups: Sequence[Group], ranked: Sequence[Id], how: str, *_: Any) -> float:
    return float(sum(len(counted(preferred(group), ranked, how)) for group in groups))


def ful(groups: Sequence[Group], ranked: Sequence[Id], how: str, *_: Any) -> float:
    return float(sum(sum(counted(preferred(group), ranked, how)) for group in groups))


def avgjg(groups: Sequence[Group], ranked: Sequence[Id], how: str, over: str, *_: Any) -> float | None:
    stated = [preferred(group) for group in groups]
    return _mean([_share(counted(pairs, ranked, how)) if pairs else None for pairs in stated], over)


def pair(groups: Sequence[Group], ranked: Sequence[Id], how: str, *_: Any) -> float | None:
    opinions: dict[frozenset[Id], list[bool]] = {}
    for group in groups:
        for a, b in preferred(group):
            if stated := counted({(a, b)}, ranked, how):
                opinions.setdefault(frozenset((a, b)), []).extend(stated)
    if not any(preferred(group) for group in groups):
        return None
    return sum(map(_share, opinions.values())) / len(opinions) if opinions else 0.0


def rnonrel(
    groups: Sequence[Group], ranked: Sequence[Id], how: str, over: str, rel: float | None
) -> float | None:
    return _mean([_fair(group, ranked, how, rel) for group in groups], over)


def _fair(group: Group, ranked: Sequence[Id], how: str, rel: float | None) -> float | None:
    highest: dict[Id, float] = {}
    for levels in group.values():
        for item, level in levels.items():
            highest[item] = max(level, highest.get(item, level))
    good = [item for item, level in highest.items() if (level > 0 if rel is None else level >= rel)]
    if not good:
        return None
    seen = [item for item in ranked if item in highest]
    hidden = [item for item in highest if item not in ranked]
    hidden.sort(key=(id_bytes) if len(group) > 1 else (lambda item: highest[item]))
    order = seen if how == "both" else seen + hidden
    others = [item for item in order if item not in good]
    right = [item for item in good if item in order]
    kept = {*right, *others[: len(right)]}
    stated = counted({(a, b) for a, b in preferred(group) if a in kept and b in kept}, ranked, how)
    for _ in range(len(right) - len(others)):
        stated += [item in ranked for item in right]
    return _share(stated)


VALUES = {
    "prefs_simp": simp,
    "prefs_num_poss": poss,
    "prefs_num_ful": ful,
    "prefs_avgjg": avgjg,
    "prefs_pair": pair,
    "prefs_avgjg_rnonrel": rnonrel,
}
