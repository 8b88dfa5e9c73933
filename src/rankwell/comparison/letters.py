"""Letters: systems that share one do not differ significantly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def letters_of(differ: np.ndarray, order: Sequence[int]) -> list[str]:
    """Return the letters of each system; two share a letter exactly if they do not differ.

    ``differ`` is a symmetric table of what differs, ``order`` the systems, best first, which get the first letters. After z
    follow a1, b1 …: each letter takes the digits behind it. Source: Piepho, Journal of Computational and Graphical Statistics
    13 (2004), insert and absorb.

    Examples
    --------
    >>> differ = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool)
    >>> letters_of(differ, [0, 1, 2])
    ['a', 'ab', 'b']
    """
    groups: list[set[int]] = [set(order)]
    places = {system: place for place, system in enumerate(order)}
    for i, first in enumerate(order):
        for second in order[i + 1 :]:
            if differ[first, second]:
                groups = _split(groups, first, second)
    groups.sort(key=lambda group: sorted(places[system] for system in group))
    names = [_letter(number) for number in range(len(groups))]
    return [
        "".join(name for name, group in zip(names, groups, strict=True) if system in group)
        for system in range(len(differ))
    ]


def _split(groups: list[set[int]], first: int, second: int) -> list[set[int]]:
    """Part two systems wherever they share a group, and drop groups that another one holds."""
    found = [group for group in groups if not (first in group and second in group)]
    for group in groups:
        if first in group and second in group:
            for part in (group - {second}, group - {first}):
                if not any(part <= other for other in found):
                    found = [other for other in found if not other < part]
                    found.append(part)
    return found


def _letter(number: int) -> str:
    turn, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(turn) if turn else "")
