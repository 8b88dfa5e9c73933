"""Command lines that begin with saved results: these need no judgements, and no ``none`` in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from rankwell.cli.arguments import Argument, Command, arguments_of, without_none
from rankwell.cli.option import Option
from rankwell.cli.words import split_names

NONE = "none"
QrelsOrNone = Annotated[
    str, Option(left_out=True, help="the judgements; left out if every RUN is a file of saved results")
]


def with_none(words: Sequence[str], arguments: Sequence[str], function: Command) -> list[str]:
    """Return a command line with ``none`` before the first file, if saved results, a comparison or costs stand there."""
    own = arguments_of(function)
    rest = list(arguments[len(words) :])
    place = next(_places(own, rest), None)
    if own and own[0].option.left_out and place is not None and _is_saved(rest[place]):
        rest.insert(place, NONE)
    return [*words, *rest]


def _places(own: Sequence[Argument], words: Sequence[str]) -> Iterator[int]:
    """The places of the words that are no options and no values of options."""
    named = {name: argument for argument in own for name in argument.names}
    is_value = takes_more = only_files = False
    for place, word in enumerate(words):
        if only_files or not word.startswith("-") or word == "-":
            if not is_value and not takes_more:
                yield place
            is_value = False
            continue
        only_files = word == "--"
        name, sign, _ = word.partition("=")
        argument = named.get(name)
        takes_value = argument is not None and not sign and without_none(argument.type) is not bool
        is_value, takes_more = takes_value, takes_value and argument is not None and argument.option.several


def _is_saved(word: str) -> bool:
    from rankwell.comparison.loading import is_comparison
    from rankwell.efficiency.saving import is_costs
    from rankwell.results.loading import is_saved

    (path,) = split_names([word])[1]
    return is_saved(path) or is_comparison(path) or is_costs(path)
