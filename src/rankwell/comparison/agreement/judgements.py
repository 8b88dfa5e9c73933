"""Judgements of several assessors of the same pairs of query and item, and how far they agree; and which systems are made of the same family of
models as a judge, which may favour its own kind.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from rankwell.errors import DataError, UsageError
from rankwell.kernels import match
from rankwell.matching import Asked, pool_of
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool, levels_of
from rankwell.records import record
from rankwell.statistics.agreement import Coincidences, Level, cohen, coincidences, krippendorff, share_agreed
from rankwell.statistics.bootstrap import Replicated, drawn_weights, percentiles
from rankwell.tables.ids import NO_TEXT, Ids, Known, fingerprints_of, to_one_kind
from rankwell.tables.lists import NO_ROWS, distinct, owners
from rankwell.tables.machine import on_all_cores
from rankwell.tables.rows import cuts
from rankwell.tables.run_qrels import Assessor, Qrels

# the table of grades is made per query: with more, each had mostly empty cells, and the values are ratings rather than a
# scale
MOST_GRADES = 50
NO_VALUES = np.empty(0)
PART_ROWS = 1 << 17
# by family, how its models are called
FAMILIES = {
    "GPT": ("gpt", "chatgpt", "davinci", "openai", "o1", "o3", "o4"),
    "Claude": ("claude", "anthropic", "sonnet", "haiku"),
    "Gemini": ("gemini", "gemma", "palm2", "bard"),
    "Llama": ("llama", "vicuna", "alpaca"),
    "Mistral": ("mistral", "mixtral", "ministral", "magistral", "zephyr"),
    "Qwen": ("qwen", "qwq", "tongyi"),
    "DeepSeek": ("deepseek",),
    "T5": ("t5", "flan", "monot5", "rankt5"),
    "Phi": ("phi",),
    "Command": ("command-r", "command_r", "cohere"),
    "Grok": ("grok",),
    "GLM": ("glm", "chatglm"),
    "OLMo": ("olmo",),
}
SHORT = 3
ANYWHERE = "gpt", "qwq"  # short, but part of no other word


@record(eq=False)
class Assessors:
    """The judgements of assessors by name, their queries and items as ids of one kind, and all their ``grades``, ascending.

    ``judged`` and ``negative`` are how many rows of each have a grade, and one below 0 that is no judgement.
    """

    names: tuple[str, ...]
    pools: list[Pool]
    queries: list[Ids]
    items: list[Ids]
    grades: np.ndarray
    relevant: np.ndarray
    judged: tuple[int, ...]
    negative: tuple[int, ...]

    @classmethod
    def of(cls, judged: Mapping[str, Qrels], policy: Policy) -> Assessors:
        """Return several judgements by name.

        Raises
        ------
        RankwellError
            If grades look like ratings and no ``rel`` is given, or are too many to be a scale.
        """
        asked = Asked(policy, rels={"binary agreement": policy.rel})
        pools = [pool_of(qrels, asked)[0] for qrels in judged.values()]
        scale = pools[0].scale
        levels = [levels_of(pool.grades) for pool in pools]
        grades = np.unique(np.concatenate([own[scale.judged(own)] for own, _ in levels]))
        if len(grades) > MOST_GRADES:
            raise UsageError(
                f"the judgements have {len(grades):,} different grades; agreement is of a scale of at most {MOST_GRADES}. "
                f"Round them first."
            )
        queries = to_one_kind([pool.queries.ids for pool in pools], "query")
        items = to_one_kind([pool.items for pool in pools], "item")
        counts = tuple(int(of_level[scale.judged(own)].sum()) for own, of_level in levels)
        negative = tuple(len(pool.grades) - count for pool, count in zip(pools, counts, strict=True))
        return cls(tuple(judged), pools, queries, items, grades, scale.relevant(grades), counts, negative)

    def codes(self, assessor: int, rows: np.ndarray) -> np.ndarray:
        """Return the number of the grade in ``grades`` of some rows of an assessor; -1 for what is no judgement."""
        grades = self.pools[assessor].grades[rows]
        codes: np.ndarray = np.where(
            self.pools[assessor].scale.judged(grades), np.searchsorted(self.grades, grades), -1
        )
        return codes

    def coincidences(self, first: int, second: int) -> Coincidences:
        """Return how many pairs that two assessors judged have which two grades, by the second one's queries that have any.

        Raises
        ------
        DataError
            If there are none.
        """
        one, other = self.pools[first].offsets, self.pools[second].offsets
        query = Known(self.queries[first]).find(self.queries[second])

        def count(part: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
            low, high = part
            # the lists of the second are held against the judgements of the first, as those of a run are
            own, rows, matched, _ = match.hits(
                other[low : high + 1], NO_VALUES, *self.items[second].columns, query[low:high],
                one, *self.items[first].columns, NO_TEXT,
            )  # fmt: skip
            codes, others = self.codes(first, matched), self.codes(second, rows)
            both = (codes >= 0) & (others >= 0)
            cells = (own + low) * len(self.grades) ** 2 + codes * len(self.grades) + others
            return np.unique(cells[both], return_counts=True)

        parts = on_all_cores(count, cuts(other, PART_ROWS))
        cells, times = map(np.concatenate, zip((NO_ROWS, NO_ROWS), *parts, strict=True))
        if not len(cells):
            raise DataError(
                f"{self.names[first]} and {self.names[second]} judge no pair of query and item in common."
            )
        return Coincidences(*np.divmod(cells, len(self.grades) ** 2), times.astype(np.float64))


@record(eq=False)
class JudgedPairs:
    """All pairs of query and item that any assessor judged, in the order of queries.

    ``codes`` has a row per assessor and a column per pair: the number of the grade in ``grades``, which ascend; -1 where the
    assessor did not judge it. ``query`` and ``item`` are the rows of each pair in ``queries`` and ``items``.
    """

    grades: np.ndarray
    codes: np.ndarray
    query: np.ndarray
    item: np.ndarray
    queries: Ids
    items: Ids

    @classmethod
    def of(cls, assessors: Assessors) -> JudgedPairs:
        """Return the pairs of several assessors."""
        pools = assessors.pools
        queries = _join_ids([pool.queries.ids for pool in pools], "query")
        items = _join_ids([pool.items for pool in pools], "item")
        rows = [np.flatnonzero(pool.scale.judged(pool.grades)) for pool in pools]
        # a key is the query times the number of items, and the item: sorted, they are the columns of the table
        own = [_keys(pool, queries, items)[judged] for pool, judged in zip(pools, rows, strict=True)]
        keys = distinct(np.concatenate(own))
        codes = np.full((len(pools), len(keys)), -1, np.int64)
        for at, judged in enumerate(rows):
            codes[at, np.searchsorted(keys, own[at])] = assessors.codes(at, judged)
        # at least 1, as judgements may hold no items at all
        query, item = np.divmod(keys, max(len(items), 1))
        return cls(assessors.grades, codes, query, item, queries.ids, items.ids)


def _join_ids(columns: list[Ids], what: str) -> Known:
    """The distinct ids of several columns, as integers if one of them holds integers."""
    both = Ids.concatenate(to_one_kind([ids.distinct() for ids in columns], what))
    return Known(both[both.group()[1]])


def _keys(pool: Pool, queries: Known, items: Known) -> np.ndarray:
    """A number for the query and item of each judgement."""
    query = queries.rows_of(pool.queries.ids, "query")[owners(pool.offsets)]
    return query * len(items) + items.rows_of(pool.items, "item")


class Measures(NamedTuple):
    """How far two assessors agree, second against first.

    ``exact`` is the share of pairs with the same grade, ``binary`` of those called relevant by both or neither. ``kappa`` is
    Cohen's, of grades, ``kappa_binary`` of relevance, ``kappa_quadratic`` weighted by the squared difference of grades. The
    alphas are Krippendorff's. ``over`` is the mean of second less first, ``higher`` and ``lower`` the shares of pairs that the
    second grades higher or lower, ``prevalence_first`` and ``prevalence_second`` the shares called relevant.
    """

    exact: Replicated
    binary: Replicated
    kappa: Replicated
    kappa_binary: Replicated
    kappa_quadratic: Replicated
    alpha_nominal: Replicated
    alpha_ordinal: Replicated
    alpha_interval: Replicated
    over: Replicated
    higher: Replicated
    lower: Replicated
    prevalence_first: Replicated
    prevalence_second: Replicated


class Joint(NamedTuple):
    """Krippendorff's α of all assessors together, over the pairs that at least two of them judged."""

    names: tuple[str, ...]
    n: int
    queries: int
    alpha_nominal: Replicated
    alpha_ordinal: Replicated
    alpha_interval: Replicated


