"""Recipes: a method, with the normalisation of the scores that it reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwell.comparison.fusion.ballots import Ballots
from rankwell.comparison.fusion.candidates import Candidates
from rankwell.comparison.fusion.learning import Setting
from rankwell.comparison.fusion.methods import Method, method_named
from rankwell.comparison.fusion.norms import Norm, Votes, norm_named
from rankwell.errors import UsageError, brief
from rankwell.records import record

DEFAULT_NORM = "min-max"


@record
class Recipe:
    """A method, and the normalisation of the scores it reads; None for methods that go by ranks."""

    method: Method
    norm: Norm | None

    @classmethod
    def of(cls, method: str, norm: str | None) -> Recipe:
        """Return the recipe of these names; UsageError for unknown ones, and for a norm where ranks alone count."""
        found = method_named(method)
        if found.votes is not None and norm is not None:
            raise UsageError(f"norm={brief(norm)}: {method} goes by ranks and reads no scores; leave it out.")
        return cls(found, None if found.votes is not None else norm_named(norm or DEFAULT_NORM))

    @property
    def reads_scores(self) -> bool:
        """Whether the scores of the runs are read."""
        return self.norm is not None and self.norm.by_score

    def votes(self, candidates: Candidates, number: float) -> list[Votes]:
        """Return what each run gives its items."""
        give, norm = self.method.votes, self.norm
        if give is not None:
            return [give(run, candidates, number) for run in candidates.runs]
        assert norm is not None
        return [norm.votes(run, candidates) for run in candidates.runs]

    def scores(self, votes: Sequence[Votes], candidates: Candidates, setting: Setting) -> np.ndarray:
        """Return the fused score of each candidate."""
        return self.method.combine(Ballots(votes, np.array(setting.weights), candidates), setting.number)
