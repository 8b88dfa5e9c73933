"""Files of costs that are given where runs are: they stand for their systems, with the answers whose cost was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, reduce
from operator import add
from typing import TYPE_CHECKING, Annotated

from rankwell.cli.option import DATA, Option
from rankwell.cli.words import split_names
from rankwell.errors import UsageError, one_of

if TYPE_CHECKING:
    from rankwell.efficiency import Costs
    from rankwell.tables.run_qrels import Run

Load = Annotated[
    str | None,
    Option(group=DATA, help="under which load the costs are, where a RUN is a file of ``rankwell bench -o``"),
]


@cache
def costs_in(path: str) -> Costs | None:
    """Return the costs that a file holds; None if it holds something else."""
    from rankwell.display.saved_files import kind_of
    from rankwell.efficiency.saving import FORMAT

    if kind_of(path) != FORMAT:
        return None
    from rankwell.efficiency import Costs

    return Costs.load(path)


def answers_in(name: str, path: str) -> dict[str, Run] | None:
    """Return the answers of the systems of a file of costs, of which one alone is called as it was given; None for other files."""
    found = costs_in(path)
    if found is None:
        return None
    named = _renamed(name, path, found)
    return {system: named.runs[system] for system in named.systems if system in named.runs}


def costs_of(words: Sequence[str], load: str | None) -> Costs | None:
    """Return the costs of all systems of the files of costs among the words, under one load; None if there is no such file.

    UsageError if there are several loads and none is named, there is no such load, or it is named without costs.
    """
    named = zip(*split_names(words), strict=True)
    found = [_renamed(name, path, own) for name, path in named if (own := costs_in(path)) is not None]
    if not found:
        if load is not None:
            raise UsageError("--load is for costs, and no RUN is a file that rankwell bench -o wrote.")
        return None
    costs: Costs = reduce(add, found)
    if load is None and len(costs.loads) > 1:
        raise UsageError(f"there are several loads; --load says which: {one_of(costs.loads)}.")
    return costs if load is None else costs.under(load)


def joined_costs(words: Sequence[str]) -> Costs:
    """Return the costs of all systems of files of costs, under all loads; RankwellError if one cannot be read, or is no such file."""
    from rankwell.efficiency import Costs

    named = zip(*split_names(words), strict=True)
    return reduce(add, [_renamed(name, path, costs_in(path) or Costs.load(path)) for name, path in named])


def _renamed(name: str, path: str, found: Costs) -> Costs:
    """The costs of one system under the name that it was given, if it was given any."""
    is_named = split_names([path])[0] != [name]
    return found.renamed({found.systems[0]: name}) if is_named and len(found.systems) == 1 else found


def are_costs(paths: Iterable[str]) -> list[str]:
    """Return the paths of files of costs."""
    return [path for path in paths if costs_in(path) is not None]
