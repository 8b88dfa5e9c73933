"""Options for what lies beside runs and judgements: ids of queries, scores, and how cells hold lists of items."""

from __future__ import annotations

from typing import Annotated, Literal

from rankwell.cli.option import READING, Option

Way = Literal["blank", "comma", "semicolon", "bar", "brackets", "one"]
QueryIds = Annotated[
    str | None,
    Option(
        group=READING,
        help="the ids of the queries, where answers (Elasticsearch, Vespa …) do not name them: a file with an id a line, or ``stem``, the "
        "name of each file",
    ),
]
ItemsIn = Annotated[
    Way | None,
    Option(group=READING, help="how a cell of a table writes a list of items; ``one`` if each is one item"),
]
QrelsItemsIn = Annotated[Way | None, Option(group=READING, help="the same for the judgements")]
ScoresFrom = Annotated[
    str | None, Option(group=READING, help="the scores of a LETOR file: a file with a score a line")
]
