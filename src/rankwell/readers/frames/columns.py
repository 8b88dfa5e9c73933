"""Which column of a table is which: columns matched with rankwell's words; what was not understood is asked about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.tables.columns import (
    COLUMNS,
    IDS,
    INCLUSIVE,
    RANKS_BESIDE_SCORES,
    SPAN,
    WORDS,
    known_word,
    named_as,
    needed_words,
    plain_name,
    stem_of,
)
from rankwell.tables.run_qrels import SWAPPED

NEXT = "query", "item", "weight"  # others may have been added behind them
EVERYTHING = re.compile(r'\s*\{\s*"method"\s*:\s*"')  # how the JSON of judging next begins
SAMPLES = frozenset(("stratum", "propensity")), frozenset(("propensity", "drawn"))
WIDE = 5  # so many columns of unknown names may be an item each
# what is judged is no run, and what was retrieved is no judgement: such columns are not named as the other
OF_OTHERS = {
    "score": ("reference", "expected", "relevant", "truth", "gold"),
    "grade": ("retrieved", "predicted", "recommended"),
}
IS_HEADER = " The first line was taken as a header; if there is none, write one."
REMEDY = "Give what the judges said: what a judging sheet exports, or what rankwell judging merge writes."


class Given(dict[str, str]):
    """What columns hold, as somebody said, and whether the order of the rows is the ranking; ``argument`` is what says it, for messages.

    ``items_in`` is how a cell writes a list of items, ``needs`` what metrics need of the table beside its usual columns, ``sizes`` the
    column of sizes, if the table has it. ``tables`` are the columns of the tables beside runs and judgements, by table; those of one
    are named with the ``table`` before them, ``train.person``, and what is ``shared`` with others holds if it has such a column, which is then ``met``.
    """

    def __init__(
        self,
        columns: Mapping[str, str] | None = None,
        *,
        by_rows: bool = False,
        argument: str = "columns",
        items_in: str | None = None,
        needs: frozenset[str] = frozenset(),
        sizes: str | None = None,
        tables: Mapping[str, Mapping[str, str]] | None = None,
        table: str = "",
        shared: Mapping[str, str] | None = None,
        met: set[str] | None = None,
    ) -> None:
        super().__init__({_text_of(column): word for column, word in (columns or {}).items()})
        self.by_rows, self.argument, self.items_in = by_rows, argument, items_in
        self.needs, self.sizes = needs, sizes
        self.tables, self.table, self.shared = tables or {}, table, shared or {}
        self.met = set[str]() if met is None else met

    def __bool__(self) -> bool:
        return len(self) > 0 or self.by_rows

    @classmethod
    def of(cls, columns: Mapping[str, str]) -> Given:
        """Return what was given, whatever mapping it is."""
        return columns if isinstance(columns, Given) else cls(columns)

    def with_more(self, columns: Mapping[str, str]) -> Given:
        """Return the same with other columns beside it."""
        return self._with({**self, **columns})

    def with_shared(self, columns: Collection[str]) -> Given:
        """Return the same with what is shared and a table of these columns has."""
        own = {
            column: word
            for column, word in self.shared.items()
            if column in columns and column not in self and word not in self.values()
        }
        self.met.update(own)
        return self._with({**self, **own}) if own else self

    def only(self, columns: Collection[str]) -> Given:
        """Return the same without columns that a table lacks."""
        return self._with({column: word for column, word in self.items() if column in columns})

    def needing(self, needs: frozenset[str], sizes: str | None = None) -> Given:
        """Return the same of a table of which metrics need more than its usual columns."""
        return self._with(self, needs, sizes) if needs else self

    def _with(
        self, columns: Mapping[str, str], needs: frozenset[str] | None = None, sizes: str | None = None
    ) -> Given:
        return Given(
            columns,
            by_rows=self.by_rows,
            argument=self.argument,
            items_in=self.items_in,
            needs=self.needs if needs is None else needs,
            sizes=sizes or self.sizes,
            tables=self.tables,
            table=self.table,
            shared=self.shared,
            met=self.met,
        )


def _text_of(column: object) -> str:
    """The name of a column; a whole number is that of a column without a name."""
    if isinstance(column, str):
        return column
    if isinstance(column, int) and not isinstance(column, bool):
        return str(column)
    raise UsageError(f"columns= names columns by text, or by whole numbers from 1, not {brief(column)}.")


NONE_GIVEN = Given()


def is_said(value: Any) -> bool:
    """Whether an option of the reading was given; it may be an array, whose truth is not asked for."""
    return bool(value) if value is None or isinstance(value, (Mapping, str)) else True


def say(given: Mapping[str, str], columns: Mapping[str, str]) -> str:
    """Return the argument that says what columns hold, to be pasted.

    >>> say({}, {"p_buy": "score"})
    "columns={'p_buy': 'score'}"
    """
    given = Given.of(given)
    said = given.argument
    if given.table:
        said, columns = "columns", {f"{given.table}.{column}": word for column, word in columns.items()}
    if not said:
        return " and ".join(f"rename {brief(column)} to {brief(word)}" for column, word in columns.items())
    return f"{said}={{{', '.join(f'{brief(column)}: {brief(word)}' for column, word in columns.items())}}}"


def match_columns(
    columns: Iterable[str], wanted: tuple[str, ...], name: str, given: Mapping[str, str] = NONE_GIVEN
) -> dict[str, str]:
    """Return the column of each of rankwell's words; query and item are required.

    ``given`` names columns that have other names, and says which are needed beside the usual ones; in judgements a score is a grade if
    there is no other. In a table of items, a column called item goes before others, and ``id`` is the item if there is no other. A row
    with a document, a start and an end needs no item: it is the span.

    >>> match_columns(["user_id", "movieId", "Rating", "time"], ("query", "item", "grade"), "log")
    {'query': 'user_id', 'item': 'movieId', 'grade': 'Rating'}
    """
    columns = list(columns)
    given = Given.of(given)
    given = given.with_shared(columns) if given.shared else given
    kind = next((kind for kind, words in WORDS.items() if words == wanted), "")
    found = _given_words(given, columns, kind, name)
    needed = needed_words(kind, given.needs, found)
    for each in needed:
        free = [own for own in columns if own not in given]
        is_named = each == "size" and given.sizes is not None
        names = [own for own in free if own == given.sizes] if is_named else named_as(each, free)
        if each not in found and names:
            found[each] = _chosen(each, names, wanted, name, given)
    spans = [word for word in SPAN if word in needed and word in found]
    lacking = [word for word in needed if word not in found and COLUMNS[word].tables == ("run",)]
    if (
        lacking and given.argument
    ):  # who reads a table of which no argument names the columns says what it lacks
        free = [column for column in columns if column not in found.values() and known_word(column) is None]
        shown = say(given, dict(zip([*free, "its name", "another"], lacking, strict=False)))
        raise DataError(
            f"{name}: there is no column for the {lacking[0]}; the columns are {quoted(columns)}. Say which it is: {shown}."
        )
    if kind == "qrels" and spans:
        if {"start", "end"}.isdisjoint(spans) and "document" not in given.values():
            del found["document"]  # it is the item, which may read document:start-end
        elif len(spans) < len(SPAN):
            raise _half_a_span(
                [each for each in columns if each not in found.values()], spans, columns, name, given
            )
        else:
            wanted = tuple([word for word in wanted if word != "item"])
    if given.by_rows:
        if both := {"score", "rank"} & set(found):
            raise UsageError(
                f"{name}: order='rows' and a column of the {min(both)} are two rankings; say one of them."
            )
        wanted = tuple([word for word in wanted if word not in ("score", "rank")])
    # the columns of each word, of which one is chosen
    named: dict[str, list[str]] = {}
    for column in columns:
        if column not in given and (word := known_word(column)) is not None and word not in found:
            named.setdefault(word, []).append(column)
    if "grade" in wanted and "grade" not in {*named, *found}:
        # other names of scores are a model's; whether they hold judgements is asked about
        scores = [column for column in named.get("score", ()) if plain_name(column) == "score"]
        if scores:
            found["grade"] = _chosen("score", scores, wanted, name, given)
    if "rank" in named and "score" in {*named, *found} and "score" in wanted:
        named["rank"] = [each for each in named["rank"] if plain_name(each) in RANKS_BESIDE_SCORES]
    if kind == "items" and "document" in spans:  # of its other names for an item one is that of the chunk
        named["item"] = [each for each in named.get("item", ()) if each not in named_as("document", [each])]
    if {"query", "item"} <= set(wanted) and "item" not in found:
        _refuse_wide(columns, [*named.get("item", ()), *given], name, given)
    for word in wanted:
        if word not in found and named.get(word):
            found[word] = _chosen(word, named[word], wanted, name, given)
    if wanted == WORDS["items"] and "item" not in found:
        ids = [column for column in columns if plain_name(column) == "id" and column not in given]
        found |= {"item": ids[0]} if len(ids) == 1 else {}
        if "item" not in found and len(spans) == len(SPAN):
            return {word: found[word] for word in needed if word in found}
    for word in ("query", "item"):
        if word in wanted and word not in found:
            raise _missing(word, found, wanted, columns, name, given)
    if "rank" in wanted and not {"score", "rank"} & set(found):
        _refuse_grades(named.get("grade", []), name, given)
    if kind == "qrels" and "item" in found and "grade" not in found and len(columns) > 2 and not given:
        refuse_to_judge(columns, found, name)
    return {word: found[word] for word in (*wanted, *needed) if word in found}


def _half_a_span(
    free: Sequence[str], spans: Sequence[str], columns: Sequence[str], name: str, given: Mapping[str, str]
) -> DataError:
    """The error of judgements with a part of what a gold span is."""
    lacking = [word for word in SPAN if word not in spans]
    # the last character of a span is not its end
    free = [
        column for column in free if known_word(column) in (None, "item") and "incl" not in plain_name(column)
    ]
    shown = say(given, dict(zip([*free, "its name", "another"], lacking, strict=False)))
    return DataError(
        f"{name}: gold spans have a document, a start and an end, but there is no {' and no '.join(lacking)}; the columns are "
        f"{quoted(columns)}. Say which it is: {shown}.{INCLUSIVE if 'end' in lacking else ''}"
    )


def _given_words(given: Mapping[str, str], columns: list[str], kind: str, name: str) -> dict[str, str]:
    words = [word for word, column in COLUMNS.items() if not column.need or kind in column.tables]
    given = Given.of(given)
    argument, table = given.argument or "columns", given.table and f"{given.table}."
    for column, word in given.items():
        if column not in columns:
            raise UsageError(
                f"{name}: {argument}= names {brief(f'{table}{column}')}, but the columns are {quoted(columns)}."
                f"{nearest(column, columns)}"
            )
        if word not in words and (given.argument or table):
            raise UsageError(
                f"{name}: {argument}= calls {brief(f'{table}{column}')} {brief(word)}; a column is {one_of(words)}.{nearest(word, words)}"
            )
    return {word: column for column, word in given.items() if word in words}


def _chosen(
    word: str, names: Sequence[str], wanted: tuple[str, ...], name: str, given: Mapping[str, str]
) -> str:
    """The one of several columns of a word that is meant: what is called so, or the id beside its text; DataError if none wins."""
    if len(names) == 1:
        return names[0]
    plain = [plain_name(each) for each in names]
    if wanted == WORDS["items"] and plain.count("item") == 1:
        return names[plain.index("item")]  # of items, the others are a number or a code of theirs
    if word not in ("query", "item", "document") and plain.count(plain_name(word)) == 1:
        return names[plain.index(plain_name(word))]
    winners = [each for each in plain if IDS.get(each, set()).issuperset({*plain} - {each})]
    if len(winners) == 1 and plain.count(winners[0]) == 1:
        return names[plain.index(winners[0])]
    both = "both" if len(names) == 2 else "all"
    raise DataError(
        f"{name}: the columns {quoted(names)} {both} mean {word}; say which it is: {say(given, {names[0]: word})}."
    )


def _refuse_wide(columns: Sequence[str], items: Sequence[str], name: str, given: Mapping[str, str]) -> None:
    """Raise DataError for a table with a row per query and a column per rank, such as item_1 … item_10."""
    numbered = [
        column for column in columns if known_word(stem_of(column) or "") == "item" and column not in items
    ]
    if len(numbered) > 1 or (numbered and items):
        one = f" If {brief(items[0])} is the item: {say(given, {items[0]: 'item'})}." if items else ""
        raise DataError(f"{name}: {quoted(numbered)} are items of one row; {_long(columns)}.{one}")


def _long(columns: Sequence[str]) -> str:
    """How a table with a column per rank is made one with a row per item."""
    first = next((column for column in columns if known_word(column) == "query"), columns[0])
    new = next(each for each in COLUMNS["item"].names if each not in columns)
    return (
        f"give each its own row: frame.melt({brief(first)}, value_name={brief(new)})[[{brief(first)}, {brief(new)}]] in pandas, with "
        f"order='rows'"
    )


def _missing(
    word: str,
    found: Mapping[str, str],
    wanted: tuple[str, ...],
    columns: Sequence[str],
    name: str,
    given: Mapping[str, str],
) -> DataError:
    """The error for a table without queries or items, with a remedy that can be pasted."""
    also = [*COLUMNS[word].names][1] if wanted != WORDS["items"] else "id, itemid"
    said = f"{name}: there is no column for the {word}; the columns are {quoted(columns)}. Name it {word} (or {also}, …)"
    others = [sign for number, signs in OF_OTHERS.items() if number in wanted for sign in signs]
    # a score is no query, and the text of a query is no item; but a ranking may be a list of items
    unlike = ("score", "rank", "grade", "time") if word == "query" else ("query", "time")
    free = [
        column
        for column in columns
        if column not in found.values()
        and known_word(column) not in unlike
        and not any(sign in plain_name(column) for sign in others)
    ]
    free = (
        free
        or [column for at, column in found.items() if word == "item" and at in ("rank", "score", "grade")]
        or ["its name"]
    )
    if len(wanted) == 1 and not Given.of(given).table:  # no argument names columns of this table
        return DataError(f"{said}: rename the column, such as {brief(free[0])} to {brief(word)}.")
    if (
        word == "item"
        and len(free) > 1
        and len(stems := {stem_of(column) for column in free}) == 1
        and None not in stems
    ):
        return DataError(
            f"{name}: there is no column for the item. If {quoted(free)} are the items of a row, {_long(columns)}."
        )
    lacking = [each for each in ("query", "item") if each in wanted and each not in found]
    topics = [column for column in columns if known_word(column) == "topic"]
    if topics and "query" in lacking:
        free = [*topics, *(column for column in free if column not in topics)]  # TREC's word for a query
    number = next((each for each in ("score", "grade") if each in wanted), None)
    wide = ""
    if word == "item" and number and "query" in found and len(free) >= WIDE and number not in found:
        wide = f" If each column is an item: frame.melt({brief(found['query'])}, var_name='item', value_name={brief(number)})."
    return DataError(
        f"{said}, or say which it is: {say(given, dict(zip(free, lacking, strict=False)))}.{wide}"
    )


def _refuse_grades(graded: Sequence[str], name: str, given: Mapping[str, str]) -> None:
    """Raise DataError for a run that has grades in place of scores: it is judgements, or its scores have an unusual name."""
    if graded:
        column = graded[0]
        raise DataError(
            f"{name}: the run has no score and no rank, but a column {brief(column)}, as judgements have. {SWAPPED} If it is "
            f"the score, say so: {say(given, {column: 'score'})}; if the order of the rows is the ranking: order='rows'."
        )


def quoted(columns: Sequence[str]) -> str:
    """Return column names for a message, quoted: at most nine, long ones shortened."""
    shown = [repr(column if len(column) < 40 else column[:39] + "…") for column in columns[:9]]
    return ", ".join(shown) + (f" and {len(columns) - 9} more" if len(columns) > 9 else "")


def match_words(
    columns: Sequence[str],
    given: Mapping[str, str] | None,
    name: str,
    words: Mapping[str, str],
) -> dict[str, str]:
    """Return the column of each word of a table that is none of those of an evaluation; ``words`` has the names that people give each.

    DataError or UsageError if two columns have one meaning, or what is given does not exist.

    >>> match_words(["Item-ID", "price"], {"price": "reward"}, "log.csv", {"item": "item item_id", "reward": "reward"})
    {'reward': 'price', 'item': 'Item-ID'}
    """
    known = {plain_name(each): word for word, names in words.items() for each in names.split()}
    found: dict[str, str] = {}
    for column, word in (given or {}).items():
        if column not in columns:
            raise UsageError(
                f"{name}: there is no column {brief(column)}; the columns are {quoted(columns)}.{nearest(column, columns)}"
            )
        if word not in words:
            raise UsageError(
                f"{name}: columns= calls {brief(column)} {brief(word)}; a column is {one_of(words)}.{nearest(word, words)}"
            )
        if word in found:
            raise UsageError(f"columns=: {brief(found[word])} and {brief(column)} cannot both be the {word}.")
        found[word] = column
    several: dict[str, list[str]] = {}
    for column in columns:
        word = known.get(plain_name(column), "")
        if word and word not in found and column not in (given or {}):
            several.setdefault(word, []).append(column)
    for word, own in several.items():
        exact = [column for column in own if column == word]
        if len(own) > 1 and not exact:
            raise DataError(
                f"{name}: {quoted(own)} could each be the {word}. Say which: columns={{{brief(own[0])}: {brief(word)}}}."
            )
        found[word] = (exact or own)[0]
    return found


# Tables of items that are still to be judged, which hold no judgement: what ``judging next`` and ``judging sample`` write.


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
