"""Record: what is written down while systems are measured, and becomes Costs at the end."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from typing import Any

import numpy as np

from rankwell.efficiency.answers import Answer
from rankwell.efficiency.board import BEGAN, DUE, ENDED, NOT_CALLED, OK, OUTCOME, OUTCOMES
from rankwell.efficiency.costs import Costs
from rankwell.efficiency.frames import CALLS, FAILURES, INDEXING, SESSIONS, frame_of
from rankwell.efficiency.load import SECOND, Batch, Load, Open
from rankwell.efficiency.session import Found
from rankwell.efficiency.team import Start
from rankwell.tables.run_qrels import Run


class Record:
    """Rows by frame, answers by system and query, and notes."""

    def __init__(self, ids: list[str], settings: dict[str, Any], environment: dict[str, Any]) -> None:
        self.ids, self.settings, self.environment = ids, settings, environment
        self.overhead: dict[str, float] = {}
        self.rows: dict[str, list[Any]] = defaultdict(list)
        self.calls: list[dict[str, Any]] = []
        self.answers: dict[str, dict[str, Answer]] = defaultdict(dict)
        self.changed: dict[str, set[str]] = defaultdict(set)
        self.notes: dict[str, None] = {}  # in order, each once

    def note(self, text: str) -> None:
        """Add a note, unless it is there."""
        self.notes[text] = None

    def add_start(self, system: str, number: int, start: Start, items: int | None) -> None:
        """Add what it took to index."""
        self.rows["indexing"].append({"system": system, "start": number, "items": items, **asdict(start)})

    def add_session(
        self, system: str, load: Load, kind: str, repetition: int, asked: list[Any], found: Found, pace: float
    ) -> None:
        """Add the calls of a session, its failures and its answers."""
        rows = found.rows
        names = [self._name(each) for each in asked]
        sizes = np.array([len(each) if isinstance(each, list) else 1 for each in asked])
        key = {"system": system, "load": str(load), "session": kind, "repetition": repetition}
        began = np.where(rows[:, BEGAN] > 0, (rows[:, BEGAN] - found.start) / SECOND, np.nan)
        ended = np.where(rows[:, ENDED] > 0, (rows[:, ENDED] - found.start) / SECOND, np.nan)
        due = np.full(len(rows), np.nan)
        if load.is_open:
            due = np.where(rows[:, BEGAN] > 0, (rows[:, DUE] - found.start) / SECOND, rows[:, DUE] / SECOND)
        outcomes = [OUTCOMES[each] for each in rows[:, OUTCOME]]
        self.calls.append(
            key
            | {
                "query": names,
                "queries": sizes,
                "intended": due,
                "began": began,
                "ended": ended,
                "outcome": outcomes,
            }
        )
        is_ok = rows[:, OUTCOME] == OK
        busy = float(np.nansum(ended - began))
        done = int(sizes[is_ok].sum())
        self.rows["sessions"].append(
            key | {
                "wall": found.wall, "cpu": found.cpu, "peak_memory": found.peak_memory, "calls": len(rows),
                "completed": done, "offered": load.rate if isinstance(load, Open) else None,
                "achieved": done / found.wall if found.wall else None,
                "used": busy / (found.wall * load.concurrency) if found.wall else None,
                "saturated": _is_saturated(load, began, ended),
                "restarts": found.restarts, "switches": found.switches, "others": found.others, "harness": found.harness,
                "pace": pace,
            }
        )  # fmt: skip
        for call, (outcome, message) in sorted(found.failures.items()):
            self.rows["failures"].append(key | {"query": names[call], "outcome": outcome, "message": message})
        uncalled = int(np.count_nonzero(rows[:, OUTCOME] == NOT_CALLED))
        if uncalled:
            self.note(f"{system}: {uncalled:,} calls were not made ({load}, {kind}).")
        unseen = int(np.count_nonzero(is_ok)) - len(found.answers)
        if unseen:
            self.note(
                f"{system}: {unseen:,} answers were not looked at, as a process ended with them or they were too many ({load}, {kind})."
            )
        for call, answers in found.answers.items():
            places = asked[call] if isinstance(load, Batch) else [asked[call]]
            for place, answer in zip(places, answers, strict=True):
                self._add_answer(system, self.ids[place], answer)

    def _name(self, asked: Any) -> str:
        return f"{len(asked):,} queries" if isinstance(asked, list) else self.ids[asked]

    def _add_answer(self, system: str, query: str, answer: Answer) -> None:
        """Keep the first answer to a query, and note where a later one has other items."""
        kept = self.answers[system].setdefault(query, answer)
        if kept is not answer and [item for item, _ in kept] != [item for item, _ in answer]:
            self.changed[system].add(query)

    def costs(self) -> Costs:
        """Return everything as Costs."""
        import polars as pl

        calls = [
            pl.DataFrame(
                {
                    name: pl.Series(values)
                    if isinstance(values, (list, np.ndarray))
                    else pl.Series([values]).new_from_index(0, len(each["query"]))
                    for name, values in each.items()
                }
            )
            for each in self.calls
        ]
        for system, queries in self.changed.items():
            self.note(
                f"{system}: {len(queries):,} of {len(self.ids):,} queries got other items when they were asked again."
            )
        return Costs(
            calls=frame_of(pl.concat(calls) if calls else [], CALLS),
            sessions=frame_of(self.rows["sessions"], SESSIONS),
            indexing=frame_of(self.rows["indexing"], INDEXING),
            failures=frame_of(self.rows["failures"], FAILURES),
            runs={system: run_of(system, answers) for system, answers in self.answers.items()},
            settings=self.settings,
            environment=self.environment,
            overhead=self.overhead,
            notes=tuple(self.notes),
        )


def run_of(system: str, answers: dict[str, Answer]) -> Run:
    """The answers of a system as a run, in the order in which it gave them; items are text unless all are whole numbers."""
    rows = [
        (query, item, score, rank)
        for query, answer in answers.items()
        for rank, (item, score) in enumerate(answer, 1)
    ]
    items: list[Any] = [item for _, item, *_ in rows]
    if not all(isinstance(each, int) for each in items):
        items = [str(each) for each in items]
    return Run(
        [query for query, *_ in rows],
        items,
        [score for *_, score, _ in rows],
        [rank for *_, rank in rows],
        name=system,
    )


def _is_saturated(load: Load, began: np.ndarray, ended: np.ndarray) -> bool | None:
    """Whether queries came at least as fast as the system can answer them, so that a queue grows without end.

    It can answer as many per second as it has workers, divided by the mean time that it works on one.
    """
    if not isinstance(load, Open):
        return None
    service = float(np.nanmean(ended - began)) if np.isfinite(ended - began).any() else 0.0
    return load.rate * service >= load.concurrency
