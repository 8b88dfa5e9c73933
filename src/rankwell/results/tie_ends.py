"""The states of metrics under the best and the worst order of equal scores, worked out as late as can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce
from operator import add

from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.tables.states import State

Ends = tuple[State, State]
AllEnds = Mapping[Metric, Ends]
States = Mapping[Metric, State]
Tied = AllEnds | Callable[[], AllEnds]  # the ends, or what works them out


class GrowingEnds:
    """The ends of a growing sum of parts, none of which are worked out here until a part comes whose ends were."""

    def __init__(self, tied: Tied, states: States) -> None:
        self._unseen: list[tuple[Tied, States]] = []
        self._seen: dict[Metric, Ends] | None = None
        if callable(tied) or not tied:
            self._wait(tied, states)
        else:
            self._seen = dict(tied)

    def add(self, tied: Tied, states: States, before: States) -> None:
        """Add the ends of a part with these states to those of the parts before it, whose states are ``before`` together."""
        if self._seen is None and (callable(tied) or not tied):
            self._wait(tied, states)
            return
        if self._seen is None:
            self._seen, self._unseen = _sum(self._unseen), []
        if callable(tied):
            tied = tied()
        for metric in {**self._seen, **tied}:
            best, worst = self._seen.get(metric) or (before[metric], before[metric])
            more = tied.get(metric) or (states[metric], states[metric])
            self._seen[metric] = best + more[0], worst + more[1]

    def _wait(self, tied: Tied, states: States) -> None:
        """Keep what the ends of a part are made of, which is little; parts without ties are kept as one."""
        averages: dict[Metric, State] = {
            metric: state for metric, state in states.items() if isinstance(metric, QueryMetric)
        }
        if self._unseen and not tied and not self._unseen[-1][0]:
            for metric, state in self._unseen.pop()[1].items():
                averages[metric] = state + averages[metric] if metric in averages else state
        self._unseen.append((tied, averages))

    def tied(self) -> Tied:
        """Return the ends, or what works them out."""
        if self._seen is not None:
            return self._seen
        return partial(_sum, self._unseen) if any(tied for tied, _ in self._unseen) else {}


def _sum(parts: list[tuple[Tied, States]]) -> dict[Metric, Ends]:
    """The sums of the ends of some parts; one without ends of a metric has its state, which no order of ties changes."""
    looked = [(tied() if callable(tied) else tied, states) for tied, states in parts]
    found: dict[Metric, Ends] = {}
    for metric in dict.fromkeys(metric for ends, _ in looked for metric in ends):
        both = [ends.get(metric) or (states[metric], states[metric]) for ends, states in looked]
        found[metric] = reduce(add, [best for best, _ in both]), reduce(add, [worst for _, worst in both])
    return found