@record(eq=False)
class AssessorPair:
    """Two assessors on the ``n`` pairs of ``queries`` queries that both judged.

    ``confusion`` has a row per grade of the first and a column per grade of the second; ``only_first`` and ``only_second`` are
    the pairs that one of them judged alone, ``negative`` their grades below 0, which are no judgements.
    """

    first: str
    second: str
    n: int
    queries: int
    only_first: int
    only_second: int
    negative: tuple[int, int]
    grades: tuple[float, ...]
    relevant: tuple[bool, ...]
    confusion: tuple[tuple[int, ...], ...]
    measures: Measures


def compare_two(
    assessors: Assessors, first: int, second: int, *, level: float, times: int, seed: int
) -> AssessorPair:
    """Return how far two assessors agree.

    Raises
    ------
    DataError
        If they judge no pair in common.
    """
    cells = assessors.coincidences(first, second)
    added = _tables_of_queries(cells, len(assessors.grades))
    # sums of whole numbers are exact in any order, and a table without gaps is multiplied several times as fast
    added = added.toarray() if added.nnz * 8 > np.prod(added.shape) else added
    units = fingerprints_of(assessors.queries[second][distinct(cells.unit)])

    def measured(tables: np.ndarray) -> np.ndarray:
        return _measures(tables, assessors.grades, assessors.relevant)

    table, values = _estimate(added, units, measured, level, times, seed)
    n = int(table.sum())
    return AssessorPair(
        first=assessors.names[first],
        second=assessors.names[second],
        n=n,
        queries=len(units),
        only_first=assessors.judged[first] - n,
        only_second=assessors.judged[second] - n,
        negative=(assessors.negative[first], assessors.negative[second]),
        grades=tuple(assessors.grades.tolist()),
        relevant=tuple(assessors.relevant.tolist()),
        confusion=tuple(tuple(int(cell) for cell in row) for row in table),
        measures=Measures(*values),
    )


