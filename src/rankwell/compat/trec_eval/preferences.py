"""Preference measures of trec_eval: how many preferences between two documents a ranking fulfils.

A judgement group (a user, mostly) prefers documents of a higher level to those of a lower one. A group may have several
sub-groups, each with preferences of its own, and what follows from them by transitivity is preferred too. With both
documents retrieved a preference is fulfilled or not; with one retrieved, by that one standing above; with none it fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankwell.compat.trec_eval.numbers import real
from rankwell.errors import DataError, InputError
from rankwell.readers.files import File

Row = tuple[str, str, str, float]  # group, sub-group, document, level


@dataclass
class Group:
    """One judgement group: how many preferences are possible and fulfilled, by how many documents were retrieved."""

    both: int = 0
    both_fulfilled: int = 0
    one: int = 0
    one_fulfilled: int = 0
    none: int = 0
    relevant: int = 0
    relevant_retrieved: int = 0
    other: int = 0
    other_retrieved: int = 0
    fair: tuple[int, int] = (0, 0)  # fulfilled and possible with as many others as relevant ones
    fair_both: tuple[int, int] = (0, 0)

    @property
    def fulfilled(self) -> int:
        """With one document retrieved or both."""
        return self.both_fulfilled + self.one_fulfilled

    @property
    def possible(self) -> int:
        """All preferences."""
        return self.both + self.one + self.none


@dataclass
class Topic:
    """All groups of a topic, and for each pair of documents in how many groups the first is preferred."""

    groups: list[Group] = field(default_factory=list)
    pairs: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    retrieved: int = 0


def read(path: str) -> dict[str, list[Row]]:
    """Read a file of preferences: topic, group, sub-group, document, level.

    Raises
    ------
    RankwellError
        If the file cannot be read, is empty, or a line has another number of words.
    """
    file = File(path)
    topics: dict[str, list[Row]] = {}
    with file.stream() as lines:
        for number, line in enumerate(lines, start=1):
            if line.startswith(b"#") or not line.strip():
                continue
            words = line.decode("utf-8", "replace").split()
            if len(words) != 5:
                raise InputError(
                    f"{file.label}:{number}: a line of preferences is: topic group sub-group document level."
                )
            topics.setdefault(words[0], []).append((words[1], words[2], words[3], real(words[4])))
    if not topics:
        raise InputError(f"{file.label}: the file holds no preferences.")
    return topics


def count(rows: Sequence[Row], ranked: Sequence[str]) -> Topic:
    """Return the preferences of a topic under a ranking.

    Raises
    ------
    DataError
        If a group prefers two documents to each other, or has one on two levels.
    """
    judged = {row[2] for row in rows}
    found = [document for document in ranked if document in judged]
    order = {document: place for place, document in enumerate([*found, *sorted(judged - set(found))])}
    topic = Topic(retrieved=len(found), pairs=np.zeros((len(order), len(order)), np.int64))
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[0], []).append(row)
    for name in sorted(groups):
        preferred, level, is_simple = _preferred(groups[name], order)
        topic.pairs += preferred
        topic.groups.append(_counted(preferred, level, len(found), is_simple=is_simple))
    return topic


def _preferred(rows: Sequence[Row], order: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray, bool]:
    """Which document is preferred to which, by their places, the level of each (NaN: not in the group), and whether
    there is one sub-group only.
    """
    n = len(order)
    preferred, level = np.zeros((n, n), np.bool_), np.full(n, np.nan)
    parts: dict[str, list[tuple[int, float]]] = {}
    for _, part, document, value in rows:
        parts.setdefault(part, []).append((order[document], value))
        level[order[document]] = value
    for members in parts.values():
        places, values = np.array([m[0] for m in members]), np.array([m[1] for m in members])
        preferred[np.ix_(places, places)] |= values[:, None] > values[None, :]
    if len(parts) > 1:
        preferred = _closed(preferred)
    if (preferred & preferred.T).any():
        names = list(order)
        a, b = np.argwhere(preferred & preferred.T)[0]
        raise DataError(
            f"preferences contradict each other: {names[a]} and {names[b]} are preferred to each other."
        )
    return preferred, level, len(parts) == 1


def _closed(preferred: np.ndarray) -> np.ndarray:
    """Add what follows: a above b and b above c make a above c."""
    while True:
        wider = preferred | (preferred.astype(np.float32) @ preferred.astype(np.float32) > 0)
        if (wider == preferred).all():
            return preferred
        preferred = wider


def _counted(preferred: np.ndarray, level: np.ndarray, retrieved: int, *, is_simple: bool) -> Group:
    is_shown = np.arange(len(level)) < retrieved
    relevant, other = level > 0, level <= 0
    group = Group(
        relevant=int(relevant.sum()),
        relevant_retrieved=int((relevant & is_shown).sum()),
        other=int(other.sum()),
        other_retrieved=int((other & is_shown).sum()),
    )
    shown, hidden = slice(None, retrieved), slice(retrieved, None)
    group.both = int(preferred[shown, shown].sum())
    group.both_fulfilled = int(np.triu(preferred[shown, shown]).sum())
    group.one_fulfilled = int(preferred[shown, hidden].sum())
    group.one = group.one_fulfilled + int(preferred[hidden, shown].sum())
    group.none = int(preferred[hidden, hidden].sum())
    group.fair = _fair(group, preferred, level, group.relevant, group.other, retrieved, is_simple=is_simple)
    group.fair_both = _fair(
        group,
        preferred[shown, shown],
        level[shown],
        group.relevant_retrieved,
        group.other_retrieved,
        retrieved,
        is_simple=is_simple,
    )
    return group


def _fair(
    group: Group,
    preferred: np.ndarray,
    level: np.ndarray,
    relevant: int,
    others: int,
    retrieved: int,
    *,
    is_simple: bool,
) -> tuple[int, int]:
    """Preferences fulfilled and possible with as many other documents as there are relevant ones.

    Missing ones are taken to be below every relevant document; of too many only the first ones count. With one sub-group
    trec_eval then also compares each other document with these first ones, as if it were preferred; with several it
    keeps as many as there are relevant documents in all. Both are reproduced.
    """
    if others <= relevant:
        fulfilled, possible = int(np.triu(preferred)[:retrieved].sum()), int(preferred.sum())
        more = relevant - others
        return fulfilled + group.relevant_retrieved * more, possible + group.relevant * more
    rest = np.flatnonzero(level <= 0)
    first = rest[: relevant if is_simple else group.relevant]
    kept = level > 0
    kept[first] = True
    part = preferred & kept[:, None] & kept[None, :]
    fulfilled, possible = int(np.triu(part)[:retrieved].sum()), int(part.sum())
    if is_simple:
        above = rest[:, None] < first[None, :]
        fulfilled += int(above[rest < retrieved].sum())
        possible += above.size
    return fulfilled, possible


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def _mean(ratios: Iterable[tuple[int, int]]) -> float:
    values = [_ratio(*pair) for pair in ratios]
    return _ratio(sum(values), len(values))


def _by_pair(topic: Topic, *, which: str) -> float:
    """The mean over pairs of documents of the share of groups whose preference is fulfilled."""
    for_, against = np.triu(topic.pairs), np.triu(topic.pairs.T)
    total = for_ + against
    k = topic.retrieved
    seen = total[:k, :k] if which == "both" else total[:k]
    fulfilled = for_[:k, :k] if which == "both" else for_[:k]
    asked = seen > 0
    below = int((total > 0).sum()) if which == "all" else int(asked.sum())
    return _ratio(float((fulfilled[asked] / seen[asked]).sum()), below)


def values(topic: Topic) -> dict[str, float]:
    """Return all preference measures of a topic by their names."""
    groups = topic.groups
    fulfilled, both_fulfilled = sum(g.fulfilled for g in groups), sum(g.both_fulfilled for g in groups)
    possible, both, one = (sum(getattr(g, name) for g in groups) for name in ("possible", "both", "one"))
    return {
        "prefs_num_prefs_poss": possible,
        "prefs_num_prefs_ful": fulfilled,
        "prefs_num_prefs_ful_ret": both_fulfilled,
        "prefs_simp": _ratio(fulfilled, possible),
        "prefs_pair": _by_pair(topic, which="all"),
        "prefs_avgjg": _mean((g.fulfilled, g.possible) for g in groups),
        "prefs_avgjg_Rnonrel": _mean(g.fair for g in groups),
        "prefs_simp_ret": _ratio(both_fulfilled, both),
        "prefs_pair_ret": _by_pair(topic, which="both"),
        "prefs_avgjg_ret": _mean((g.both_fulfilled, g.both) for g in groups),
        "prefs_avgjg_Rnonrel_ret": _mean(g.fair_both for g in groups),
        "prefs_simp_imp": _ratio(fulfilled, both + one),
        "prefs_pair_imp": _by_pair(topic, which="one"),
        "prefs_avgjg_imp": _mean((g.fulfilled, g.both + g.one) for g in groups),
    }


NAMES = tuple(values(Topic()))
