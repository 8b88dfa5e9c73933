"""Write pyndeval.json: what NIST's ndeval, as pyndeval has it, says of random lists.

pyndeval is built for few versions of Python, so its values are stored; run this in an environment of its own:

    python -m venv ndeval-env && ndeval-env/bin/pip install pyndeval==0.0.8
    ndeval-env/bin/python tests/definitions/stored/make_pyndeval.py

A case is one query. `qrels`: "topic item grade" with ";" between; `run`: "item score". Under `values` each measure has
nine digits, those with a cut-off at each of `cuts`. pyndeval orders equal scores by ascending id. At rank 1 it does not
normalise ERR-IA and alpha-DCG, so no value of theirs at that rank is stored.
"""

from __future__ import annotations

import importlib.metadata
import json
import random
from pathlib import Path
from typing import Any

import pyndeval

CASES = 320
MEASURES = ["ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec"]
WHOLE = ["NRBP", "nNRBP", "MAP-IA"]


def a_case(rng: random.Random) -> dict[str, Any]:
    """One query of up to 26 documents and 5 topics: a few sets of topics, so that gains tie."""
    ids = [f"d{n}" for n in range(rng.choice([4, 6, 10, 26]))]
    topics = [str(n) for n in range(1, rng.randint(1, 5) + 1)]
    sets = [rng.sample(topics, rng.randint(1, len(topics))) for _ in range(4)]
    rows = [
        (topic, item, rng.choice([0, 1, 1, 2]))
        for item in rng.sample(ids, rng.randint(2, min(len(ids), 12)))
        for topic in rng.choice(sets)
    ]
    if not any(grade > 1 for *_, grade in rows):
        rows.append(("1", "e0", 2))
    run = [(item, rng.randint(1, 12)) for item in rng.sample(ids, rng.randint(1, len(ids)))]
    alpha, beta = rng.choice([(0.5, 0.5), (0.5, 0.5), (0.1, 0.9), (0.3, 0.8), (0.9, 0.25), (0.0, 0.5)])
    level = rng.choice([1, 1, 2])
    cuts = sorted({rng.randint(2, 5), rng.randint(2, 20)})
    return {"qrels": rows, "run": run, "alpha": alpha, "beta": beta, "level": level, "cuts": cuts}


def values(case: dict[str, Any]) -> dict[str, Any]:
    """All measures of a case."""
    names = [*WHOLE, *(f"{measure}@{k}" for measure in MEASURES for k in case["cuts"])]
    evaluator = pyndeval.RelevanceEvaluator(
        [("q", *row) for row in case["qrels"]],
        names,
        relevance_level=case["level"],
        alpha=case["alpha"],
        beta=case["beta"],
    )
    found = evaluator.evaluate([("q", item, float(score)) for item, score in case["run"]])["q"]
    record: dict[str, Any] = {name: float(f"{found[name]:.9g}") for name in WHOLE}
    return record | {
        measure: [float(f"{found[f'{measure}@{k}']:.9g}") for k in case["cuts"]] for measure in MEASURES
    }


def text(rows: list[tuple[Any, ...]]) -> str:
    return ";".join(" ".join(map(str, row)) for row in rows)


def main() -> None:
    """Write the file."""
    lines = []
    for seed in range(CASES):
        case = a_case(random.Random(seed))
        record = {**case, "qrels": text(case["qrels"]), "run": text(case["run"]), "values": values(case)}
        lines.append(json.dumps(record, separators=(",", ":")))
    program = f"pyndeval {importlib.metadata.version('pyndeval')}"
    body = ",\n".join(lines)
    Path(__file__).with_name("pyndeval.json").write_text(f'{{"program":"{program}","cases":[\n{body}\n]}}\n')


if __name__ == "__main__":
    main()
