"""The usual names of columns, and which of rankwell's words each stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.tables.run_qrels import SWAPPED

ALIASES = {
    "query": "query queryid qid q user userid uid customerid sessionid topicid",
    "item": "item itemid iid doc docid docno did document documentid corpusid movie movieid product productid trackid asin pid "
    "passageid",
    "score": "score prediction predicted pred sim similarity",
    "rank": "rank position pos",
    "grade": "grade relevance rating label judgement judgment target gain",
    "topic": "topic subtopic aspect genre",
    "topic_weight": "topicweight subtopicweight aspectweight topicprobability intentprobability",
    "propensity": "propensity propensityscore pscore",
    "imputed": "imputed",
    "time": "time timestamp ts date datetime unixtime eventtime createdat",
}
WORDS = {
    "run": ("query", "item", "score", "rank"),
    "qrels": ("query", "item", "grade", "topic", "topic_weight", "propensity", "imputed"),
    "sample": ("query", "item", "grade", "propensity"),
    "items": ("item",),
    "users": ("query",),
    "queries": (),  # which of several columns is the id is found out from all of them
}
NONE_GIVEN = MappingProxyType[str, str]({})
KNOWN = {alias: word for word, aliases in ALIASES.items() for alias in aliases.split()}


def match_columns(
    columns: Iterable[str], wanted: tuple[str, ...], name: str, given: Mapping[str, str] = NONE_GIVEN
) -> dict[str, str]:
    """Return the column of each of rankwell's words; query and item are required.

    ``given`` names columns that have other names; in judgements a score is a grade if there is no other. In a table of items, a column
    called item goes before others, and ``id`` is the item if there is no other.

    >>> match_columns(["user_id", "movieId", "Rating", "time"], ("query", "item", "grade"), "log")
    {'query': 'user_id', 'item': 'movieId', 'grade': 'Rating'}
    """
    columns = list(columns)
    found = _given_words(given, columns, name)
    for column in columns:
        word = known_word(column)
        if word not in wanted or column in given or word in given.values():
            continue
        if word in found:
            if wanted == WORDS["items"] and "item" in (found[word], column):
                found[word] = "item"  # of items, the other one is a number or a code of theirs
                continue
            raise DataError(
                f"{name}: the columns {quoted([found[word], column])} both mean {word}; drop or rename one, or say which it is: "
                f"columns={{{brief(column)}: {brief(word)}}}."
            )
        found[word] = column
    if "grade" in wanted and "grade" not in found:
        found |= {"grade": column for column in columns[::-1] if known_word(column) == "score"}  # noqa: B035
    if wanted == WORDS["items"] and "item" not in found:
        ids = [column for column in columns if _plain(column) == "id" and column not in given]
        found |= {"item": ids[0]} if len(ids) == 1 else {}
    for word in ("query", "item"):
        if word in wanted and word not in found:
            raise _missing(word, wanted, columns, name)
    if "rank" in wanted and not {"score", "rank"} & set(found):
        _refuse_grades([column for column in columns if column not in given], name)
    if wanted == WORDS["qrels"] and "grade" not in found and len(columns) > 2 and not given:
        from rankwell.readers.to_judge import refuse_to_judge

        refuse_to_judge(columns, found, name)
    return {word: found[word] for word in wanted if word in found}


def _missing(word: str, wanted: tuple[str, ...], columns: Sequence[str], name: str) -> DataError:
    """The error for a table without queries or items, with the remedy of the command line and of Python."""
    also = ALIASES[word].split()[1] if wanted != WORDS["items"] else "id, itemid"
    said = f"{name}: there is no column for the {word}; the columns are {quoted(columns)}. Name it {word} (or {also}, …)"
    if len(wanted) == 1:  # no option of the command line names columns of tables of items and users
        return DataError(
            f"{said}: rename the column, or in Python read the table with columns={{'its name': '{word}'}}."
        )
    return DataError(
        f"{said}, or say which it is: columns={{'its name': '{word}'}}, on the command line --columns 'its name={word}'."
    )


def _refuse_grades(columns: Iterable[str], name: str) -> None:
    """Raise DataError for a run that has grades in place of scores: it is judgements, or its scores have an unusual name."""
    graded = [column for column in columns if known_word(column) == "grade"]
    if graded:
        column = graded[0]
        raise DataError(
            f"{name}: the run has no score and no rank, but a column {brief(column)}, as judgements have. {SWAPPED} If it is "
            f"the score, say so: columns={{{brief(column)}: 'score'}}, on the command line --columns {column}=score; if the "
            f"order of the rows is the ranking: columns={{{brief(column)}: 'grade'}}, --columns {column}=grade."
        )


def quoted(columns: Sequence[str]) -> str:
    """Return column names for a message, quoted: at most nine, long ones shortened."""
    shown = [repr(column if len(column) < 40 else column[:39] + "…") for column in columns[:9]]
    return ", ".join(shown) + (f" and {len(columns) - 9} more" if len(columns) > 9 else "")


def known_word(column: str) -> str | None:
    """Return rankwell's word for the usual name of a column, in any spelling.

    >>> known_word("User ID"), known_word("corpus-id"), known_word("colour")
    ('query', 'item', None)
    """
    return KNOWN.get(_plain(column))


def _plain(column: str) -> str:
    return "".join(sign for sign in column.lower() if sign.isalnum())


def _given_words(given: Mapping[str, str], columns: list[str], name: str) -> dict[str, str]:
    for column, word in given.items():
        if column not in columns:
            raise UsageError(
                f"{name}: columns= names {brief(column)}, but the columns are {quoted(columns)}."
                f"{nearest(column, columns)}"
            )
        if word not in ALIASES:
            raise UsageError(
                f"{name}: columns= calls {brief(column)} {brief(word)}; a column is {one_of(ALIASES)}.{nearest(word, ALIASES)}"
            )
    return {word: column for column, word in given.items()}
