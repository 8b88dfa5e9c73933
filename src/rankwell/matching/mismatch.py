"""Ids that do not meet: the one change of all ids with which those of the lists and the judged ones would."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rankwell.display.text import Composed
from rankwell.errors import brief
from rankwell.matching.pool import ENOUGH, TENTH
from rankwell.records import record
from rankwell.tables.ids import Ids, Known, pack
from rankwell.tables.lists import distinct

if TYPE_CHECKING:
    from rankwell.tables.run_qrels import Qrels, Run


MOST_TRIED = (
    1000  # judged ids that are looked for under each change; a share of them is known within a few percent
)
HALF = 0.5  # the share of judged ids from which a change is sure enough to stop the evaluation
# what the source of a table says, and what follows if its file is neither packed nor recoded
TREC, PLAIN = ": read as trec", " ("
NAMES = {"query": Composed("query"), "item": Composed("item")}


@record
class IdSource:
    """Where ids come from: what to call it, its file if that is TREC text, and its columns by word if they have names."""

    name: str
    file: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Run | Qrels) -> IdSource:
        """Return what is known of a run or of judgements."""
        return cls.from_origin(table.name, table.source, table.words)

    @classmethod
    def from_origin(cls, name: str, source: str, words: Mapping[str, str]) -> IdSource:
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

    def remedy(self, run: IdSource, qrels: IdSource) -> str:
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


def find_mismatch(word: str, ours: Ids, theirs: Ids, most: int | None = None) -> Mismatch | None:
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

    tried = missing if most is None else sample_evenly(missing, most)
    ours, listed, unlisted = pack(ours), theirs[np.flatnonzero(place >= 0)], pack(theirs[tried])
    judged = pack(Ids.concatenate([unlisted, listed])) if len(listed) else unlisted
    best = None
    # each change must explain more than the one before it: the simplest that does is told, and most are given up early
    least = max(TENTH * min(len(tried), len(free)), 1)
    if len(listed):
        least = min(least, max(TENTH * len(listed) * len(tried) / len(missing), ENOUGH))
    for change in changes(pack(ours[free]), unlisted):
        matches = _try_change(change, ours, free, unlisted, least)
        if matches is not None and _keeps_apart(change, ours, judged):
            least = len(matches[0]) + 1
            best = change, matches
    if best is None:
        return None
    change, (rows, places) = best
    pairs = [
        (str(ours.one(int(free[at]))), str(unlisted.one(int(row))))
        for row, at in zip(rows[:100], places[:100], strict=True)
    ]
    changed = _changed_sides(change, pairs)
    explained = len(rows) / len(tried) * len(missing)
    share, gain = explained / len(theirs), explained / (explained + len(listed))
    return Mismatch(word, change.how, change.code, len(rows), len(tried), share, gain, *pairs[0], changed)


def sample_evenly(rows: np.ndarray, most: int) -> np.ndarray:
    """Return at most so many of some rows, evenly spread."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def _try_change(
    change: Change, ours: Ids, free: np.ndarray, unlisted: Ids, least: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """The judged ids that match after a change, and those of the lists that they match, if there are enough."""
    own = ours if change.ours is None else change.ours(ours)
    other = unlisted if change.theirs is None else change.theirs(unlisted)
    if own is ours and other is unlisted:
        return None
    places = Known(own[free]).find(other)
    rows = np.flatnonzero(places >= 0)
    return (rows, places[rows]) if len(rows) >= least else None


def _keeps_apart(change: Change, ours: Ids, judged: Ids) -> bool:
    return all(
        rewrite is None or rewrite(ids).is_distinct()
        for rewrite, ids in ((change.ours, ours), (change.theirs, judged))
    )


def _changed_sides(change: Change, pairs: list[tuple[str, str]]) -> tuple[bool, bool]:
    """Whether a change alters the ids of the lists, and the judged ones, of pairs that it makes match."""
    ours, theirs = (Ids.of_strings(list(texts)) for texts in zip(*pairs, strict=True))
    return tuple(
        rewrite is not None and rewrite(ids).tolist() != ids.tolist()
        for rewrite, ids in ((change.ours, ours), (change.theirs, theirs))
    )  # type: ignore[return-value]


def find_swapped_columns(query: Ids, item: Ids, judged_query: Ids, judged_item: Ids) -> Mismatch | None:
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
        len(distinct(at[at >= 0])) / max(len(column), 1)
        for at, column in ((as_query, queries), (as_item, items))
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


# Changes of ids that could make two sides meet: one rule for all ids of a side, such as a prefix taken off.

Rewrite = Callable[[Ids], Ids]

