"""Lessons: what is to be learned, from which judgements, checked before the runs are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwell.comparison.fusion.candidates import Candidates
from rankwell.comparison.fusion.learned import Learned
from rankwell.comparison.fusion.learning import (
    Search,
    Setting,
    fits_of,
    folds_of,
    number_search,
    weight_search,
)
from rankwell.comparison.fusion.methods import Method
from rankwell.comparison.fusion.recipes import Recipe
from rankwell.comparison.fusion.trials import Trials, evaluator_of
from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted
from rankwell.records import record


@record(eq=False)
class Lesson:
    """What is learned (``weights``, or the name of the method's number), by whose values, in how many folds."""

    what: str
    evaluator: Evaluator
    folds: int
    seed: int

    def learned(
        self, recipe: Recipe, candidates: Candidates, setting: Setting, names: Sequence[str]
    ) -> Learned:
        """Return what is learned about candidates; what is not learned is that of ``setting``."""
        trials = Trials(recipe, candidates, self.evaluator)
        fold = folds_of(candidates.queries[trials.judged], self.folds, self.seed)
        search = self._search(recipe, setting)
        fits = fits_of(trials.values, search, trials.judged, fold, len(candidates.queries))
        return Learned.of(trials, self.what, names, fits, candidates.queries, self.seed)

    def _search(self, recipe: Recipe, setting: Setting) -> Search:
        """What finds the setting with the best mean, the highest or the lowest as the metric says."""
        own = recipe.method.parameter
        if self.what == "weights":
            highest = weight_search(len(setting.weights), setting.number)
        else:
            assert own is not None
            highest = number_search(own, setting.weights)
        if self.evaluator.metrics[0].better == "higher":
            return highest
        return lambda mean: highest(lambda each: -mean(each))


def lesson_of(
    method: Method,
    qrels: Any,
    metric: Wanted | None,
    learn: str | None,
    policy: Policy,
    read: Mapping[str, Any],
    *,
    folds: int,
    seed: int,
) -> Lesson | None:
    """Return what is to be learned, None without judgements.

    Raises
    ------
    RankwellError
        If only some of what learning needs was given, or the method has nothing to learn.
    """
    if qrels is None:
        for word, value in (("metric", metric), ("learn", learn)):
            if value is not None:
                raise UsageError(
                    f"{word}={brief(value)} is for learning from judgements; give qrels= too, or leave out {word}=."
                )
        return None
    what = _what(learn, method)
    if metric is None:
        raise UsageError("say for which metric to learn, such as metric='ndcg@10'.")
    if folds < 1:
        raise UsageError(
            f"folds={folds}: must be at least 1; with 1, the judged queries are fused with what they taught themselves."
        )
    return Lesson(what, evaluator_of(qrels, metric, policy, read), folds, seed)


def _what(learn: str | None, method: Method) -> str:
    """What is learned: unless it is said, the number of a method that has one, else the weights."""
    own = method.parameter
    allowed = ([own.name] if own else []) + (["weights"] if method.is_weighted else [])
    if not allowed:
        raise UsageError(
            f"qrels= is for learning, and {method.name} has nothing to learn; use a method such as 'weighted' or 'rrf'."
        )
    if learn is not None and learn not in allowed:
        raise UsageError(
            f"learn={brief(learn)}: {method.name} has {one_of(allowed)} to learn.{nearest(learn, allowed)}"
        )
    return learn or allowed[0]
