"""Logs of what users were shown and clicked: one table, ``Log``, and the checks of what its columns say."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType

import numpy as np
import polars as pl

from rankwell.display.page import PageStrings, words_of
from rankwell.errors import DataError, DataWarning, UsageError, brief, few_of, nearest
from rankwell.readers.frames.columns import match_words, quoted
from rankwell.records import cached_property, record
from rankwell.tables.columns import LOG_COLUMNS, names_experiments
from rankwell.tables.ids import Ids
from rankwell.tables.series import Place, RowOf

NAMES = {word: " ".join(column.names) for word, column in LOG_COLUMNS.items()}
LAST_RANK = 10_000  # what is beyond it is an id
MOST = 1e50  # rewards whose fourth powers are numbers, too
# what a number must be: in words, its ends, and whether it is whole
NUMBERS = {
    "rank": (f"a whole number from 0 to {LAST_RANK:,}", 0, LAST_RANK, True),
    "click": ("0, 1 or a count; what was shown and not clicked is 0", 0, math.inf, True),
    "swap": ("a rank below the first, counted as the ranks are, or nothing", 1, math.inf, True),
    "propensity": ("above 0 and at most 1, the probability with which the logging policy chose what was shown", math.ulp(0), 1, False), "target": ("a probability", 0, 1, False),
    "unseen": ("a probability", 0, 1, False),
} | dict.fromkeys(("reward", "q", "v"), (f"a number, at most {MOST:g}", -MOST, MOST, False))  # fmt: skip
DEEPEST = 62  # rank that is harvested: the ranks of a pair are bits of a number
HASHED = "query", "item", "rank", "click"
FEWEST = 20  # rows, fewer of which may all be clicked by chance
NAMED = pl.String, pl.Categorical, pl.Enum, pl.Boolean  # kinds of what is called by a name
ROW = "row "  # the name of no column of anybody's


@record(eq=False)
class Log:
    """Rows of a log, read when somebody looks; ``words`` says which column is the impression, the user, the click …

    Made by ``rankwell.clicks.read_log``. ``counts`` holds what was left out while it was read.
    """

    frame: pl.LazyFrame
    words: Mapping[str, str]
    name: str
    place: Place
    rank_base: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Log {self.name!r}: columns {', '.join(self.words)}"

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return [name for name in self.frame.collect_schema().names() if name != ROW]

    def require(self, *words: str) -> None:
        """Refuse a log without one of these columns; DataError says how to name it."""
        for word in words:
            if word not in self.words:
                raise DataError(
                    f"{self.name}: there is no column for the {word} ({LOG_COLUMNS[word].holds}); the columns are "
                    f"{quoted(self.names)}. Say which it is: columns={{'its name': {brief(word)}}}."
                )
            self._refuse_nested(self.words[word])

    def _refuse_nested(self, column: str) -> None:
        kind = self.frame.collect_schema()[column]
        if kind.is_nested() or kind in (pl.Binary, pl.Object):
            raise DataError(
                f"{self.name}: the column {brief(column)} is {kind}; a cell of a log holds one id, number or time."
            )

    def cluster(self, word: str | None) -> str | None:
        """Return the column of the clusters, which is a word or a name; DataError if there is none."""
        if word is None:
            return None
        column = self.words.get(word, word)
        if column in self.names:
            self._refuse_nested(column)
            return column
        if word in LOG_COLUMNS:
            raise DataError(
                f"{self.name}: there is no column for the {word}, and what one {word} does is not independent. Say which it is: "
                f"columns={{'its name': {brief(word)}}}; or cluster=None (--cluster none), which counts "
                f"each impression alone, as if nobody came back."
            )
        raise UsageError(
            f"cluster={brief(word)}: {self.name} has no such column; the columns are {quoted(self.names)}.{nearest(word, self.names)}"
        )

    def number(self, word: str) -> pl.Expr:
        """Return the column of a word as numbers; what is none is null, which ``checked`` has refused."""
        column = pl.col(self.words[word])
        if self.frame.collect_schema()[self.words[word]] == pl.String:
            # not replace, which takes many times the memory
            text = column.str.strip_chars().str.to_lowercase()
            number = text.cast(pl.Float64, strict=False)
            return pl.when(text == "true").then(1.0).when(text == "false").then(0.0).otherwise(number)
        return column.cast(pl.Float64, strict=False)

    def keys(self, *words: str) -> list[pl.Expr]:
        """Return the columns of words under these names; ranks and swaps are whole numbers from 1 on, of a log that was ``checked``."""
        own = {word: pl.col(self.words[word]) for word in words}
        for word in own.keys() & {"rank", "swap"}:
            own[word] = self.number(word).cast(pl.Int64) + (1 - (self.rank_base or 0))
        return [column.alias(word) for word, column in own.items()]

    def require_ids(self) -> None:
        """Refuse queries and items of a kind that no run and no judgements have, such as floats."""
        for word in ("query", "item"):
            column = self.frame.select(self.words[word]).head(0).collect().to_series()
            Ids.of_series(column, word, self.place)

    @property
    def clicked(self) -> pl.Expr:
        """Whether a row was clicked; a count is read as a click."""
        return self.number("click") > 0

    def checked(self, *words: str) -> Log:
        """Return the log with the base of its ranks, if it holds these columns and their numbers are what they must be.

        An impression has an id and shows an item once, as long as there are columns of both.

        DataError for the first row with a missing value or a wrong number, for an item that is shown twice in an impression, and for
        ranks that count from 0 in one impression and from 1 in another.
        """
        words = tuple(dict.fromkeys((*words, *["impression"] * ("impression" in self.words))))
        self.require(*words)
        bad = [pl.col(ROW).filter(self._is_bad(word)).min().alias(word) for word in words]
        lowest = self.number("rank").min() if "rank" in words else pl.lit(None)
        passed = (~self.clicked).any() if "click" in words else pl.lit(value=True)
        ends = lowest.alias("lowest rank"), passed.alias("any passed")
        rows, low, has_passed, *first = self.columns(pl.len(), *ends, *bad).row(0)
        if not rows:
            raise DataError(f"{self.name}: the log holds no rows.")
        for word, row in zip(words, first, strict=True):
            if row is not None:
                self._refuse(word, row)
        if {"impression", "item"} <= {*self.words}:
            self.require("item")
            self._refuse_twice()
        own = self._with_base(low) if "rank" in words else self
        if "swap" in words:
            own.refuse_swaps()
        if has_passed or rows < FEWEST:
            return own
        warnings.warn(
            f"{self.name}: every row is clicked, so what was shown and not clicked seems to be missing, and with it all that a click rate "
            f"tells. Add these rows, with a click of 0.",
            DataWarning,
            stacklevel=2,
        )
        return replace(own, counts={**self.counts} | in_sentences({"only_clicks": rows}))

    def _is_bad(self, word: str) -> pl.Expr:
        column, kind = pl.col(self.words[word]), _number_kind(word)
        if kind is None:
            return column.is_null()
        number, (_, low, high, is_whole) = self.number(word), kind
        fits = number.is_finite() & number.is_between(low, high)
        fits = fits & (number == number.floor()) if is_whole else fits
        # a row of no swap has none
        return ~fits.fill_null(column.is_null() if word == "swap" else pl.lit(value=False))

    def _refuse(self, word: str, row: int) -> None:
        value = collected(self.frame.filter(pl.col(ROW) == row).select(self.words[word])).item()
        said, kind = "is missing" if value is None else f"is {brief(value)}", _number_kind(word)
        raise DataError(
            f"{self.place(row)}: the {word} {said}; it must be {kind[0] if kind else 'there'}. Fix or remove the row."
        )

    def _refuse_twice(self) -> None:
        # an item of both teams may be there once for each
        words = [word for word in ("impression", "item", "team") if word in self.words]
        impression, item, *_ = own = [pl.col(self.words[word]) for word in words]
        known, shown = self.frame.filter(item.is_not_null()), pl.struct(own)
        # different hashes are of different items; only where some are equal the items themselves are looked at
        distinct, rows = collected(known.select(shown.hash().n_unique().alias("distinct"), pl.len())).row(0)
        if distinct < rows and collected(known.select(shown.n_unique())).item() < rows:
            again = known.filter(~shown.is_first_distinct()).sort(ROW).head(1)
            row, one, other = collected(again.select(ROW, impression, item)).row(0)
            raise DataError(
                f"{self.place(row)}: impression {brief(one)} shows item {brief(other)} a second time. An impression is one answer: if the log "
                f"was joined or exported twice, remove the copies; if it is the query, say so: "
                f"columns={{{brief(self.words['impression'])}: 'query'}}."
            )

    def _with_base(self, low: float) -> Log:
        base = self.rank_base
        if base is None:
            if low > 1:
                raise DataError(
                    f"{self.name}: the lowest rank is {low:g}, so nobody can tell whether the first rank is 0 or 1. Say which: "
                    f"rank_base=1 (--rank-base 1)."
                )
            base = int(low)
        if low < base:
            raise DataError(f"{self.name}: there are ranks of {low:g}, below the rank_base={base}.")
        if base == 0 and "impression" in self.words:
            self._refuse_mixed()
        return replace(self, rank_base=base)

    def refuse_swaps(self) -> None:
        """Refuse swaps that count from another number than the ranks do."""
        rank, swap = self.keys("rank", "swap")
        first, deepest, far = self.columns(pl.col(ROW).filter(swap < 2).min(), rank.max(), swap.max()).row(0)
        if first is not None:
            self._refuse("swap", first)
        if self.rank_base == 0 and far is not None and far > deepest:
            raise DataError(
                f"{self.name}: there is a swap of {far - 1}, but the ranks of a log that counts from 0 end at {deepest - 1}. Let swaps count as "
                f"the ranks do, from 0."
            )

    def _refuse_mixed(self) -> None:
        """Refuse ranks that count from 0 in impressions, and without a gap from 1 in others."""
        rank, by = self.number("rank"), self.frame.group_by(self.words["impression"])
        ends = by.agg(rank.min().alias("low "), rank.max().alias("high "), rank.n_unique().alias("ranks "))
        low, high, ranks = (pl.col(name) for name in ("low ", "high ", "ranks "))
        whole = ends.filter((high - low + 1 == ranks) & (ranks > 1))
        found = collected(whole.filter(low <= 1).group_by(low).agg(pl.first(self.words["impression"])))
        if len(found) > 1:
            first, second = (each[1] for each in sorted(found.iter_rows()))
            raise DataError(
                f"{self.name}: impression {brief(first)} counts its ranks from 0 and impression {brief(second)} from 1. Count all from "
                f"one, or read the parts apart, each with its rank_base."
            )

    def columns(self, *expressions: pl.Expr) -> pl.DataFrame:
        """Return some columns as a frame."""
        return collected(self.frame.select(*expressions))

    def tally(self, *keys: pl.Expr | str) -> pl.DataFrame:
        """Return the clicks and rows of each key."""
        clicks, rows = self.clicked.sum().cast(pl.Int64), pl.len().cast(pl.Int64)
        return collected(self.frame.group_by(*keys).agg(clicks.alias("clicks"), rows.alias("rows")))

    def of_impressions(self, cluster: str | None, *found: pl.Expr) -> tuple[pl.DataFrame, np.ndarray, int]:
        """Return as ``of_rows``, of each impression in their order: what is found of its rows; DataError if an impression has two clusters."""
        own = pl.lit(None) if cluster is None else pl.col(cluster)
        by = self.frame.group_by(pl.col(self.words["impression"]).alias("impression "))
        ends = own.min().alias("cluster "), own.max().alias("other ")
        frame = collected(by.agg(*found, *ends).sort("impression "))
        two = frame.filter(pl.col("cluster ") != pl.col("other ")).head(1)
        for name, one, other in two.select("impression ", "cluster ", "other ").iter_rows():
            raise DataError(
                f"{self.name}: impression {brief(name)} has two values of {brief(cluster)}, {brief(one)} and {brief(other)}, so it is not one "
                f"answer to one of them. Give each answer an id of its own."
            )
        return frame, *numbered(frame["cluster "], cluster)

    def of_rows(self, cluster: str | None, *expressions: pl.Expr) -> tuple[pl.DataFrame, np.ndarray, int]:
        """Return columns of the rows, the number of each row's cluster, and how many rows have no cluster and so one each."""
        own = pl.lit(None) if cluster is None else pl.col(cluster)
        frame = self.columns(*expressions, own.alias("cluster "))
        return frame, *numbered(frame["cluster "], cluster)

    def counted(self, cluster: str | None = "", **found: int) -> dict[str, int]:
        """Return the counts of the log and what else was found, if it was, by sentences in English; without clusters also who came back."""
        if cluster is None and "user" in self.words:
            answers = pl.col(self.words.get("impression", ROW))
            found["returned"] = self.columns(
                answers.n_unique() - pl.col(self.words["user"]).n_unique()
            ).item()
        found["experiments"] = self._experiments(cluster)
        return dict(self.counts) | in_sentences(found, cluster)

    def _experiments(self, cluster: str | None) -> int:
        """How many experiments were answered as one, of which a warning says; 0 where no column holds several."""
        own = {word: pl.col(self.words[word]) for word in ("impression", "item") if word in self.words}
        kinds = self.frame.collect_schema()
        for column in self.names:
            is_sure = names_experiments(column)
            is_name = kinds[column].is_integer() or kinds[column] in NAMED
            if is_sure is False or column in {*self.words.values(), cluster} or not is_name:
                continue
            one, each = pl.col(column), own.items()
            apart = [pl.struct(key, one).n_unique().alias(f"{word}s") for word, key in each]
            keys = [key.n_unique().alias(word) for word, key in each]
            n = self.columns(pl.len().alias("rows"), one.n_unique().alias("n"), *keys, *apart).row(
                0, named=True
            )
            answers = n.get("impression", n["rows"])
            if answers < n["rows"]:  # what differs within an answer is an item's
                is_sure = n["impressions"] == answers
            elif "item" in n:
                is_sure = is_sure or n["items"] > n["item"]
            if is_sure and 1 < n["n"] <= answers / 2:
                some = self.columns(one.unique().sort().head(4)).to_series().to_list()
                warnings.warn(
                    f"{self.name}: by {brief(column)} it holds {n['n']:,} experiments ({few_of([brief(name) for name in some], 3)}), which were "
                    f"answered as one. Give each by itself: dict(list(frame.groupby({brief(column)}))) are logs by name, in pandas; or "
                    f"leave the column out if they belong together, as arms of one test do in a harvest.",
                    DataWarning,
                    stacklevel=2,
                )
                return int(n["n"])
        return 0

    @cached_property
    def hash(self) -> str:
        """The first twelve digits of a SHA-256 of what was shown and clicked, in the order of the rows."""
        columns = [pl.col(self.words[word]) for word in HASHED if word in self.words]
        digest = hashlib.sha256()
        for batch in self.frame.select(columns).collect_batches(maintain_order=True):
            digest.update(batch.write_csv(include_header=False).encode())
        return digest.hexdigest()[:12]


