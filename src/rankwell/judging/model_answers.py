"""``answers``: what a model said to requests, as judgements; what gives no grade is counted."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date as date_of_day
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

import numpy as np

from rankwell.display.output import write
from rankwell.display.saved_files import Kind, ensure
from rankwell.errors import DataError, InputError, UsageError, brief
from rankwell.judging.answer_grammar import grade_in
from rankwell.judging.batch_files import AnswerLine, read_answer_line
from rankwell.judging.model_prompts import KIND, LABELS, NUGGETS, SUPPORT, RunRow
from rankwell.judging.sheets.contents import Grade
from rankwell.tables.arguments import checked
from rankwell.tables.run_qrels import Assessor, Qrels, Run

if TYPE_CHECKING:
    import polars as pl

WHY = {
    "outside": "gave a grade outside the scale",
    "refused": "were refused",
    "cut": "were cut off by their length",
    "several": "gave several grades",
    "none": "gave no grade",
    "failed": "failed before the model answered",
    "tied": "have answers that are tied between grades",
    "missing": "were not answered",
}
DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)  # fromisoformat takes more, such as weeks
WHAT = {NUGGETS: "assignments", SUPPORT: "judgements of support"}  # where other requests give judgements
ASSIGNED, CITED = ("query", "item", "score"), ("query", "part", "item", "support")
COLUMNS = "query", "item", "grade", "judge", "time", "order", "is_repeat", "comment"


class GradeRow(TypedDict):
    """``Grade`` in a key."""

    grade: int
    label: str


class TaskRow(TypedDict):
    """``Task`` in a key."""

    pair: int
    is_repeat: bool


class Key(TypedDict):
    """What ``Prompts.to_dict`` gives."""

    key: str
    model: str
    prompt: str
    grades: list[GradeRow]
    pairs: list[tuple[str | int, ...]]
    tasks: list[TaskRow]
    asks: NotRequired[Literal["nuggets", "support"]]
    rows: NotRequired[list[RunRow]]


KEY = Kind(
    Key, "key to requests", "give the .key.json that was written beside the batch", "write the requests again, which gives the same key",
    ("kind", KIND),
)  # fmt: skip
LINE = Kind(
    AnswerLine,
    "answer",
    "each line is an object with custom_id, as the batch returned it",
    "give what the batch returned, unchanged",
)


@dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """Judgements by a model: a grade per request that has one, and how many have none, by the reason; made by ``answers``."""

    assessor: Assessor
    grades: tuple[Grade, ...]
    rows: tuple[tuple[Any, ...], ...]  # query, item, for support the sentence, grade, is_repeat
    requests: int
    counts: Counter[str]
    failures: Counter[str]
    asks: str = ""  # nuggets or support, where each grade is a label of what an answer or a passage says
    cited: tuple[RunRow, ...] = ()  # the rows of the run whose support was asked about

    def __len__(self) -> int:
        return sum(not is_repeat for *_, is_repeat in self.rows)

    @property
    def repeats(self) -> int:
        """How many repeats have a grade; with the judgements and ``counts`` they are all requests."""
        return len(self.rows) - len(self)

    @property
    def self_agreement(self) -> float:
        """The share of repeats with the grade that the model gave first; NaN if none was asked and answered twice."""
        first = {tuple(pair): grade for *pair, grade, is_repeat in self.rows if not is_repeat}
        same = [
            grade == first[tuple(pair)]
            for *pair, grade, is_repeat in self.rows
            if is_repeat and tuple(pair) in first
        ]
        return float(np.mean(same)) if same else float("nan")

    def run(self) -> Run:
        """Return the assignments of nuggets, 1, 0.5 or 0, or the citations with their support, as a run, without repeats.

        UsageError if neither was asked about.
        """
        if not self.asks:
            raise UsageError("the requests asked about items, which gives no run; take qrels().")
        rows = self._run_rows()
        if self.asks == SUPPORT:
            query, part, item, support = (list(column) for column in zip(*rows, strict=True))
            return Run(query, item, part=part, support=support, name="model")
        query, item, score = ([row[at] for row in rows] for at in range(3))
        return Run(query, item, np.array(score, np.float64), name="model")

    def _run_rows(self) -> list[tuple[Any, ...]]:
        """The assignments of nuggets; or the rows of the cited answers, with the support that the model gave."""
        scores = [(*pair, grade / 2) for *pair, grade, is_repeat in self.rows if not is_repeat]
        if self.asks != SUPPORT:
            return scores
        said = {(query, part, item): score for query, item, part, score in scores}
        return [
            (query, part, item, said.get((query, part, item), support))
            for query, part, item, support in self.cited
        ]

    def qrels(self) -> Qrels:
        """Return the judgements, without repeats, and who made them; UsageError if they are of nuggets or citations."""
        if self.asks:
            raise UsageError(
                f"the requests asked about {self.asks}, which gives no judgements of items; take run()."
            )
        first_rows = [row for row in self.rows if not row[3]]
        query, item, grade = ([row[at] for row in first_rows] for at in range(3))
        return Qrels(query, item, np.array(grade, np.float64), assessor=self.assessor, name="model")

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per answer: query, item, for support the sentence (part), grade, is_repeat."""
        import polars as pl

        names = ["query", "item", *["part"] * (self.asks == SUPPORT), "grade", "is_repeat"]
        return pl.DataFrame(list(self.rows), schema=names, orient="row")

    def save(self, path: str | Path) -> None:
        """Write the judgements as a judging sheet exports them (``.csv``), which ``evaluate``, ``agreement`` and ``merge`` read, or for TREC.

        Assignments of nuggets are written as a run, a ``.csv`` with query, item and score; support of citations as one with query, part
        (the sentence), item and support.

        Raises
        ------
        RankwellError
            If the file ends in none of ``.csv``, ``.txt`` and ``.qrels``, there is no judgement, or the file cannot be written.
        """
        suffix = refuse_suffix(path)
        if not len(self):
            raise DataError(
                f"no answer gave a judgement, and {path} is not written: {'; '.join(self.notes())}."
            )
        if self.asks:
            if suffix != ".csv":
                raise UsageError(
                    f"{path}: {WHAT[self.asks]} are a run with columns, which is written as .csv."
                )
            _write_rows([CITED if self.asks == SUPPORT else ASSIGNED, *self._run_rows()], path)
            return
        if suffix == ".csv":
            judge, date = self._judge, self.assessor.date
            rows = [
                (query, item, grade, judge, date, order, str(is_repeat).lower(), "")
                for order, (query, item, grade, is_repeat) in enumerate(self.rows, 1)
            ]
            _write_rows([COLUMNS, *rows], path)
            return
        first_rows = [row for row in self.rows if not row[3]]
        write("\n".join(f"{query} 0 {item} {grade}" for query, item, grade, _ in first_rows), str(path))

    @property
    def _judge(self) -> str:
        also = {"prompt": self.assessor.prompt, "date": self.assessor.date}
        return ",".join(
            [f"model:{self.assessor.name}", *(f"{word}={text}" for word, text in also.items() if text)]
        )

    def notes(self) -> list[str]:
        """Return what gave no grade, as sentences."""
        notes = [f"{n:,} of {self.requests:,} requests {WHY[why]}" for why, n in self.counts.items() if n]
        return notes + [f"{n:,} × {why}" for why, n in self.failures.most_common(3)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        same = self.self_agreement
        return {
            "model": self.assessor.name, "prompt": self.assessor.prompt, "date": self.assessor.date,
            "requests": self.requests, "judged": len(self), "repeats": self.repeats, "self_agreement": None if np.isnan(same) else same,
            "without_grade": {why: n for why, n in self.counts.items() if n},
            "rows": [list(row) for row in self.rows],
        }  # fmt: skip

    def __repr__(self) -> str:
        more = f", and {self.repeats:,} of repeats" if self.repeats else ""
        what = WHAT.get(self.asks, "judgements")
        return f"Answers of {self.assessor}: {len(self):,} {what} of {self.requests:,} requests{more}"


def _write_rows(rows: Iterable[Sequence[Any]], path: str | Path) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    write(text.getvalue().rstrip("\n"), str(path))


def refuse_suffix(path: str | Path) -> str:
    """Return the suffix of a file for judgements; UsageError if it is none."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".txt", ".qrels"):
        raise UsageError(f"{path}: judgements of a model are written as .csv, or for TREC as .txt or .qrels.")
    return suffix


@checked
def answers(key: str | Path, file: str | Path, /, *files: str | Path, date: str = "") -> Answers:
    r"""Return the judgements in what a model answered to requests that ``prompts`` wrote.

    Parameters
    ----------
    key
        The file that ``Prompts.save`` wrote beside the requests: batch.key.json.
    file, files
        The answers, one JSON object a line with the ``custom_id`` of its request: as the batches of OpenAI and Anthropic return them,
        or with an ``answer``. Several answers to one request are votes, of which the most frequent grade counts; ties give none.
    date
        The day on which the model answered, such as 2026-11-25: models change under one name.

    Returns
    -------
    Answers
        ``found.qrels()`` are judgements that carry model, prompt and date; ``found.save("model.csv")`` writes them; ``found.counts`` says
        what gave no grade: refusals, answers cut off, grades outside the scale, ties … Such pairs stay unjudged, and are never 0. Where
        nuggets or the support of citations were asked about, ``found.run()`` is the run of what the model said, and ``save`` writes it.

    Raises
    ------
    RankwellError
        If a file cannot be read, is empty or no such file, or holds answers to other requests; or the date is none.

    Examples
    --------
    >>> import json, pathlib, tempfile, rankwell as rw
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> texts = [{"item": "a", "text": "Masks filter droplets."}, {"item": "b", "text": "A virus of plants."}]
    >>> asked = rw.judging.prompts({"1": ["a", "b"]}, model="some-model", items=texts)
    >>> key = asked.save(folder / "batch.jsonl")
    >>> said = [{"custom_id": each["custom_id"], "answer": "GRADE: 2"} for each in asked.requests()[:1]]
    >>> _ = (folder / "out.jsonl").write_text("\n".join(map(json.dumps, said)))
    >>> found = rw.judging.answers(key, folder / "out.jsonl")
    >>> found.qrels(), found.notes()
    (Qrels 'model': 1 rows, judged by model some-model (prompt 0a2f9f1bba9e), ['1 of 2 requests were not answered'])
    """
    _refuse_date(date)
    batch = _read_key(key)
    scale = tuple(Grade(**row) for row in batch["grades"])
    pairs, tasks = batch["pairs"], batch["tasks"]
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    reasons: dict[int, str] = {}
    failures: Counter[str] = Counter()
    for place, line in _read_lines([file, *files]):
        at = _number_of_task(line, batch["key"], len(tasks), place)
        reply = read_answer_line(line)
        if reply is None:
            raise DataError(
                f"{place}: no answer is there; give what the batch returned, or lines with custom_id and answer."
            )
        if reply.failed:
            reasons.setdefault(at, "failed")
            failures[reply.failed] += 1
            continue
        if reply.refused:
            reasons.setdefault(at, "refused")
        if reply.cut:
            reasons.setdefault(at, "cut")
        for text in reply.texts:
            read = grade_in(text, scale)
            if read.grade is None:
                reasons[at] = read.why
            else:
                votes[at][read.grade] += 1
    counts: Counter[str] = Counter()
    rows = []
    for at, task in enumerate(tasks):
        most = votes[at].most_common(2) if at in votes else []
        if not most:
            counts[reasons.get(at, "missing")] += 1
        # a tie is not broken: the middle of 0 and 3 would be a grade that no answer gave
        elif len(most) == 2 and most[0][1] == most[1][1]:
            counts["tied"] += 1
        else:
            rows.append((*pairs[task["pair"]], most[0][0], task["is_repeat"]))
    assessor = Assessor("model", batch["model"], prompt=batch["prompt"], date=date)
    asks, cited = batch.get("asks", ""), tuple(batch.get("rows", ()))
    return Answers(assessor, scale, tuple(rows), len(tasks), counts, failures, asks, cited)


def _refuse_date(text: str) -> None:
    try:
        if text:
            date_of_day.fromisoformat(text if DAY.fullmatch(text) else "")
    except ValueError:
        raise UsageError(f"date={brief(text)}: must be a date such as 2026-11-25.") from None


def _read_key(path: str | Path) -> Key:
    data = KEY.read(path)
    with KEY.checking(path):
        grades = [row["grade"] for row in data["grades"]]
        ensure(
            len(grades) > 1 and grades == sorted({*grades}) and {*grades} <= {*range(10)},
            "grades",
            "this is no scale",
        )
        asks = data.get("asks", "")
        labels = [label._asdict() for label in LABELS.get(asks, ())]
        ensure(not asks or data["grades"] == labels, "grades", f"these are not the labels of {asks}")
        width = 3 if asks == SUPPORT else 2
        ensure({*map(len, data["pairs"])} <= {width}, "pairs", f"one is not of {width} ids")
        ensure((asks == SUPPORT) == ("rows" in data), "rows", "they go with requests about support")
        first = [row["pair"] for row in data["tasks"] if not row["is_repeat"]]
        ensure(sorted(first) == [*range(len(data["pairs"]))], "tasks", "they do not ask for each pair once")
        again = {row["pair"] for row in data["tasks"] if row["is_repeat"]}
        ensure(again <= {*first}, "tasks", "one repeats a pair that there is not")
        ensure(len({*data["pairs"]}) == len(data["pairs"]), "pairs", "one stands there twice")
        rows = {(query, item, part) for query, part, item, _ in data.get("rows", ())}
        ensure(asks != SUPPORT or {*data["pairs"]} <= rows, "pairs", "one is no citation of its rows")
    return data


def _read_lines(files: list[str | Path]) -> Iterator[tuple[str, AnswerLine]]:
    names = [os.fspath(file) for file in files]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"{twice[0]} is given twice; its answers would count twice.")
    for name in names:
        try:
            content = Path(name).read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            raise InputError(
                f"{name}: cannot be read ({getattr(error, 'strerror', None) or error})."
            ) from error
        is_empty = True
        for number, line in enumerate(content.split("\n"), 1):
            if not line.strip():
                continue
            place, is_empty = f"{name}:{number}", False
            yield place, LINE.decode(line, place)
        if is_empty:
            raise DataError(f"{name}: the file is empty; give what the batch returned, one answer a line.")


def _number_of_task(line: AnswerLine, key: str, tasks: int, place: str) -> int:
    """The number of the request that a line answers."""
    name = line.get("custom_id")
    # from the right: the key is hexadecimal, and the number is all behind the last dash
    begin, _, number = str(name).rpartition("-")
    if begin != key or not number.isdecimal() or int(number) >= tasks:
        raise DataError(
            f"{place}: custom_id {brief(name)} is none of this batch, whose requests are {key}-0 to {key}-{tasks - 1}. Give the key that "
            f"was written beside its requests."
        )
    return int(number)
