"""The ``interleaved`` function: which of several rankers, whose items were shown in one list, got more clicks."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import polars as pl

from rankwell.clicks.log import Log, collected, in_sentences
from rankwell.clicks.means import cluster_mean, flips_of_halves
from rankwell.clicks.read import read_log
from rankwell.clicks.results import OfRows
from rankwell.comparison.checks import Estimated, Margin
from rankwell.display.page import PageStrings
from rankwell.display.saved_files import ensure
from rankwell.display.table import Table
from rankwell.errors import DataError, UsageError, brief, nearest, one_of
from rankwell.statistics.draws import first, further
from rankwell.statistics.families import Cell, max_t
from rankwell.tables.arguments import checked, refuse_level

FLIPS = 100_000
BOTH = re.compile(r"[|,;+/&\s]+")  # between the teams of an item that both rankers gave
NO_TEAM = "", "none", "na"
FEW = 20  # clusters, fewer of which are too few for a normal interval


class TeamPair(NamedTuple):
    """Two teams: impressions won by each and tied, the preference for the first with its interval, and its p-values; NaN is undefined.

    ``delta`` is (wins + ties / 2) / impressions − ½, from −½ to ½. ``without_clicks`` of the ties had no click. ``adjusted`` is p for all
    pairs of the log together.
    """

    team: str
    other: str
    impressions: int
    won: int
    lost: int
    tied: int
    without_clicks: int
    clusters: int
    delta: float
    error: float
    freedom: float
    low: float
    high: float
    p: float
    adjusted: float

    @property
    def winner(self) -> str | None:
        """The team that surely won, by an interval without 0; None for none."""
        return self.team if self.low > 0 else self.other if self.high < 0 else None


class DatedDelta(NamedTuple):
    """The preference of a week, which begins on this Monday."""

    week: str
    impressions: int
    delta: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Interleaving(OfRows, kind="interleaving", plural="interleavings", title="plots.preference.title"):
    """Which rankers got more clicks; made by ``rankwell.clicks.interleaved``.

    ``found.delta``, ``found.low``, ``found.high``, ``found.p`` are those of two rankers; ``found.pairs`` has a ``TeamPair`` for any number,
    and ``found.weeks`` the preference per week of two rankers whose log has times.
    """

    _rows: ClassVar[tuple[str, type]] = "pairs", TeamPair

    log: str
    cluster: str | None
    credit: Literal["clicks", "items"]
    level: float
    pairs: tuple[TeamPair, ...]
    weeks: tuple[DatedDelta, ...]
    counts: dict[str, int]

    def check(self, team: str | None = None, max_drop: Margin | float | str = 0.0) -> Estimated:
        """Return a check for ``rw.gate(…, checks=[found.check("new")])``: that a team is not preferred less than the other by ``max_drop``."""
        pair = self.pairs[0]
        if len(self.pairs) > 1 or math.isnan(pair.low):
            raise UsageError(
                f"{self.log}: a gate checks the preference between two teams with an interval; here are {len(self.pairs)} pairs and "
                f"{pair.clusters:,} clusters."
            )
        if team not in self.teams:
            raise UsageError(
                f"{self.log}: the teams are {one_of(map(brief, self.teams))}, and none is the new system{f' {brief(team)}' if team else ''}. "
                f"Say which is: checks=[found.check({brief(self.teams[0])})] (--checks {self.teams[0]}=FILE).{nearest(team, self.teams)}"
            )
        margin = max_drop if isinstance(max_drop, Margin) else Margin.of(max_drop)
        other, delta = (pair.other, pair.delta) if team == pair.team else (pair.team, -pair.delta)
        name = f"clicks of {team} over {other} (share of impressions)"
        return Estimated(name, 0.5, 0.5 + delta, pair.error, pair.freedom, pair.clusters, margin)

    @property
    def teams(self) -> list[str]:
        """The teams, sorted."""
        return list(dict.fromkeys([pair.team for pair in self.pairs] + [pair.other for pair in self.pairs]))

    def _tables(self, words: PageStrings) -> list[Table]:
        value = "delta low high p" + " p_of_all" * (len(self.pairs) > 1)
        count = "impressions won lost tied without_clicks clusters"
        heads = {"text": "team other", "count": count, "value": value}
        *rest, last = self.teams
        teams = words("clicks.and").join([", ".join(rest), last])
        caption = words("clicks.interleaving", teams=teams, log=self.log)
        tables = [self._table(words, self.pairs, heads, caption, labels=2)]
        if self.weeks:
            heads = {"text": "week", "count": "impressions", "value": "delta low high"}
            tables.append(self._table(words, self.weeks, heads, words("clicks.by_week")))
        return tables

    def _said(self, words: PageStrings) -> list[str]:
        notes = [*(_sentence(pair, words) for pair in self.pairs), words(f"clicks.credit.{self.credit}")]
        how = "unclustered" if self.cluster is None else "clustered"
        notes.append(words(f"clicks.{how}", cluster=self.cluster, level=self._percent))
        fewest = min(pair.clusters for pair in self.pairs)
        if fewest < FEW:
            notes.append(words("clicks.one_cluster" if fewest < 2 else "clicks.few_clusters", least=FEW))
        return notes + [words("clicks.all_pairs")] * (len(self.pairs) > 1)

    def _answer(self, words: PageStrings) -> tuple[str, str, dict[str, int]]:
        pair = self.pairs[0]
        case = "won" if pair.winner else "unknown" if math.isnan(pair.low) else "even"
        return case, _sentence(pair, words), {"impressions": pair.impressions, "clusters": pair.clusters}

    def _check(self) -> None:
        ensure(self.pairs, "pairs", "there is none")
        for pair in self.pairs:
            ensure(sum(pair[3:6]) == pair.impressions, "pairs", "wins and ties are not the impressions")
            delta = (pair.won + pair.tied / 2) / pair.impressions - 0.5
            ensure(abs(pair.delta - delta) < 1e-9, "pairs.delta", "it is not that of the wins")


def _sentence(pair: TeamPair, words: PageStrings) -> str:
    """Who won, in a sentence for people."""
    case = "unknown" if math.isnan(pair.low) else "won" if pair.winner else "even"
    if pair.winner == pair.other:  # who won comes first
        pair = pair._replace(
            team=pair.other, other=pair.team, delta=-pair.delta, low=-pair.high, high=-pair.low
        )
    share, low, high = (f"{100 * (0.5 + value):.1f}" for value in (pair.delta, pair.low, pair.high))
    return words(f"clicks.result.{case}", team=pair.team, other=pair.other, share=share, low=low, high=high)


@checked
def interleaved(
    log: Any,
    *,
    cluster: str | None = "user",
    credit: Literal["clicks", "items"] = "clicks",
    level: float = 0.95,
    seed: int = 0,
) -> Interleaving:
    """Compare rankers whose items were interleaved in one list, by the clicks on the items of each.

    An impression is won by the team with more clicks, else tied. Items of both teams give no credit. Impressions without clicks are tied.

    Formula
        Δ = (wins + ties / 2) / impressions − ½; its standard error is that of clusters (``docs/clicks.md``), Student's t; p by flipping the
        signs of whole clusters, exact

    Parameters
    ----------
    log
        What ``rankwell.clicks.read_log`` reads, with impression, team and click, and the column of the clusters.
    cluster
        The column of what comes back: a user's impressions are not independent. None counts each impression alone.
    credit
        ``clicks`` counts every click, ``items`` the items that were clicked.
    level
        The share of intervals that should contain the true preference.
    seed
        The seed of the random signs for more than two teams.

    Returns
    -------
    Interleaving
        Print it; with two teams ``found.delta``, ``found.low``, ``found.high``, ``found.p``. Of more teams, every pair, over impressions
        that hold both, with p-values by step-down maxT over clusters.

    Raises
    ------
    RankwellError
        If a column is missing, there are less than two teams, or a row is wrong.

    Notes
    -----
    With 20 to 200 users, from equally active to very unequal, intervals at level .95 contain the true preference in 94 to 97 % of logs, and
    3 to 5 % of logs of equal rankers have a winner. Counted by impressions, with 30 for each user, it is up to 30 %.

    Source: Chapelle, Joachims, Radlinski and Yue, Large-scale validation and analysis of interleaved search evaluation, TOIS 30(1), 2012.

    Examples
    --------
    >>> import rankwell as rw
    >>> log = {"impression": [1, 1, 2, 2, 3, 3], "user": ["u", "u", "u", "u", "v", "v"], "team": ["new", "old"] * 3,
    ...        "click": [1, 0, 0, 0, 1, 0]}
    >>> found = rw.clicks.interleaved(log)
    >>> found.won, found.lost, found.tied, round(found.delta, 4), found.clusters
    (2, 0, 1, 0.3333, 2)
    """
    refuse_level(level)
    own = read_log(log)
    own.require("impression", "team", "click")
    column = own.cluster(cluster)
    own = own.checked("impression", "click")
    teams, shared, no_team = _teams(own)
    wins, clusters, alone, twice = _wins(own, teams, credit, column)
    every = [*combinations(teams, 2)]
    duels = [two for two in every if _held(wins, *two).any()]
    if not duels:
        raise DataError(f"{own.name}: no impression holds items of two teams, so nothing compares them.")
    found = {"shared": shared + twice, "no_team": no_team, "alone_impressions": alone}
    counts = own.counted(cluster, **found, apart=len(every) - len(duels))
    pairs, xs = zip(*(_pair(wins, clusters, *two, level) for two in duels), strict=True)
    if len(pairs) > 1:
        numbers = further(first(seed), np.arange(xs[0].size, dtype=np.uint64))
        cell = Cell.of_differences(np.array(xs), numbers)
        adjusted = max_t([cell], times=FLIPS, seed=seed, threads=2).adjusted.tolist()
        pairs = tuple(pair._replace(adjusted=p) for pair, p in zip(pairs, adjusted, strict=True))
    weeks: tuple[DatedDelta, ...] = ()
    if len(teams) == 2 and "time" in own.words:
        weeks, undated = _weeks(wins, clusters, teams, level)
        counts |= in_sentences({"undated": undated})
    return Interleaving(own.name, cluster, credit, level, pairs, weeks, counts)


def _team_of(log: Log) -> pl.Expr:
    return pl.col(log.words["team"]).cast(pl.String).str.strip_chars()


def _teams(log: Log) -> tuple[list[str], int, int]:
    """The teams, sorted, how many rows name several, and how many clicks are on items of none."""
    rows = log.tally(_team_of(log).alias("team")).rows()
    none = {cell for cell, *_ in rows if cell is None or cell.lower() in NO_TEAM}
    both = {cell for cell, *_ in rows if cell is not None and cell.lower() == "both"}
    cells = {cell for cell, *_ in rows} - none - both
    joined = {a + b for a in cells for b in cells if a != b}
    parts = {cell: [part for part in BOTH.split(cell) if part] for cell in cells}
    both |= {cell for cell, own in parts.items() if cell in joined or (len(own) > 1 and {*own} <= cells)}
    teams = sorted(cells - both)
    if len(teams) < 2:
        raise DataError(
            f"{log.name}: an interleaving has two teams or more, but the column of the team holds {one_of(map(brief, teams)) if teams else 'none'}."
        )
    shared = sum(n for cell, _, n in rows if cell in both)
    return teams, shared, sum(clicks for cell, clicks, _ in rows if cell in none)


def _wins(
    log: Log, teams: Sequence[str], credit: str, column: str | None
) -> tuple[pl.DataFrame, np.ndarray, int, int]:
    """A row per impression: the credit of each team and whether it holds any of its items; the clicks and the time. The clusters, how many
    impressions have none, and how many items stand there once for each team, as they are of both.
    """
    team, click = _team_of(log), log.number("click")
    gained = click if credit == "clicks" else (click > 0).cast(pl.Float64)
    frame, both = log.frame, 0
    if "item" in log.words:
        keys = [log.words["impression"], log.words["item"]]
        frame = frame.with_columns(team.alias("team "))
        shown = frame.filter(pl.col(keys[1]).is_not_null()).group_by(keys)
        twice = collected(shown.agg(pl.col("team ").n_unique().alias("teams ")).filter(pl.col("teams ") > 1))
        team = pl.col("team ")
        if both := len(twice):
            frame = frame.join(twice.lazy(), on=keys, how="left", maintain_order="left")
            team = pl.when(pl.col("teams ").is_null()).then(team)
    sums = [gained.filter(team == each).sum().alias(f"credit {each}") for each in teams]
    held = [(team == each).any().alias(f"held {each}") for each in teams]
    more = [pl.col(log.words["time"]).min().alias("time ")] if "time" in log.words else []
    clicks = click.sum().alias("clicks ")
    return *replace(log, frame=frame).of_impressions(column, *sums, *held, clicks, *more), both


def _held(wins: pl.DataFrame, team: str, other: str) -> np.ndarray:
    """Which impressions hold items of both teams; of two teams all count, as nobody else could have won."""
    if sum(name.startswith("held ") for name in wins.columns) == 2:
        return np.ones(len(wins), bool)
    return (wins[f"held {team}"] & wins[f"held {other}"]).to_numpy()


def _pair(
    wins: pl.DataFrame, clusters: np.ndarray, team: str, other: str, level: float
) -> tuple[TeamPair, np.ndarray]:
    """Two teams over the impressions that hold both, and the sum of each cluster."""
    one, two = (wins[f"credit {each}"].to_numpy() for each in (team, other))
    held = _held(wins, team, other)
    x = np.sign(one - two)[held] / 2
    sums = np.bincount(clusters[held], x, clusters.max() + 1)
    sizes = np.bincount(clusters[held], minlength=clusters.max() + 1)
    found = cluster_mean(sums[sizes > 0], sizes[sizes > 0], level=level)
    low, high = max(found.low, -0.5), min(found.high, 0.5)  # NaN stays
    p = flips_of_halves(sums) if found.clusters > 1 else math.nan
    won, lost = int((x > 0).sum()), int((x < 0).sum())
    quiet = int((wins["clicks "].to_numpy()[held] == 0).sum())
    pair = TeamPair(
        team, other, found.n, won, lost, found.n - won - lost, quiet, found.clusters, found.value, found.error, found.freedom, low, high, p, p
    )  # fmt: skip
    return pair, np.where(sizes > 0, sums, np.nan)  # NaN is not tested


def _weeks(
    wins: pl.DataFrame, clusters: np.ndarray, teams: Sequence[str], level: float
) -> tuple[tuple[DatedDelta, ...], int]:
    """The preference per week, if all times are dates, and how many are none."""
    time = wins["time "]
    if time.dtype == pl.String:
        # the year first: of 11/02/2026 nobody knows which is the month
        is_date = time.str.contains(r"^\d{4}-\d{2}-\d{2}")
        time = time.set(~is_date, None).str.to_datetime(strict=False, time_zone="UTC")
    if undated := time.null_count() if time.dtype.is_temporal() else len(time):
        return (), undated
    monday = time.dt.truncate("1w").dt.date().cast(pl.String).to_numpy()
    found = []
    for week in sorted({*monday}):
        rows = monday == week
        pair, _ = _pair(wins.filter(rows), clusters[rows], teams[0], teams[1], level)
        found.append(DatedDelta(str(week), pair.impressions, pair.delta, pair.low, pair.high))
    return tuple(found) if len(found) > 1 else (), 0
