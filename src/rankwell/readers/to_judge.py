"""Tables of items that are still to be judged, which hold no judgement: what ``judging next`` and ``judging sample`` write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rankwell.errors import DataError, brief

NEXT = "query", "item", "weight"  # others may have been added behind them
EVERYTHING = re.compile(r'\s*\{\s*"method"\s*:\s*"')  # how the JSON of judging next begins
SAMPLES = frozenset(("stratum", "propensity")), frozenset(("propensity", "drawn"))
REMEDY = "Give what the judges said: what a judging sheet exports, or what rankwell judging merge writes."


class ItemsToJudge(DataError):
    """Items to judge were given as judgements: those of a table with these ``columns``, which say what is query and item, or those of a ``document``."""

    columns: Mapping[str, str]
    document: Mapping[str, Any] | None = None


def refuse_to_judge(columns: Iterable[str], found: Mapping[str, str], name: str) -> None:
    """Raise ItemsToJudge for a table without grades whose columns only files of items to judge have.

    >>> refuse_to_judge(["query", "item"], {"query": "query", "item": "item"}, "clicks.csv")
    """
    names = [column.strip().lower() for column in columns]
    is_next = tuple(names[:3]) == NEXT or sorted(names) == sorted(NEXT)
    if "grade" in found or not (is_next or any(each.issubset(names) for each in SAMPLES)):
        return
    command, column = ("next", "weight") if is_next else ("sample", "propensity")
    item = found["item"]
    error = ItemsToJudge(
        f"{_said(name, command)}: it has {column} and no grade. {REMEDY} If each row is relevant, say so: columns={{{brief(item)}: 'item'}}, "
        f"on the command line --qrels-columns {item}=item."
    )
    error.columns = {found[word]: word for word in ("query", "item")}
    raise error


def refuse_json_to_judge(text: str, name: str) -> None:
    """Raise ItemsToJudge for the JSON of ``judging next``.

    >>> refuse_json_to_judge('{"1": {"a": 1}}', "qrels.json")
    """
    if not EVERYTHING.match(text):
        return
    import json

    try:
        document = json.loads(text)
    except (ValueError, RecursionError):  # the reader of judgements says what is wrong and where
        return
    if not {"settling", "items"} & document.keys():
        return
    error = ItemsToJudge(f"{_said(name, 'next')}. {REMEDY}")
    error.columns, error.document = {"query": "query", "item": "item"}, document
    raise error


def _said(name: str, command: str) -> str:
    return f"{name}: a list of items to judge, as rankwell judging {command} writes, not judgements"