def _number_kind(word: str) -> tuple[str, float, float, bool] | None:
    """What the column of a word must hold, if that is numbers; of several targets each has a word, ``target NAME``."""
    return NUMBERS.get(word.partition(" ")[0])


def numbered(column: pl.Series, cluster: str | None) -> tuple[np.ndarray, int]:
    """Return a number per row, the same for the same value, and how many rows have none: each of these is alone, as are all without clusters."""
    if cluster is None:
        return np.arange(len(column)), 0
    # text is numbered by hashing, in the order in which values appear
    codes = column.cast(pl.Categorical).to_physical() if column.dtype == pl.String else column.rank("dense")
    numbers, missing = codes.cast(pl.Int64).fill_null(-1).to_numpy(writable=True), column.is_null().to_numpy()
    alone = int(missing.sum())
    numbers[missing] = np.arange(alone) + int(numbers.max(initial=0)) + 1
    return np.unique(numbers, return_inverse=True)[1], alone


def sentences(words: PageStrings, cluster: str | None) -> dict[str, str]:
    """Return what is counted of logs, by key, in the words of a language."""
    fields = {"cluster": cluster, "deepest": DEEPEST}
    return {key: text.format(**fields) for key, text in words.of("clicks.counts").items()}


def in_sentences(counts: Mapping[str, int], cluster: str | None = None) -> dict[str, int]:
    """Return counts above 0 by sentences in English."""
    texts = sentences(words_of("en"), cluster)
    return {texts[what]: n for what, n in counts.items() if n > 0}