LOOKED_AT, OFTEN, MOST = 64, 0.1, 4  # ids whose beginnings are counted; the least share; how many are tried
SHORTEST_CUT = 8  # signs; shorter ids were hardly cut
EDGE = re.compile(r"(?<=[^0-9A-Za-z])(?=.)|(?<=[A-Za-z])(?=[^A-Za-z])|(?<=[0-9])(?=[^0-9])", re.DOTALL)
BLANK, ZERO, QUOTES = ord(" "), ord("0"), (ord("'"), ord('"'))
DIFFER = 0.05  # in the share of a first or last byte
BEYOND = 0x80  # the first byte beyond ASCII


@record(eq=False)
class Change:
    """One change of all ids: ``ours`` are those of the lists, ``theirs`` the judged ones; None leaves a side as it is.

    ``how`` says it in words, and ``code`` as Python of an id called ``id``.
    """

    how: Composed
    code: str
    ours: Rewrite | None
    theirs: Rewrite | None


def changes(ours: Ids, theirs: Ids) -> Iterator[Change]:
    """Yield the changes that alter any of two columns of distinct text, each in a buffer of its own, the simplest first."""
    sides = ours, theirs
    is_plain = all(ids.text.max(initial=0) < BEYOND for ids in sides)
    if not is_plain or any((ids.text <= BLANK).any() for ids in sides):
        yield _change_both(Composed("without white space around them"), "id.strip()", without_blanks)
    if any(np.isin(_ends(ids)[0], QUOTES).any() for ids in sides):
        yield _change_both(
            Composed("without quotation marks around them"), r'id.strip("\x27\x22")', without_quotes
        )
    if any((_ends(ids)[0] == ZERO).any() for ids in sides):
        yield _change_both(Composed("without leading zeros"), '(id.lstrip("0") or "0")', without_zeros)
    if not is_plain:
        code = '__import__("unicodedata").normalize("NFC", id)'
        yield _change_both(Composed("in one Unicode form (NFC)"), code, composed_form)
    if not is_plain or any(_is_upper(ids.text).any() for ids in sides):
        yield _change_both(Composed("in lower case"), "id.lower()", lower_case)
    yield from _shorter(ours, theirs)
    has_parts = [bool(are_separators(ids.text).any()) for ids in sides]
    if has_parts[0] != has_parts[1]:
        how, code = (
            Composed("without a prefix up to the last _, - or /"),
            '__import__("re").sub(".*[-_/](?=.)", "", id)',
        )
        yield _change_one(how, code, last_part, is_ours=has_parts[0])
    longest = [int(ids.lengths.max(initial=0)) for ids in sides]
    if min(longest) >= SHORTEST_CUT and longest[0] != longest[1]:
        longest = [int(signs(ids).max(initial=0)) for ids in sides]
        if min(longest) >= SHORTEST_CUT and longest[0] != longest[1]:
            most = min(longest)
            how = Composed("cut at {n} signs", n=most)
            yield _change_one(how, f"id[:{most}]", partial(_cut_at, most), is_ours=longest[0] > longest[1])


def _shorter(ours: Ids, theirs: Ids) -> Iterator[Change]:
    """Yield the changes that take a prefix or a suffix off, where the two sides begin or end in different ways."""
    for is_suffix in (False, True):
        if not _differ(ours, theirs, is_suffix=is_suffix):
            continue
        texts = [[text[::-1] if is_suffix else text for text in _some(ids)] for ids in (ours, theirs)]
        for is_ours in (True, False):
            for part in _common(texts[not is_ours], texts[is_ours]):
                text = part[::-1] if is_suffix else part
                if is_suffix and _numbers_parts(text, texts[not is_ours]):
                    continue
                if is_suffix:
                    how, code = Composed("without the suffix {suffix}", suffix=repr(text)), "id.removesuffix"
                else:
                    how, code = Composed("without the prefix {prefix}", prefix=repr(text)), "id.removeprefix"
                rewrite = partial(_without, text.encode(), is_suffix=is_suffix)
                # in double quotes, so that a shell takes it in single ones
                import json

                quoted = json.dumps(text, ensure_ascii=False)
                yield _change_one(how, f"{code}({quoted})", rewrite, is_ours=is_ours)


def _numbers_parts(suffix: str, reversed_texts: Iterable[str]) -> bool:
    """Whether a suffix is the number of one of several parts (``#0`` beside ``#1``): taken off, passages would be strangers still."""
    sign = suffix.rstrip("0123456789")
    if sign == suffix or not sign or sign[-1:].isalnum():
        return False
    other = re.compile(rf"(?!{re.escape(suffix[::-1])})[0-9]+{re.escape(sign[::-1])}")
    return any(other.match(text) for text in reversed_texts)


def _change_both(how: Composed, code: str, rewrite: Rewrite) -> Change:
    return Change(how, code, rewrite, rewrite)


def _change_one(how: Composed, code: str, rewrite: Rewrite, *, is_ours: bool) -> Change:
    return Change(how, code, rewrite if is_ours else None, None if is_ours else rewrite)


