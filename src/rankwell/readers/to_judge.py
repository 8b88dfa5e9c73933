"""Tables of items that are still to be judged, which hold no judgement: what ``judging next`` and ``judging sample`` write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rankwell.errors import DataError

NEXT = frozenset(("query", "item", "weight"))
SAMPLES = frozenset(("stratum", "propensity")), frozenset(("propensity", "drawn"))


class ItemsToJudge(DataError):
    """A table of items to judge was given as judgements; ``columns`` says which of its columns is the query, and which the item."""

    columns: Mapping[str, str]


def refuse_to_judge(columns: Iterable[str], found: Mapping[str, str], name: str) -> None:
    """Raise ItemsToJudge for a table without grades whose columns only files of items to judge have.

    >>> refuse_to_judge(["query", "item"], {"query": "query", "item": "item"}, "clicks.csv")
    """
    names = {column.strip().lower() for column in columns}
    if "grade" in found or not (names == NEXT or any(names >= each for each in SAMPLES)):
        return
    command, column = ("next", "weight") if names == NEXT else ("sample", "propensity")
    error = ItemsToJudge(
        f"{name}: a list of items to judge, as rankwell judging {command} writes, not judgements: it has {column} and no grade. Give what "
        f"the judges said: what a judging sheet exports, or what rankwell judging merge writes. If each row is relevant, say so: "
        f"columns={{{found['item']!r}: 'item'}}, on the command line --columns {found['item']}=item."
    )
    error.columns = {found[word]: word for word in ("query", "item")}
    raise error
