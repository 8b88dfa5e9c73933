"""Ids that do not meet: the one change of all ids with which those of the lists and the judged ones would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from rankwell.display.composed import Composed
from rankwell.errors import brief
from rankwell.judge.pool import ENOUGH, TENTH
from rankwell.records import record
from rankwell.tables.csr import distinct
from rankwell.tables.ids import Ids, Known, packed

if TYPE_CHECKING:
    from rankwell.judge.id_changes import Change
    from rankwell.tables.run_qrels import Qrels, Run

MOST_TRIED, HALF = 1000, 0.5
TREC, PLAIN = (
    ": read as trec",
    " (",
)  # what the source of a table says, and what follows if its file is neither packed nor recoded
NAMES = {"query": Composed("query"), "item": Composed("item")}


@record
class Table:
    """Where ids come from: what to call it, its file if that is TREC text, and its columns by word if they have names."""

    name: str
    file: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Run | Qrels) -> Table:
        """Return what is known of a run or of judgements."""
        return cls.from_origin(table.name, table.source, table.words)

    @classmethod
    def from_origin(cls, name: str, source: str, words: Mapping[str, str]) -> Table:
        """Return the table of a name, by the words in which its reader says what it read."""
        file, _, how = source.partition(TREC)
        # a command reads lines of a file in UTF-8, so of other files and standard input only words can tell
        return cls(name, file if how.startswith(PLAIN) and not file.startswith("<") else "", dict(words))

    def rewritten(self, word: str, code: str) -> str:
        """Return how to change the ids of a column by Python code of an ``id``: a command for a file, else in words."""
        if not self.file and word in self.columns:
            return Composed(
                "in {name}, write the column {column} as {code}, where id is the {word}",
                name=self.name, column=brief(self.columns[word]), code=code, word=NAMES[word],
            )  # fmt: skip
        if not self.file:
            return Composed(
                "in {name}, write each {word} id as {code}", name=self.name, word=NAMES[word], code=code
            )
        names = "id, *rest" if word == "query" else "q, z, id, *rest"
        return self._command(names, names.replace("id", code))

    def swapped(self) -> str:
        """Return how to swap the columns of query and item."""
        if self.file:
            return self._command("q, z, id, *rest", "id, z, q, *rest")
        if not {"query", "item"} <= self.columns.keys():
            return Composed("swap query and item of {name}", name=self.name)
        query, item = (brief(self.columns[word]) for word in ("query", "item"))
        return f"columns={{{query}: 'item', {item}: 'query'}}"

    def _command(self, names: str, values: str) -> str:
        import json
        import shlex

        path, _, end = self.file.rpartition("/")
        fixed = f"{path}/fixed-{end}" if path else f"fixed-{end}"
        named = json.dumps(self.file, ensure_ascii=False)
        program = f'for line in open({named},encoding="utf-8"): {names} = line.split(); print({values})'
        return f"python3 -c {shlex.quote(program)} > {shlex.quote(fixed)}"


@record(eq=False)
class Mismatch:
    """A change with which ids would meet: it explains ``matched`` of the ``tried`` ids that no list holds.

    ``share`` is the part of all judged ids that would match only then, ``gain`` that of the judged ids that would then match;
    ``ours`` and ``theirs`` are a pair that would match.
    ``sides`` says whether the change alters the ids of the lists, and the judged ones. Without ``code`` query and item are swapped.
    """

    word: str
    how: Composed
    code: str
    matched: int
    tried: int
    share: float
    gain: float
    ours: str | int
    theirs: str | int
    sides: tuple[bool, bool]

    @property
    def is_certain(self) -> bool:
        """Whether it explains at least half of the judged ids, and at least ten."""
        return self.matched >= ENOUGH and self.share >= HALF

    @property
    def is_notable(self) -> bool:
        """Whether at least a tenth of the judged ids that would match do so only after the change, and at least ten."""
        return self.matched >= ENOUGH and self.gain >= TENTH

    def text(self) -> Composed:
        """Return what would match, with an example."""
        ours, theirs = brief(self.ours), brief(self.theirs)
        if not (ours + theirs).isascii():  # what differs may look alike
            ours, theirs = ascii(self.ours), ascii(self.theirs)
        return Composed(
            "{n:,} of {of:,} would match {how} (the lists have {ours}, the judgements {theirs})",
            n=self.matched, of=self.tried, how=self.how, ours=ours, theirs=theirs,
        )  # fmt: skip

    def remedy(self, run: Table, qrels: Table) -> str:
        """Return what to do, as text that can be pasted."""
        if not self.code:
            return run.swapped()
        tables = [table for table, is_changed in zip((run, qrels), self.sides, strict=True) if is_changed]
        texts = [table.rewritten(self.word, self.code) for table in tables]
        return (
            texts[0]
            if len(texts) == 1
            else Composed("{first}; and {second}", first=texts[0], second=texts[1])
        )


def mismatch(word: str, ours: Ids, theirs: Ids, most: int | None = None) -> Mismatch | None:
    """Return the change that explains most of the judged ids that no list holds; None if these are less than a tenth, or few of them.

    ``ours`` are the different ids of the lists, ``theirs`` the judged ones, of which at most ``most`` are tried. A change keeps
    different ids different.
    """
    if not (ours.is_text and theirs.is_text and len(ours) and len(theirs)):
        return None
    place = Known(ours).find(theirs)
    missing = np.flatnonzero(place < 0)
    if not len(missing) or len(missing) < TENTH * len(theirs):
        return None
    is_free = np.ones(len(ours), np.bool_)
    is_free[place[place >= 0]] = False
    free = np.flatnonzero(is_free)
    if not len(free):
        return None
    from rankwell.judge.id_changes import changes

    tried = missing if most is None else some(missing, most)
    ours, held, wanted = packed(ours), theirs[np.flatnonzero(place >= 0)], packed(theirs[tried])
    judged = packed(Ids.concatenate([wanted, held])) if len(held) else wanted
    best = None
    least = max(TENTH * min(len(tried), len(free)), 1)
    if len(held):
        least = min(least, max(TENTH * len(held) * len(tried) / len(missing), ENOUGH))
    for change in changes(packed(ours[free]), wanted):
        found = _tried(change, ours, free, wanted, least)
        if found is not None and _keeps_apart(change, ours, judged):
            least = len(found[0]) + 1
            best = change, found
    if best is None:
        return None
    change, (rows, places) = best
    pairs = [
        (str(ours.one(int(free[at]))), str(wanted.one(int(row))))
        for row, at in zip(rows[:100], places[:100], strict=True)
    ]
    changed = _changed(change, pairs)
    explained = len(rows) / len(tried) * len(missing)
    share, gain = explained / len(theirs), explained / (explained + len(held))
    return Mismatch(word, change.how, change.code, len(rows), len(tried), share, gain, *pairs[0], changed)


def some(rows: np.ndarray, most: int) -> np.ndarray:
    """Return at most so many of some rows, evenly spread."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def _tried(
    change: Change, ours: Ids, free: np.ndarray, wanted: Ids, least: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """The judged ids that match after a change, and those of the lists that they match, if there are enough."""
    own = ours if change.ours is None else change.ours(ours)
    other = wanted if change.theirs is None else change.theirs(wanted)
    if own is ours and other is wanted:
        return None
    places = Known(own[free]).find(other)
    rows = np.flatnonzero(places >= 0)
    return (rows, places[rows]) if len(rows) >= least else None


