"""ndeval's values, computed from rankwell's metrics; some reproduce the program's result to the last bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwell.compat.ndeval.reading import Judgements, Lists
from rankwell.errors import NothingInCommonError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import Inputs
from rankwell.matching.context import Context
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool
from rankwell.metrics.diversity.alpha import NRBP, AlphaDCG, AlphanDCG, nNRBP
from rankwell.metrics.diversity.intents import APIA, PIA
from rankwell.metrics.diversity.reaching import SRecall
from rankwell.metrics.diversity.stopping import ERRIA, nERRIA
from rankwell.metrics.diversity.subtopic_metric import OnTopics
from rankwell.metrics.diversity.subtopics import Subtopics
from rankwell.metrics.metric import Metric, definition

CUTS = (5, 10, 20)
DIGITS = 13  # further digits are rounding error
EXACT = ("NRBP", "MAP-IA", "P-IA", "strec")


class Unweighted(OnTopics):
    """A metric that sums over topics instead of averaging: the program divides last, and its last bit is to be reproduced."""

    def subtopics(self, pool: Pool, context: Context) -> Subtopics:
        """The same topics, each with weight 1."""
        return context.shared.once(_unweighted, super().subtopics(pool, context))


def _unweighted(_: Context, found: Subtopics) -> Subtopics:
    return replace(found, weight=np.ones(len(found.weight)))


@definition
class SumOfNRBP(Unweighted, NRBP):
    """The sum in NRBP before it is divided, each rank's weight computed from the one before."""

    def weights_of(self, ranks: np.ndarray) -> np.ndarray:
        """Beta times beta times beta …"""
        betas = np.full(int(ranks.max(initial=1)), self.beta)
        betas[0] = 1.0
        return np.cumprod(betas)[ranks.astype(np.int64) - 1]


@definition
class SumOfAP(Unweighted, APIA):
    """The sum of the subtopics' average precisions."""


def columns(alpha: float, beta: float) -> dict[str, Metric]:
    """Return the metric of each column, in print order."""
    found: dict[str, Metric] = {}
    found |= {f"ERR-IA@{k}": ERRIA(k=k, gain="binary", norm="ndeval", alpha=alpha) for k in CUTS}
    found |= {f"nERR-IA@{k}": nERRIA(k=k, gain="binary", alpha=alpha) for k in CUTS}
    found |= {f"alpha-DCG@{k}": AlphaDCG(k=k, norm="ndeval", alpha=alpha) for k in CUTS}
    found |= {f"alpha-nDCG@{k}": AlphanDCG(k=k, alpha=alpha) for k in CUTS}
    found |= {
        "NRBP": SumOfNRBP(alpha=alpha, beta=beta),
        "nNRBP": nNRBP(alpha=alpha, beta=beta),
        "MAP-IA": SumOfAP(),
    }
    found |= {f"P-IA@{k}": PIA(k=k) for k in CUTS}
    return found | {f"strec@{k}": SRecall(k=k) for k in CUTS}


class Values:
    """Evaluates runs against the same judgements; columns that are ``is_exact`` match the program's bits."""

    def __init__(self, judgements: Judgements, alpha: float, beta: float) -> None:
        self.columns = columns(alpha, beta)
        self.is_exact = np.array([name.startswith(EXACT) for name in self.columns])
        self._subtopics = judgements.subtopics
        self._share = 1 - (1 - alpha) * beta
        policy = Policy(grades="judgements", ties="order", missing="skip", undefined="zero")
        inputs = Inputs.of(self.columns.values(), policy, qrels=judgements.qrels)
        self._evaluator = Evaluator.of(inputs)

    def of(self, lists: Lists) -> dict[int, np.ndarray]:
        """Return the values of each judged topic."""
        try:
            res = self._evaluator.results_of(lists.run())
        except NothingInCommonError:
            return {}
        topics = [int(topic) for topic in res.queries]
        subtopics = np.maximum([self._subtopics[topic] for topic in topics], 1)
        found = {name: res.values(metric) for name, metric in self.columns.items()}
        for k in CUTS:
            found[f"P-IA@{k}"] = np.rint(found[f"P-IA@{k}"] * (k * subtopics)) / (k * subtopics)
        found["NRBP"] = found["NRBP"] * (self._share / subtopics)
        found["MAP-IA"] = found["MAP-IA"] / subtopics
        return dict(zip(topics, np.column_stack(list(found.values())), strict=True))
