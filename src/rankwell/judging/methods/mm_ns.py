"""Non-stationary max mean: a bandit that forgets."""

from __future__ import annotations

from typing import ClassVar

from rankwell.extend import Bandit


class MMNS(Bandit):
    """Non-stationary max mean (Losada, Parapar and Barreiro 2016): as mm, but only the last item of each run counts."""

    name: ClassVar[str] = "mm_ns"
    rule: ClassVar[str] = "as mm, but only the last item judged of each run counts"
    rate: ClassVar[float] = 0.0