def collected(frame: pl.LazyFrame) -> pl.DataFrame:
    """Return what a lazy frame holds, worked out in pieces so that the log itself never stands in memory."""
    from rankwell.readers.frames.scans import polars_errors

    with polars_errors("the log"):
        return frame.collect(engine="streaming")


def log_of(
    frame: pl.DataFrame | pl.LazyFrame, name: str, columns: Mapping[str, str] | None = None, place: Place | None = None,
    *, rank_base: int | None = None, counts: Mapping[str, int] = MappingProxyType({}),
) -> Log:  # fmt: skip
    """Return a log of a frame; ``columns`` say what its columns hold where their names do not, ``counts`` by key what was left out."""
    frame = frame.lazy()
    kinds = frame.collect_schema()
    words = match_words(kinds.names(), columns, name, NAMES)
    # NaN is how pandas writes what is missing; it and empty text are nobody's id: else all rows without a user would be one user
    ids = {*kinds} - {column for word, column in words.items() if _number_kind(word)}
    frame = frame.with_columns(
        [pl.col(each).fill_nan(None) for each in kinds if kinds[each].is_float()]
        + [pl.when(pl.col(each) != "").then(each) for each in ids if kinds[each] == pl.String]
    )
    return Log(frame.with_row_index(ROW), words, name, place or RowOf(name), rank_base, in_sentences(counts))
