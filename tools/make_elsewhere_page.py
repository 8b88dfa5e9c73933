"""Make docs/elsewhere.md: what other recommender tools call by which name, and which metric of rankwell it is.

python tools/make_elsewhere_page.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rankwell.display import Column, Table
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
# Beyond accuracy elsewhere

What other recommender tools call coverage, novelty, diversity, serendipity …, and which metric of rankwell has the same
numbers. Each tool was run on the four MovieTweetings lists that come with the package (`als` is shown) and on a small ragged
example; a test compares every value (`tests/definitions/test_beyond_peers.py`, its data and script in `stored/` beside it).
Where the last column says so, the tool's number is ours times a constant, over other items, or defined otherwise; in the latter
case no metric stands there.
"""
CLOSING = """
## Nothing to compare

What was looked at besides, and why no value of it stands above:

- fairsearchcore 1.0.4, hyperfair 0.1.3: tests whether a ranking holds enough protected items in each prefix; no exposure.
- FARE 0.1.1: errors of pairs of items by group, against a true order; no exposure.
- fairness-ranking 1.0.0: numbers and sums of rewards by group, without a target.
- hopwise 0.9.1.post1: its serendipity is our unexpectedness with each user's own items taken out of the popular ones.
- calissta 0.1.0: mean absolute error of wished shares of topics, that need not add up to 1; no divergence.
- MARS-Gym 0.1.0: rewards of a logged policy weighed by two policies' chances, over rows; no metric of a ranking.
- rmet 0.1.6: accuracy and coverage alone. LensKit 2025.8.1, ClayRS 0.5.1, Cornac 3.0.1, RecBole 1.2.1: nothing on calibration,
  exposure of groups, or propensities.
- Elliot, Informfully Recommenders, pytrec_fairness: no release in the package index.

No program there has the EILD and EPD of RankSys, Kotkov's serendipity, Murakami's own form, or Steck's divergence: those rest on
papers and on a second, slower computation.
"""


def page() -> str:
    """Return the page."""
    rows = []
    for tool, found in json.loads(STORED.read_text(encoding="utf-8"))["tools"].items():
        for measure, entry in found["lists"].items():
            metric = str(metric_of(entry["metric"])) if entry["metric"] else ""
            told = entry.get("note") or (f"raises {entry['raises']}" if entry.get("raises") else "")
            rows.append((f"{NAMES[tool]} {found['version']}", measure, _value(entry), metric, told))
    columns = [
        Column("tool"),
        Column("its name"),
        Column("its value for als"),
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
