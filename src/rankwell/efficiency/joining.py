"""Joining: the costs of systems that were measured apart, and what that means for their comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankwell.efficiency import saving
from rankwell.errors import UsageError, brief, one_of

if TYPE_CHECKING:
    from rankwell.efficiency.costs import Costs


def joined(first: Costs, second: Costs) -> Costs:
    """The systems of both; settings, environments and overheads that differ are said in a note."""
    import polars as pl

    both = set(first.systems) & set(second.systems)
    if both:
        raise UsageError(f"both have a system {brief(min(both))}; give one another name with renamed().")
    notes = dict.fromkeys((*first.notes, *second.notes))
    for word, one, two in (
        ("settings", first.settings, second.settings),
        ("machine", first.environment, second.environment),
    ):
        if differ := [name for name in {**one, **two} if one.get(name) != two.get(name)]:
            notes[
                f"The systems were not measured in turns, and with other {word}: {one_of(sorted(differ))} differ."
            ] = None
    if not any("not measured in turns" in each for each in notes):
        notes[
            "The systems were not measured in turns: what changed on the machine in between is in their differences."
        ] = None
    frames = {name: pl.concat([getattr(first, name), getattr(second, name)]) for name in saving.FRAMES}
    return replace(first, **frames, runs={**first.runs, **second.runs}, notes=tuple(notes))
