"""``growth``: what systems cost with more and more random parts of the documents, all sizes in turns."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.efficiency.costs import Costs
from rankwell.efficiency.estimates import latency, of_machine
from rankwell.efficiency.exponents import Growth
from rankwell.efficiency.frames import COLD, FAILED, MEASURED, WARM, frame_of
from rankwell.efficiency.load import Closed, Load, check_count
from rankwell.efficiency.machine import environment, refuse_elsewhere
from rankwell.efficiency.measurement import MeasurementPlan, Record, in_turn, warm_up
from rankwell.efficiency.process import SystemLimits, Team
from rankwell.efficiency.session import overhead
from rankwell.efficiency.system import Command, searches
from rankwell.errors import UsageError, brief
from rankwell.statistics.growth import DECADES, REPETITIONS, SHORT, SIZES
from rankwell.tables.arguments import plain
from rankwell.tables.collections import Documents

if TYPE_CHECKING:
    import polars as pl
SMALLEST = 2  # documents, as log 1 is 0
SHORTEST = 10  # documents from which sizes start where a reason allows fewer decades


def growth(
    systems: Any,
    queries: Any,
    items: Any,
    sizes: Iterable[int] | None = None,
    *,
    repetitions: int = REPETITIONS,
    reason: str | None = None,
    k: int = 10,
    load: Load = Closed(),  # noqa: B008 - it never changes
    warmup: int = 1,
    threads: bool = False,
    timeout: float | None = 60.0,
    index_timeout: float | None = None,
    memory: int | None = None,
    seed: int = 0,
    progress: Callable[[str], object] | None = None,
) -> Growth:
    """Measure how indexing time, memory, index size and search latency grow with the number of documents.

    Sizes are random parts of the documents, each of which holds the smaller ones. In each of the repetitions every size has its turn, in random
    order, and at each size the systems (A B, B A, …): a new process indexes, answers all queries once cold, warms up,
    and answers them once more, which is measured.

    Parameters
    ----------
    systems, queries, k, threads, timeout, index_timeout, memory, progress
        As for ``measure``; each system has ``index(items)``.
    items
        ``Documents``, a list, a mapping, an array or a data frame.
    sizes
        At least 8 numbers of documents from 2 on, over at least 3 decades; default: 8 of them, evenly spaced in logarithms, up to all documents.
    repetitions
        At least 5.
    reason
        Why the sizes span fewer than 3 decades, such as ``"memory"``; then 2 do, and the result says so.
    load
        The one under which latency is measured.
    warmup
        Passes over all queries before those that are measured, the cold one included.
    seed
        Of the parts, of the order of sizes and queries, and of random arrivals.

    Returns
    -------
    Growth
        What failed is counted, and the rest goes on; where a system failed to index or to come up, that size is not tried again. After an
        interruption (Ctrl-C) it holds what was measured until then.

    Raises
    ------
    UsageError
        For arguments that do not fit, too few documents, sizes or repetitions, or libraries that are missing.

    Examples
    --------
    A list has 1,000 texts, and a reason is given why 2 decades are enough::

        found = rw.efficiency.growth({"bm25": BM25()}, queries, texts, reason="no more texts")
        found.fit("bm25", "indexing").exponent
    """
    refuse_elsewhere()
    check_count("warmup", warmup, 0)
    check_count("seed", seed, 0)
    check_count("repetitions", repetitions, 1)
    if repetitions < REPETITIONS:
        raise UsageError(f"growth needs at least {REPETITIONS} repetitions, not {repetitions}.")
    plain("threads", threads, bool)
    limits = SystemLimits(timeout, index_timeout, memory)
    count, part = subsets(items, seed)
    chosen = sizes_of(count, sizes, reason)
    settings = {
        "k": k, "load": str(load), "sizes": chosen, "repetitions": repetitions, "reason": reason, "warmup": warmup, "threads": threads,
        "timeout": timeout, "index_timeout": index_timeout, "memory": memory, "seed": seed,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="rankwell-") as name:
        folder = Path(name)
        steps: list[_Size] = []
        try:
            steps.extend(
                _Size.of(
                    systems,
                    queries,
                    part(size),
                    size,
                    folder,
                    limits,
                    k=k,
                    load=load,
                    threads=threads,
                    seed=seed,
                )
                for size in chosen
            )
            return _measure(
                steps,
                settings,
                folder,
                (lambda _: None) if progress is None else progress,
                (repetitions, warmup, seed),
            )
        finally:
            for each in (team for step in steps for team in step.teams):
                each.end()
                each.queue.close()


@dataclass
class _Size:
    """A number of documents, with the systems that are measured with them, and what was found."""

    size: int
    plan: MeasurementPlan
    teams: list[Team]
    record: Record

    @classmethod
    def of(
        cls, systems: Any, queries: Any, documents: Any, size: int, folder: Path, limits: SystemLimits, *, k: int, load: Load,
        threads: bool, seed: int,
    ) -> _Size:  # fmt: skip
        plan = MeasurementPlan(systems, queries, documents, k, load, threads=threads, seed=seed)
        if len(plan.loads) > 1:
            raise UsageError("growth is measured under one load.")
        for name, system in plan.systems.items():
            has = "index" in system.commands if isinstance(system, Command) else hasattr(system, "index")
            if not has:
                raise UsageError(f"{name}: it indexes no documents, so nothing can grow with their number.")
        own = folder / f"documents-{size}"
        own.mkdir()
        return cls(size, plan, plan.teams(own, limits), Record(plan.ids, {}, {}))

    def measure(self, team: Team, turn: int, warmup: int) -> None:
        """Index, search cold, warm up, and search."""
        record, plan = self.record, self.plan
        try:
            record.add_start(team.name, turn, team.start(), self.size)
            if not team.failure and searches(team.system):
                plan.session(team, Closed(), COLD, turn, record, keep=False)
            warm_up(plan, team, warmup)
            if not team.failure:
                plan.session(team, plan.loads[0], WARM, turn, record, keep=False)
            if team.failure:
                record.note(f"{team.name}: {team.failure}; it was not measured any further.")
        # each size starts from nothing, so that no cache of a smaller one makes it fast
        finally:
            team.end()


def _measure(
    steps: list[_Size],
    settings: dict[str, Any],
    folder: Path,
    tell: Callable[[str], object],
    numbers: tuple[int, int, int],
) -> Growth:
    repetitions, warmup, seed = numbers
    notes: list[str] = []
    harness: dict[str, float] = {}
    try:
        tell("the harness itself")
        harness = overhead(folder)
        for turn in range(1, repetitions + 1):
            # sizes in random order, so that what drifts on the machine does not look like growth
            for at in np.random.default_rng([seed, turn]).permutation(len(steps)).tolist():
                step = steps[at]
                for team in in_turn(step.teams, turn):
                    if not team.failure:
                        tell(f"{team.name}: {step.size:,} documents, {turn} of {repetitions}")
                        step.measure(team, turn, warmup)
    except KeyboardInterrupt:
        notes.append("The measurement was interrupted; what was measured until then is here.")
    return _growth_of(steps, settings, harness, notes)


def _growth_of(
    steps: list[_Size], settings: dict[str, Any], harness: dict[str, float], notes: list[str]
) -> Growth:
    import polars as pl

    costs_by_size = [(step.size, step.record.costs()) for step in steps]
    rows = pl.concat([frame_of(_rows(size, costs), MEASURED) for size, costs in costs_by_size])
    failures = pl.concat(
        [frame_of(costs.failures.with_columns(documents=size), FAILED) for size, costs in costs_by_size]
    )
    for size, costs in costs_by_size:
        notes += [f"{size:,} documents: {note}" for note in costs.notes]
    notes += of_machine(pl.concat([costs.sessions for _, costs in costs_by_size]))
    plan = steps[0].plan
    settings = {"queries": len(plan.ids), **settings}
    order = {name: at for at, name in enumerate(plan.systems)}
    rows = rows.sort(pl.col("system").replace_strict(order), "documents", "repetition")
    return Growth(rows, failures, settings, environment(), harness, tuple(notes))


def _rows(size: int, costs: Costs) -> pl.DataFrame:
    """A row per system and repetition."""
    import polars as pl

    sessions = costs.sessions.filter(session=WARM).select("system", "repetition", searching="peak_memory")
    is_ok = pl.col("outcome") == "ok"
    calls = costs.calls.with_columns(each=latency()).group_by("system", "repetition").agg(
        latency=pl.col("each").filter(session=WARM).log().mean().exp(),
        calls=pl.len(),
        failed=(~pl.col("outcome").is_in(["ok", "not called"])).sum(),
        lost=(~is_ok).filter(session=WARM).sum(),
    )  # fmt: skip
    rows = costs.indexing.rename({"start": "repetition", "wall": "indexing", "size": "index_size"})
    rows = rows.join(sessions, on=("system", "repetition"), how="left")
    rows = rows.join(calls, on=("system", "repetition"), how="left")
    return rows.with_columns(
        documents=pl.lit(size),
        memory=pl.max_horizontal("peak_memory", "searching"),
        # without the queries that failed it would be the latency of others
        latency=pl.when(pl.col("lost") == 0).then("latency"),
        calls=pl.col("calls").fill_null(0),
        failed=pl.col("failed").fill_null(0),
    )


def sizes_of(documents: int, sizes: Iterable[int] | None, reason: str | None) -> list[int]:
    """Return the numbers of documents to measure with, ascending; by default evenly spaced in logarithms, up to all of them.

    Raises
    ------
    UsageError
        If they are too few or too close together to show how anything grows.

    Examples
    --------
    >>> sizes_of(100_000, None, None)
    [100, 268, 720, 1931, 5179, 13895, 37276, 100000]
    """
    if sizes is None:
        first = documents / 10**DECADES
        if reason is not None:
            first = max(first, min(SHORTEST, documents / 10**SHORT))
        chosen = np.rint(np.geomspace(max(first, SMALLEST), documents, SIZES)).astype(int).tolist()
    else:
        chosen = [*sizes]
        for each in chosen:
            check_count("each of sizes", each, SMALLEST)
        if max(chosen, default=0) > documents:
            raise UsageError(
                f"sizes: {max(chosen):,} is more than the {documents:,} documents that there are."
            )
    chosen = sorted(set(chosen))
    if len(chosen) < SIZES:
        raise UsageError(
            f"growth needs at least {SIZES} sizes, and there are {len(chosen)}; give more of them, or leave sizes out."
        )
    decades, most = math.log10(chosen[-1] / chosen[0]), SHORT if reason is not None else DECADES
    if decades < most - 0.01:
        ways = "" if reason is not None else f", or give reason='memory' (or another) if {SHORT} must do"
        raise UsageError(
            f"growth needs sizes over {most} decades, and from {chosen[0]:,} to {chosen[-1]:,} documents they span {decades:.1f}; "
            f"give more documents{ways}."
        )
    return chosen


def subsets(documents: Any, seed: int) -> tuple[int, Callable[[int], Any]]:
    """Return how many documents there are, and what gives so many of them, drawn at random, in the order that they have.

    Raises
    ------
    UsageError
        If they cannot be counted and chosen.

    Examples
    --------
    >>> count, part = subsets(["a", "b", "c", "d"], 0)
    >>> count, part(2), part(3)
    (4, ['a', 'c'], ['a', 'b', 'c'])
    """
    chosen: Callable[[list[int]], Any]
    if isinstance(documents, Documents):

        def chosen(rows: list[int]) -> Any:
            return Documents(documents.ids[np.array(rows)], documents.frame[rows], name=documents.name)
    elif isinstance(documents, Mapping):
        keys = [*documents]

        def chosen(rows: list[int]) -> Any:
            return {keys[at]: documents[keys[at]] for at in rows}
    elif isinstance(documents, np.ndarray) or hasattr(documents, "iter_rows"):

        def chosen(rows: list[int]) -> Any:
            return documents[rows]
    elif isinstance(documents, Sequence) and not isinstance(documents, (str, bytes)):

        def chosen(rows: list[int]) -> Any:
            return [documents[at] for at in rows]
    else:
        raise UsageError(
            "growth takes parts of the documents: give Documents, a list, a mapping, an array or a data frame, "
            f"not {brief(documents)}; rankwell.read_collection(documents=…) reads a file."
        )
    # one order for all sizes, of which each takes the beginning: larger parts hold the smaller ones
    order = np.random.default_rng(seed).permutation(len(documents))
    return len(documents), lambda size: chosen(np.sort(order[:size]).tolist())
