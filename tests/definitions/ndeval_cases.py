"""The random lists whose values pyndeval's authors' program gave, and which metric each of its measures is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STORED = Path(__file__).parent / "stored" / "pyndeval.json"
WHOLE = {"NRBP": "nrbp", "nNRBP": "nnrbp", "MAP-IA": "ap_ia"}
MEASURES = {  # measure: metric, its parameters
    "ERR-IA": ("err_ia", {"gain": "binary", "norm": "ndeval"}),
    "nERR-IA": ("nerr_ia", {"gain": "binary"}),
    "alpha-DCG": ("alpha_dcg", {"norm": "ndeval"}),
    "alpha-nDCG": ("alpha_ndcg", {}),
    "P-IA": ("p_ia", {}),
    "strec": ("s_recall", {}),
    "NRBP": ("nrbp", {}),
    "nNRBP": ("nnrbp", {}),
    "MAP-IA": ("ap_ia", {"denom": "R"}),
}
READS = {  # which of alpha and beta a metric has
    "err_ia": ["alpha"],
    "nerr_ia": ["alpha"],
    "alpha_dcg": ["alpha"],
    "alpha_ndcg": ["alpha"],
    "nrbp": ["alpha", "beta"],
    "nnrbp": ["alpha", "beta"],
}


@dataclass(frozen=True)
class Stored:
    """One query: its rows (topic, item, grade) and (item, score), its list as pyndeval orders it, and the values."""

    qrels: list[tuple[str, str, int]]
    run: list[tuple[str, float]]
    alpha: float
    beta: float
    level: int
    values: dict[str, list[tuple[int | None, float]]]  # measure -> (cut-off, value)

    @property
    def order(self) -> list[str]:
        return [item for item, _ in sorted(self.run, key=lambda row: (-row[1], row[0]))]

    @property
    def has_relevant(self) -> bool:
        return any(grade >= self.level for *_, grade in self.qrels)

    def metrics(self) -> Iterator[tuple[str, str, dict[str, float | str], int | None, float]]:
        """Each value: its measure, the metric's name and parameters, the cut-off, the value."""
        for measure, at_cuts in self.values.items():
            name, given = MEASURES[measure]
            own = {word: getattr(self, word) for word in READS.get(name, [])}
            level = {} if self.level == 1 else {"rel": self.level}
            for k, value in at_cuts:
                yield measure, name, {**given, **own, **level}, k, value


@cache
def stored() -> tuple[str, list[Stored]]:
    """The program, and all cases."""
    at_cuts = json.loads(STORED.read_text(encoding="utf-8"))
    cases = []
    for case in at_cuts["cases"]:
        values = {
            measure: [(None, found)] if measure in WHOLE else list(zip(case["cuts"], found, strict=True))
            for measure, found in case["values"].items()
        }
        rows = [row.split() for row in case["qrels"].split(";")]
        run = [row.split() for row in case["run"].split(";")]
        cases.append(
            Stored(
                [(topic, item, int(grade)) for topic, item, grade in rows],
                [(item, float(score)) for item, score in run],
                case["alpha"],
                case["beta"],
                case["level"],
                values,
            )
        )
    return at_cuts["program"], cases
