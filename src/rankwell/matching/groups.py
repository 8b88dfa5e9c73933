"""Groups: passages of documents (or variants of products), of which each list keeps the first and judgements are of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from rankwell.errors import DataError, NeededError, UsageError, brief
from rankwell.kernels import match, order
from rankwell.matching.policy import Policy, separator_of
from rankwell.records import Derived, record
from rankwell.tables.ids import Ids, Known, pack
from rankwell.tables.lists import offsets_of, places_of

if TYPE_CHECKING:
    from rankwell.tables.items_users import Items
    from rankwell.tables.rows import Lists
    from rankwell.tables.series import Place

Judged = Literal["groups", "items"]
COPIES = "rows that repeat an item"
FOLDED = "rows folded into the first of their group"
LATER = "rows after the first of their group, which a budget pays for, too"
OUTSIDE = "rows of items without a group"
JUDGED_OUTSIDE = "judged items without a group"
PASSAGES = "#", "::"  # what only ids of passages have
SEPARATORS = *PASSAGES, "|", "@", "_", "-", "/", ":"
SPREAD = 8  # text between the ids, in times of their own
UNKNOWN = "judgements taken as of groups, as no judged id is an item or a group of the run"


@record(eq=False)
class Groups(Derived):
    """The group of each item: what an id says before a ``separator``, or a column of the items.

    Of a column ``items`` are those that have a group, ``number`` the number of each one's group in ``names``. What is in none is
    a group of its own, or an error, by the policy.
    """

    lifetime: ClassVar[int] = 4

    rule: str
    separator: bytes = b""
    items: Known | None = None
    number: np.ndarray | None = None
    names: Ids | None = None
    is_lenient: bool = False  # outside="ignore"

    @classmethod
    def of(cls, policy: Policy, items: Items | None) -> Groups:
        """Return the groups that a policy asks for; RankwellError if they are a column that the items lack."""
        assert policy.group is not None
        is_lenient = policy.outside == "ignore"
        if (separator := separator_of(policy.group)) is not None:
            return cls(policy.group, separator.encode(), is_lenient=is_lenient)
        if items is None:
            raise NeededError(
                f"group={brief(policy.group)} is a column of items=, which is not given. Give items=, a table with each item's group; or "
                f"say what separates a group from the rest of an id: group='#'."
            )
        texts = items.group_names(policy.group)
        has_group = np.flatnonzero(texts.is_not_null().to_numpy())
        names = Ids.of_series(texts.drop_nulls(), "group")
        number, firsts = names.group()
        return cls(
            policy.group,
            items=Known(items.item[has_group]),
            number=number,
            names=names[firsts],
            is_lenient=is_lenient,
        )

    def groups_of(self, items: Ids, place: Place | None = None) -> tuple[Ids, int]:
        """Return the group of each item, and of how many the group is not known, so that they are their own.

        DataError for such an item, unless the policy ignores them; ``place`` says where a row is.
        """
        if self.items is None or self.number is None or self.names is None:
            return (ids_before(items, self.separator) if items.is_text else items), 0
        rows = self.items.rows_of(items, "item")
        outside = np.flatnonzero(rows < 0)
        if not len(outside):
            return self.names[self.number[rows]], 0
        if not self.is_lenient:
            at = int(outside[0])
            where = "the judgements" if place is None else place(at)
            raise DataError(
                f"{where}: item {brief(items.one(at))} has no {self.rule} ({len(outside):,} such rows here). Complete the column of items=, "
                f"or set outside='ignore' to make such items groups of their own, which are counted."
            )
        # a group of its own is called as the item; where one side is text, both are
        names, own = self.names, items[outside]
        if own.is_text != names.is_text:
            names, own = _as_text(names), _as_text(own)
        group = np.empty(len(items), np.int64)
        inside = rows >= 0
        group[inside] = self.number[rows[inside]]
        group[outside] = len(names) + np.arange(len(outside))
        return Ids.concatenate([names, own])[group], len(outside)

    def decide(self, run: Iterable[Ids], judged: Ids) -> Judged:
        """Return what judgements are of: an id that is a group of some item and no item votes for groups, an item of another group for items.

        ``run`` gives the items of the run batch by batch; it is looked at only if it matters (``needs_items``). Without a vote it is
        groups. DataError if ids of both kinds are judged.
        """
        of_column = [] if self.items is None else [self.items.ids]
        batches = of_column or (run if self.needs_items(judged) else [])
        distinct = Known(judged[judged.group()[1]])
        is_item, is_group = np.zeros((2, len(distinct)), bool)
        for items in batches:
            _mark(is_item, distinct, items)
            _mark(is_group, distinct, self.groups_of(items)[0])
        of_groups = is_group & ~is_item
        rows = np.flatnonzero(is_item)
        found = distinct.ids[rows]
        of_items = np.zeros(len(distinct), bool)
        of_items[rows] = ~_equal(_as_text(self.groups_of(found)[0]), _as_text(found))
        if of_groups.any() and of_items.any():
            group, item = (brief(distinct.ids.one(int(np.argmax(votes)))) for votes in (of_groups, of_items))
            raise DataError(
                f"the judgements are of groups ({group}) and of items ({item}). Say which they are: judged='groups' or judged='items'; ids "
                f"of the other kind then match nothing."
            )
        return "items" if of_items.any() else "groups"

    def needs_items(self, judged: Ids) -> bool:
        """Whether the items of the run are needed to decide what judgements are of: not if each judged id is a group by itself."""
        if self.items is not None:
            return False
        return judged.is_text and bool((ids_before(judged, self.separator).lengths != judged.lengths).any())

    def decide_alone(self, judged: Ids) -> Judged:
        """Return what judgements are of, without the items of the run; UsageError if these would decide it."""
        if self.needs_items(judged):
            at = int(np.argmax(ids_before(judged, self.separator).lengths != judged.lengths))
            raise UsageError(
                f"judged ids such as {brief(judged.one(at))} may be items or groups, which only the whole run tells, and this engine reads it "
                f"part by part. Say which: judged='items' or judged='groups'."
            )
        return self.decide((), judged)


def unknown_groups(counts: Mapping[str, int]) -> dict[str, int]:
    """Return how many judgements were taken as of groups without a reason: none of their ids is in the run."""
    judgements = counts.get("judgements", 0)
    return {} if not judgements or counts.get("judged items found", 0) else {UNKNOWN: judgements}


def fold(
    lists: Lists, rule: int, groups: Groups, policy: Policy, counts: dict[str, int], *, is_folded: bool = True
) -> Lists:
    """Return lists of groups: of each the first row in the order of a list, with rank 1, 2, …; what else it has is counted.

    A repeated item is an error, or is folded with its group. Unless it is folded, a later row of a group stays at its rank, and only
    items that are dropped where they are repeated go.

    Raises
    ------
    DataError
        If a list repeats an item (``duplicates=error``), or an item has no group (``outside=error``).
    """
    rows = np.arange(lists.rows)
    order.sort(rows, lists.offsets, lists.score, *lists.items.columns, rule)
    items, outside = groups.groups_of(lists.items, lists.place)
    again, firsts = match.repeats(lists.offsets, *items[rows].columns)
    copies = again[:0]
    if len(again):
        # copies of an item are copies of its group, too: only there they are looked for
        copies = _refuse_copies(lists, rows, again, firsts, policy, counts)
    left_out = again if is_folded else copies if policy.duplicates == "drop" else copies[:0]
    kept = np.ones(lists.rows, bool)
    kept[left_out] = False
    until = offsets_of(kept)
    offsets, rows = until[lists.offsets], rows[kept]
    counts[FOLDED] = len(again)
    counts[OUTSIDE] = outside
    place = lists.place
    return replace(
        lists,
        offsets=offsets,
        items=items[rows],
        score=-places_of(np.diff(offsets)).astype(np.float64),
        given=lists.given[rows] if lists.given is not None else None if lists.by_rank else lists.score[rows],
        ranks=None if is_folded or len(left_out) or lists.ranks is None else lists.ranks[rows],
        has_ranks=False,
        by_rank=True,
        extra=lists.extra and {word: column[rows] for word, column in lists.extra.items()},
        place=lambda row: place(int(rows[row])),
    )


def _refuse_copies(
    lists: Lists,
    rows: np.ndarray,
    again: np.ndarray,
    firsts: np.ndarray,
    policy: Policy,
    counts: dict[str, int],
) -> np.ndarray:
    """Return the places of rows, in order, that repeat an item, and count them; DataError if the policy refuses that."""
    several = np.zeros(len(rows), bool)  # rows of groups that have several
    several[again] = several[firsts] = True
    looked = np.flatnonzero(several)
    ascending = rows[looked]
    own = lists.items[ascending]
    offsets = np.searchsorted(looked, lists.offsets)
    copies, first_of = match.repeats(offsets, *own.columns)
    if not len(copies):
        return copies
    if policy.duplicates == "error":
        first, second = sorted((int(ascending[first_of[0]]), int(ascending[copies[0]])))
        raise lists.repeat_error(first, second)
    counts[COPIES] = len(copies)
    found: np.ndarray = looked[copies]
    return found


def find_separator(items: Ids, judged: Ids) -> tuple[str, int] | None:
    """Return what parts the judged ids from the rest of the ids of items, and how many of them; None unless it explains half of them.

    >>> find_separator(Ids.of(["d1#2", "d2#1", "d1#1"]), Ids.of(["d1", "d2", "d9"]))
    ('#', 2)
    """
    if not (items.is_text and judged.is_text and len(judged)):
        return None
    known = Known(judged[judged.group()[1]])
    # ids that are judged as they stand, for other queries perhaps, are no parts of anything
    is_whole = np.zeros(len(known), bool)
    _mark(is_whole, known, items)
    for separator in SEPARATORS:
        is_found = np.zeros(len(known), bool)
        _mark(is_found, known, ids_before(items, separator.encode()))
        if (matched := int(np.count_nonzero(is_found & ~is_whole))) * 2 >= len(known):
            return separator, matched
    return None


def ids_before(items: Ids, separator: bytes) -> Ids:
    """Return the text of each id before the last separator; of an id without one, the whole.

    >>> ids_before(Ids.of(["a#b#1", "x", "d1#2"]), b"#").tolist()
    ['a#b', 'x', 'd1']
    """
    if not len(items):
        return items
    low, high = int(items.starts.min()), int((items.starts + items.lengths).max())
    if high - low > SPREAD * (int(items.lengths.sum()) + len(items)):
        # ids that lie far apart in the text of a file: most of it is not theirs
        items = pack(items)
        low, high = 0, len(items.text)
    text, starts, lengths = items.text[low:high], items.starts - low, items.lengths
    signs = np.frombuffer(separator, np.uint8)
    begins = text[: max(len(text) - len(signs) + 1, 0)] == signs[0]
    for at, sign in enumerate(signs[1:], 1):
        begins &= text[at : at + len(begins)] == sign
    places = np.flatnonzero(begins)
    if not len(places):
        return items
    # the last place at which one begins and still lies within the id
    ends = starts + lengths
    last = places[np.searchsorted(places, ends - len(signs), side="right") - 1]
    is_within = (last >= starts) & (last + len(signs) <= ends)
    short = np.where(is_within, last - starts, lengths).astype(np.int32)
    return Ids.of_spans(items.text, items.starts, short)


def _mark(flags: np.ndarray, judged: Known, ids: Ids) -> None:
    """Mark the judged ids that are among others; text and integers are alike if the text is plain numbers."""
    if len(judged) and ids.is_text != judged.ids.is_text:
        integers = (ids if ids.is_text else judged.ids).as_integers()
        if integers is None:
            return
        judged, ids = (judged, integers) if ids.is_text else (Known(integers), ids)
    rows = judged.find(ids)
    flags[rows[rows >= 0]] = True


def _as_text(ids: Ids) -> Ids:
    return ids if ids.is_text else Ids.of_strings([str(each) for each in ids.tolist()])


def _equal(one: Ids, other: Ids) -> np.ndarray:
    """Whether the ids of two columns of text are equal, row by row."""
    codes, _ = Ids.concatenate([one, other]).group()
    return codes[: len(one)] == codes[len(one) :]
