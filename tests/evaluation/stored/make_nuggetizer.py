"""What nuggetizer prints for made-up records: python make_nuggetizer.py, in an environment with nuggetizer, writes nuggetizer.json.

``pip install --no-deps nuggetizer`` is enough: its scores import nothing else.
"""

from __future__ import annotations

import json
import random
from importlib.metadata import version
from pathlib import Path
from typing import Any

IMPORTANCE = ("vital", "vital", "okay", "okay", "failed")
ASSIGNMENT = ("support", "support", "partial_support", "not_support", "failed")


def records(count: int, seed: int) -> list[dict[str, Any]]:
    """Return records as nuggetizer writes them: some without vital nuggets, with failed labels, or with one text twice."""
    draw = random.Random(seed)
    found = []
    for number in range(count):
        kinds = IMPORTANCE if draw.random() < 0.8 else ("okay", "failed")
        nuggets = [
            {
                "text": f"fact {draw.randrange(12)}",
                "importance": draw.choice(kinds),
                "assignment": draw.choice(ASSIGNMENT),
            }
            for _ in range(draw.randint(1, 15))
        ]
        found.append(
            {"query": f"question {number}", "qid": f"q{number}", "run_id": "made-up", "nuggets": nuggets}
        )
    return found


def main() -> None:
    from nuggetizer.core.metrics import calculate_global_metrics, calculate_nugget_scores

    made = records(200, 1)
    values = {each["qid"]: vars(calculate_nugget_scores(each["qid"], each["nuggets"])) for each in made}
    data = {"version": version("nuggetizer"), "values": values, "all": calculate_global_metrics(made)}
    for each in (*values.values(), data["all"]):
        each.pop("qid")
    path = Path(__file__).parent / "nuggetizer.json"
    path.write_text(json.dumps(data, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
