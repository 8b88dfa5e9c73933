"""Max mean: the run with the most relevant items among those judged, 1 and 1 being added."""

from __future__ import annotations

from tests.judging import slow


class Plain(slow.Bandit):
    pass
