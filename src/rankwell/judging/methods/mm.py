"""Max mean: a bandit that plays the run with the best answers so far."""

from __future__ import annotations

from typing import ClassVar

from rankwell.extend import Bandit


class MM(Bandit):
    """Max mean (Losada, Parapar and Barreiro 2016): runs are arms of a bandit, a relevant item is a reward, and the run with the
    highest mean of its belief is played.
    """

    name: ClassVar[str] = "mm"
    rule: ClassVar[str] = "the run of the highest (1 + relevant) / (2 + judged)"
