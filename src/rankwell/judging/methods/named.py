"""The methods by name."""

from __future__ import annotations

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.judging.methods.bandits import BLA, MM, MMNS
from rankwell.judging.methods.depth import Depth
from rankwell.judging.methods.hedge import Hedge
from rankwell.judging.methods.method import Method
from rankwell.judging.methods.move_to_front import MoveToFront
from rankwell.judging.methods.mtc import MTC

METHODS: dict[str, type[Method]] = {
    each.name: each for each in (MTC, Hedge, MoveToFront, BLA, MM, MMNS, Depth)
}


def method_named(name: str) -> type[Method]:
    """Return the class of a method; UsageError for an unknown name."""
    if name not in METHODS:
        raise UsageError(f"method={brief(name)}: must be {one_of(METHODS)}.{nearest(name, METHODS)}")
    return METHODS[name]