def _keeps_apart(change: Change, ours: Ids, judged: Ids) -> bool:
    return all(
        rewrite is None or rewrite(ids).is_distinct()
        for rewrite, ids in ((change.ours, ours), (change.theirs, judged))
    )


def _changed(change: Change, pairs: list[tuple[str, str]]) -> tuple[bool, bool]:
    """Whether a change alters the ids of the lists, and the judged ones, of pairs that it makes match."""
    ours, theirs = (Ids.of_strings(list(texts)) for texts in zip(*pairs, strict=True))
    return tuple(
        rewrite is not None and rewrite(ids).tolist() != ids.tolist()
        for rewrite, ids in ((change.ours, ours), (change.theirs, theirs))
    )  # type: ignore[return-value]


def swapped(query: Ids, item: Ids, judged_query: Ids, judged_item: Ids) -> Mismatch | None:
    """Return the mismatch of rows that match the judgements only with query and item swapped; all are columns of rows.

    Text must have a row in common or most of its ids; integers, which overlap by chance, must have ten rows.
    """
    if item.is_text != judged_query.is_text or query.is_text != judged_item.is_text:
        return None
    queries, items = (Known(ids.distinct()) for ids in (judged_query, judged_item))
    as_query, as_item = queries.find(item), items.find(query)
    meets = np.flatnonzero((as_query >= 0) & (as_item >= 0))
    pairs = as_query[meets] * len(items) + as_item[meets]
    judged = queries.find(judged_query) * len(items) + items.find(judged_item)
    both = distinct(pairs[np.isin(pairs, judged)])
    shares = [
        len(distinct(at[at >= 0])) / max(len(known), 1)
        for at, known in ((as_query, queries), (as_item, items))
    ]
    is_text = query.is_text and item.is_text
    is_shared = is_text and len(meets) > 0 and min(shares) >= HALF
    if len(both) < (1 if is_text else ENOUGH) and not is_shared:
        return None
    row = int(meets[0])
    matched = round(shares[1] * len(items))
    how = Composed("with query and item swapped")
    return Mismatch(
        "item", how, "", matched, len(items), shares[1], 1.0, item.one(row), judged_item.one(0), (True, False)
    )