def without_blanks(ids: Ids) -> Ids:
    """Return ids without white space around them."""
    return rewrite_rows(_strip(ids, ids.text <= BLANK), beyond_ascii(ids), str.strip)


def without_quotes(ids: Ids) -> Ids:
    """Return ids without quotation marks around them."""
    return _strip(ids, np.isin(ids.text, QUOTES))


def _strip(ids: Ids, unwanted: np.ndarray) -> Ids:
    """The ids without unwanted bytes of the text at their beginning and end."""
    left = leading(ids, unwanted)
    right = np.minimum(trailing(ids, unwanted), ids.lengths - left)
    return shorten(ids, left, right)


def without_zeros(ids: Ids) -> Ids:
    """Return ids without leading zeros; of zeros alone one is left."""
    left = np.minimum(leading(ids, ids.text == ZERO), np.maximum(ids.lengths - 1, 0))
    return shorten(ids, left, np.zeros_like(left))


def composed_form(ids: Ids) -> Ids:
    """Return ids with letters and their accents as one sign each (NFC)."""
    import unicodedata

    return rewrite_rows(ids, beyond_ascii(ids), lambda text: unicodedata.normalize("NFC", text))


def lower_case(ids: Ids) -> Ids:
    """Return ids in lower case."""
    # in ASCII a small letter is the capital with one bit more
    lower = Ids.of_spans(ids.text | (_is_upper(ids.text).astype(np.uint8) << 5), ids.starts, ids.lengths)
    return rewrite_rows(lower, beyond_ascii(ids), str.lower)


def last_part(ids: Ids) -> Ids:
    """Return ids without what stands before the last _, - or / that has something behind it; numbers stay whole."""
    ends = ids.starts + ids.lengths - 1  # a separator at the very end ends nothing
    where = np.flatnonzero(are_separators(ids.text))
    if not len(where):
        return ids
    before = where[np.maximum(np.searchsorted(where, ends) - 1, 0)]
    left = np.where((before >= ids.starts) & (before < ends), before - ids.starts + 1, 0)
    return shorten(ids, left, np.zeros_like(left))


def _without(part: bytes, ids: Ids, *, is_suffix: bool) -> Ids:
    """The ids without a prefix or a suffix, where they have it; ids of digits alone stay, and no number is cut in two."""
    size = len(part)
    rows = np.flatnonzero((ids.lengths > size) & ~are_digits(ids))
    begins = ids.starts[rows] + (ids.lengths[rows] - size if is_suffix else 0)
    for place, byte in enumerate(part):
        is_part = ids.text[begins + place] == byte
        rows, begins = rows[is_part], begins[is_part]
    inner = part[0 if is_suffix else -1 :][:1]
    if inner.isdigit():
        neighbour = ids.text[begins - 1 if is_suffix else begins + size]
        rows = rows[~digits(neighbour)]
    sizes = np.zeros(len(ids), np.int64)
    sizes[rows] = size
    none = np.zeros_like(sizes)
    return shorten(ids, none, sizes) if is_suffix else shorten(ids, sizes, none)


def _cut_at(most: int, ids: Ids) -> Ids:
    """The ids cut at a number of signs; those of digits alone, or of a word and a number, stay."""
    over = np.where(are_numbered(ids), 0, np.maximum(ids.lengths - most, 0))
    cut = shorten(ids, np.zeros_like(over), over)
    return rewrite_rows(cut, beyond_ascii(ids), lambda text: text[:most], ids)


def _common(own: list[str], theirs: list[str]) -> list[str]:
    """The beginnings that many texts have, and few of the others."""
    beginnings: list[str] = []
    for text in own:
        if not (text.isascii() and text.isdigit()):
            beginnings += [text[: place.start()] for place in EDGE.finditer(text)]
    counts = Counter(beginnings)
    shared = _shared_start(own)
    if shared and min(map(len, own)) > len(shared):
        counts[shared] = len(own)
    often = []
    for start, n in counts.items():
        if start and n >= max(OFTEN * len(own), 1):
            number = 0
            for text in theirs:
                number += text.startswith(start)
            if number / len(theirs) < n / len(own) / 2:
                often.append((-n, -len(start), start))
    return [start for *_, start in sorted(often)[:MOST]]


def _differ(ours: Ids, theirs: Ids, *, is_suffix: bool) -> bool:
    """Whether the first bytes of the ids of two sides are others, or in other shares; or the last ones."""
    shares = [np.bincount(_ends(ids)[is_suffix], minlength=256) / len(ids) for ids in (ours, theirs)]
    return bool(np.abs(shares[0] - shares[1]).max() > DIFFER)


