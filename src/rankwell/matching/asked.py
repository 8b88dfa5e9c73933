"""Asked: what metrics and policy require of the judged lists, collected once before the first batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import NamedTuple

from rankwell.matching.policy import Policy
from rankwell.records import record


class Asker(NamedTuple):
    """A metric that requires a table: its text, its name, and its parameters."""

    text: str
    name: str
    parameters: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.text


@record(slots=True)
class Asked:
    """The requirements on a run and its judgements, with the metrics that have them, for messages.

    ``needs`` are the tables to build; ``by_need`` holds, for each table that some metric requires, the first such metric.
    ``rels`` are the relevance thresholds by the text of each metric that has one, ``cuts`` the cut-offs by the name of a
    metric. ``deepest`` is the rank down to which whole lists are read, None for all. ``reads_judgements`` says whether any
    metric needs judgements. ``rank_base`` is the rank of a first item, 0 or 1; None if the lists show it.
    """

    policy: Policy = field(default_factory=Policy)
    needs: frozenset[str] = frozenset()
    by_need: Mapping[str, Asker] = field(default_factory=dict)
    rels: Mapping[str, float | None] = field(default_factory=dict)
    cuts: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    deepest: int | None = None
    reads_judgements: bool = True
    rank_base: int | None = None

    def reading(self, *tables: str) -> Asked:
        """Return the same with more tables to build."""
        return replace(self, needs=self.needs.union(tables))