def compare_all(assessors: Assessors, *, level: float, times: int, seed: int) -> Joint:
    """Return how far all assessors agree."""
    pairs = JudgedPairs.of(assessors)
    by_pair = coincidences(pairs.codes, len(pairs.grades))
    shared = np.flatnonzero((pairs.codes >= 0).sum(axis=0) >= 2)
    cells = by_pair._replace(unit=pairs.query[by_pair.unit])
    units = fingerprints_of(pairs.queries[distinct(cells.unit)])

    def measured(tables: np.ndarray) -> np.ndarray:
        return np.stack(_alphas(tables, pairs.grades), axis=-1)

    _, values = _estimate(_tables_of_queries(cells, len(pairs.grades)), units, measured, level, times, seed)
    return Joint(assessors.names, len(shared), len(distinct(pairs.query[shared])), *values)


def _tables_of_queries(cells: Coincidences, grades: int) -> Any:
    """A table per query that has a pair, as a row of a sparse matrix, so that those of resampled queries are one product with weights."""
    from scipy.sparse import csr_array

    queries, own = np.unique(cells.unit, return_inverse=True)
    return csr_array((cells.amount, (own, cells.cell)), shape=(len(queries), grades**2))


def _estimate(
    added: Any,
    units: np.ndarray,
    measure: Callable[[np.ndarray], np.ndarray],
    level: float,
    times: int,
    seed: int,
) -> tuple[np.ndarray, list[Replicated]]:
    """The table of all queries, and what is measured of it; intervals from tables of resampled queries."""
    count = math.isqrt(added.shape[1])
    table = np.asarray(added.sum(axis=0)).reshape(count, count)
    parts = [
        measure(np.asfortranarray(weights @ added).reshape(-1, count, count))
        for weights in drawn_weights(units, times, seed)
    ]
    # a row per measure, so that each row is the replicates of one value
    drawn = np.concatenate(parts).T
    values = measure(table).tolist()
    bounds = (percentiles(column, level) for column in drawn)
    return table, [Replicated(value, *bound) for value, bound in zip(values, bounds, strict=True)]