def _ends(ids: Ids) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last byte of each id; of an empty one that of another."""
    last = len(ids.text) - 1
    return ids.text[np.minimum(ids.starts, last)], ids.text[np.maximum(ids.starts + ids.lengths - 1, 0)]


def _shared_start(texts: list[str]) -> str:
    """What all texts begin with, without digits of a number that goes on."""
    if not texts:
        return ""
    low, high = min(texts), max(texts)
    n = next((n for n, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    return low[:n].rstrip("0123456789") if n < len(high) else low[: n - 1].rstrip("0123456789")


def _some(ids: Ids) -> list[str]:
    some = ids[np.linspace(0, len(ids) - 1, min(len(ids), LOOKED_AT)).astype(np.int64)]
    text, spans = some.text.tobytes(), zip(some.starts.tolist(), some.lengths.tolist(), strict=True)
    return [text[start : start + length].decode(errors="replace") for start, length in spans]


def _is_upper(text: np.ndarray) -> np.ndarray:
    return (text >= ord("A")) & (text <= ord("Z"))


def digits(text: np.ndarray) -> np.ndarray:
    """Whether each byte is a digit."""
    return (text >= ord("0")) & (text <= ord("9"))


def are_digits(ids: Ids) -> np.ndarray:
    """Whether each id is of digits alone."""
    return (leading(ids, digits(ids.text)) == ids.lengths) & (ids.lengths > 0)


def are_numbered(ids: Ids) -> np.ndarray:
    """Whether each id is a word and a number, or a number alone."""
    is_digit = digits(ids.text)
    numbers = trailing(ids, is_digit)
    return (numbers > 0) & (leading(ids, ~is_digit) + numbers == ids.lengths)


def beyond_ascii(ids: Ids) -> np.ndarray:
    """The rows of ids with a sign beyond ASCII."""
    where = np.flatnonzero(ids.text >= BEYOND)
    if not len(where):
        return where
    following = np.searchsorted(where, ids.starts)
    return np.flatnonzero(
        (following < len(where)) & (where[np.minimum(following, len(where) - 1)] < ids.starts + ids.lengths)
    )


def are_separators(text: np.ndarray) -> np.ndarray:
    """Whether each byte separates the parts of an id."""
    return (text == ord("_")) | (text == ord("-")) | (text == ord("/"))


def signs(ids: Ids) -> np.ndarray:
    """The number of signs of each id, without those that are never cut."""
    # in UTF-8 each sign has one byte that does not begin with the bits 10
    until = np.concatenate([[0], np.cumsum((ids.text & 0xC0) != 0x80)])
    return (until[ids.starts + ids.lengths] - until[ids.starts])[~are_numbered(ids)]


def leading(ids: Ids, is_wanted: np.ndarray) -> np.ndarray:
    """How many bytes of the text at the beginning of each id are wanted."""
    numbers = np.zeros(len(ids), np.int64)
    rows = np.flatnonzero(ids.lengths > 0)
    rows = rows[is_wanted[ids.starts[rows]]]
    if len(rows):
        stops = np.append(np.flatnonzero(~is_wanted), len(is_wanted))
        until = stops[np.searchsorted(stops, ids.starts[rows])]
        numbers[rows] = np.minimum(until - ids.starts[rows], ids.lengths[rows])
    return numbers


def trailing(ids: Ids, is_wanted: np.ndarray) -> np.ndarray:
    """How many bytes of the text at the end of each id are wanted."""
    numbers = np.zeros(len(ids), np.int64)
    rows = np.flatnonzero(ids.lengths > 0)
    ends = ids.starts[rows] + ids.lengths[rows]
    rows, ends = rows[is_wanted[ends - 1]], ends[is_wanted[ends - 1]]
    if len(rows):
        stops = np.append(-1, np.flatnonzero(~is_wanted))
        before = stops[np.searchsorted(stops, ends) - 1]
        numbers[rows] = np.minimum(ends - 1 - before, ids.lengths[rows])
    return numbers


def shorten(ids: Ids, left: np.ndarray, right: np.ndarray) -> Ids:
    """The ids without so many bytes at the beginning and at the end of each."""
    if not left.any() and not right.any():
        return ids
    return Ids.of_spans(ids.text, ids.starts + left, (ids.lengths - left - right).astype(np.int32))


def rewrite_rows(
    ids: Ids, rows: np.ndarray, rewrite: Callable[[str], str], originals: Ids | None = None
) -> Ids:
    """The ids, where a function of the text makes the new text of some rows."""
    if not len(rows):
        return ids
    own = originals or ids
    texts = [rewrite(str(own.one(int(row)))).encode(errors="surrogatepass") for row in rows]
    starts, lengths = ids.starts.astype(np.int64), ids.lengths.astype(np.int32)
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    starts[rows], lengths[rows] = len(ids.text) + np.cumsum(sizes) - sizes, sizes
    return Ids.of_spans(np.concatenate([ids.text, np.frombuffer(b"".join(texts), np.uint8)]), starts, lengths)
