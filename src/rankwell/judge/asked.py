"""Asked: what metrics and policy ask of the judged lists, settled once before the first batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rankwell.judge.policy import Policy


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for a table: the text of a metric, its name, and the parameters that it has."""

    text: str
    name: str
    parameters: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Asked:
    """What is wanted of a run and its judgements, with the names of those who want it for messages.

    ``needs`` are the tables to be built; ``by_need`` holds, for each table that some metric cannot do without, the first such
    metric. ``rels`` are the thresholds of relevance by the text of each metric that has one, ``cuts`` the cut-offs by the name
    of a metric. ``deepest`` is the rank down to which whole lists are read, None for all. ``reads_judgements`` says whether
    any metric needs judgements.
    """

    policy: Policy = field(default_factory=Policy)
    needs: frozenset[str] = frozenset()
    by_need: Mapping[str, Asker] = field(default_factory=dict)
    rels: Mapping[str, float | None] = field(default_factory=dict)
    cuts: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    deepest: int | None = None
    reads_judgements: bool = True

    def reading(self, *tables: str) -> Asked:
        """Return the same with more tables to be built."""
        return replace(self, needs=self.needs.union(tables))