def _alphas(tables: np.ndarray, grades: np.ndarray) -> list[np.ndarray]:
    levels: tuple[Level, ...] = "nominal", "ordinal", "interval"
    return [krippendorff(tables, grades, level) for level in levels]


def _measures(tables: np.ndarray, grades: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """All measures (last axis) of tables with a row per grade of the first and a column per grade of the second."""
    total = tables.sum(axis=(-1, -2))
    sides = np.stack([relevant, ~relevant]).astype(np.float64)
    # grades fall together into relevant and not, in rows and in columns
    binary = sides @ tables @ sides.T
    # the second less the first: rows are grades of the first, columns of the second
    change = grades[None, :] - grades[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        shifts = [(tables * weight).sum(axis=(-1, -2)) / total for weight in (change, change > 0, change < 0)]
        shares = [binary[..., 0, :].sum(axis=-1) / total, binary[..., :, 0].sum(axis=-1) / total]
    coefficients = [
        share_agreed(tables),
        share_agreed(binary),
        cohen(tables),
        cohen(binary),
        cohen(tables, grades),
    ]
    # Krippendorff's coincidences have no first and second: each pair counts in both orders
    coefficients += _alphas(tables + np.swapaxes(tables, -1, -2), grades)
    return np.stack([*coefficients, *shifts, *shares], axis=-1)


class Circular(NamedTuple):
    """A system whose name or tag says that it uses a model of the ``family`` that judged, called ``judgements``."""

    system: str
    judgements: str
    family: str

    def __str__(self) -> str:
        return (
            f"circular: {self.system} names {self.family}, the family of the model that made {self.judgements}; a model may favour "
            f"what its own kind ranks high"
        )


def families_of(text: str) -> set[str]:
    """Return the families of models that a name mentions.

    Examples
    --------
    >>> sorted(families_of("RankGPT_gpt-4o-mini")), sorted(families_of("bm25+monoT5.run")), families_of("option1-philosophy")
    (['GPT'], ['T5'], set())
    """
    lower = text.lower()
    return {family for family, words in FAMILIES.items() if any(_has(lower, word) for word in words)}


def _has(text: str, word: str) -> bool:
    if len(word) > SHORT or word in ANYWHERE:
        return word in text
    # "o1" must not be found in "o12", but in "o1-mini"; "phi" neither in "philosophy" nor in "morphic", but in "phi3"
    after = "a-z0-9" if word[-1].isdigit() else "a-z"
    return re.search(rf"(?<![a-z]){word}(?![{after}])", text) is not None


def find_circular(systems: dict[str, str], assessors: dict[str, Assessor | None]) -> tuple[Circular, ...]:
    """Return the systems, given with their tags, that name the family of a judging model."""
    cases = []
    for judgements, assessor in assessors.items():
        judging = families_of(assessor.name) if assessor and assessor.kind == "model" else set()
        for system, tag in systems.items():
            both = sorted(judging & (families_of(system) | families_of(tag)))
            cases += [Circular(system, judgements, family) for family in both]
    return tuple(cases)
