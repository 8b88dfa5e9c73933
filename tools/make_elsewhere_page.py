"""Make docs/elsewhere.md: what other recommender tools call by which name, and which metric of rankwell it is.

python tools/make_elsewhere_page.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rankwell.display.table import Column, Table
from rankwell.metrics import metric_of

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "elsewhere.md"
STORED = ROOT / "tests" / "definitions" / "stored" / "beyond_movietweetings.json"
NAMES = {
    "rectools": "RecTools", "recmetrics": "recmetrics", "replay": "RePlay", "microsoft": "Microsoft recommenders",
    "jurity": "jurity", "rexmex": "rexmex", "rs_metrics": "rs_metrics", "recpack": "RecPack", "cornac": "Cornac",
    "recbole": "RecBole", "warprec": "WarpRec", "lenskit": "LensKit", "clayrs": "ClayRS", "evidently": "Evidently",
    "fairranktune": "FairRankTune", "rankkit": "rankkit", "obp": "Open Bandit Pipeline",
    "news_recommender_metrics": "news-recommender-metrics",
}  # fmt: skip
OPENING = """\
# Beyond accuracy in other tools

The table lists what other recommender tools call coverage, novelty, diversity, serendipity and so on, and the metric of rankwell
with the same value. Each tool was run on the four MovieTweetings lists that come with the package (the table shows `als`) and on
a small ragged example. A test compares every value (`tests/definitions/test_beyond_peers.py`, with data and script in `stored/`).
Some tools' values are ours times a constant, are computed over other items, or are defined differently. The last column says so;
where the definition differs, the row names no metric.
"""
CLOSING = """
## Tools without comparable values

The following were also examined:

- fairsearchcore 1.0.4, hyperfair 0.1.3: tests whether each prefix of a ranking holds enough protected items; no exposure.
- FARE 0.1.1: pairwise errors by group, against a true order; no exposure.
- fairness-ranking 1.0.0: counts and sums of rewards by group, without a target.
- hopwise 0.9.1.post1: its serendipity is our unexpectedness with each user's own items removed from the popular ones.
- calissta 0.1.0: mean absolute error of target shares of topics, which need not add up to 1; no divergence.
- MARS-Gym 0.1.0: rewards of a logged policy weighted by two policies' probabilities, over rows; no ranking metric.
- rmet 0.1.6: accuracy and coverage only. LensKit 2025.8.1, ClayRS 0.5.1, Cornac 3.0.1, RecBole 1.2.1: nothing on calibration,
  exposure of groups, or propensities.
- Elliot, Informfully Recommenders, pytrec_fairness: no release in the package index.

None of them has RankSys' EILD and EPD, Kotkov's serendipity, Murakami's own form, or Steck's divergence. These are checked against
papers and a second, slower computation.
"""


def page() -> str:
    """Return the page."""
    rows = []
    for tool, found in json.loads(STORED.read_text(encoding="utf-8"))["tools"].items():
        for measure, entry in found["lists"].items():
            metric = str(metric_of(entry["metric"])) if entry["metric"] else ""
            note = entry.get("note") or (f"raises {entry['raises']}" if entry.get("raises") else "")
            rows.append((f"{NAMES[tool]} {found['version']}", measure, _value(entry), metric, note))
    columns = [
        Column("tool"),
        Column("measure"),
        Column("value for als"),
        Column("in rankwell"),
        Column("difference"),
    ]
    return OPENING + "\n" + Table(columns, rows).to_markdown() + "\n" + CLOSING


def _value(entry: dict[str, Any]) -> str:
    """What the tool prints for one of the lists, or for the ratings."""
    value = entry["values"]["als"] if "values" in entry else entry.get("value")
    return "" if value is None else f"{value:.6g}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        raise SystemExit(__doc__)
    PAGE.write_text(page(), encoding="utf-8")
