"""The data of a small report, compared with what was looked at before.

``RANKWELL_GOLDEN=write`` writes the file anew; read the difference before you commit it. Numbers are confirmed elsewhere
(tests/comparison, tests/reporting); here it is words, order and layout that may not change by accident. Of charts only the names
are kept: pictures are looked at, and their rows tested, where they are drawn.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from tests.reporting.lists import qrels_of, run_of

import rankwell as rw

FILE = Path(__file__).parent / "report.json"
OLD = [2, 3, 4, 3, 2, 5, 4, 2]
NEW = [1, 1, 2, 3, 1, 2, None, 1]


def scrubbed(data):
    """Without what differs between versions and machines."""
    for section in data["sections"]:
        section["charts"] = sorted(section["charts"])
        for each in section["data"].get("versions", ()):
            each["version"] = "VERSION"
    text = json.dumps(data, ensure_ascii=False, indent=1)
    return re.sub(r"(\d\.\d{10})\d+", r"\1…", text) + "\n"


def test_the_data_of_a_report_are_what_they_were():
    qrels = qrels_of(8) | {"q7": {"good": 0}}
    found = rw.report(
        {"old": run_of(OLD), "new": run_of(NEW)},
        qrels,
        ["rr", "p@1", "num_ret"],
        baseline="old",
        users=[{"query": f"q{at}", "tier": "gold" if at % 2 else "silver"} for at in range(8)],
        by="tier",
        queries={f"q{at}": f"question {at}" for at in range(8)},
        resamples=199,
        flips=999,
        command="rankwell report qrels.txt old.run new.run",
    )
    printed = scrubbed(json.loads(found.to_json()) | {"rankwell": "VERSION"})
    if os.environ.get("RANKWELL_GOLDEN") == "write":
        FILE.write_text(printed, encoding="utf-8")
    assert printed == FILE.read_text(encoding="utf-8")
    assert len(printed) < 100_000
