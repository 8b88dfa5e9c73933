"""Make docs/elsewhere.md: what other recommender tools call by which name, and which metric of rankwell it is.

python -m tools.make_elsewhere_page           write it
python -m tools.make_elsewhere_page --check   fail if it is not what the stored values and the presets say
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.make_preset_values import ELSEWHERE, TAKEN, Case, digits, fixture, ours, stored

from rankwell.display.table import Column, Table
from rankwell.evaluation.preset import Preset, names, preset_of
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
    return (
        OPENING
        + "\n"
        + Table(columns, rows).to_markdown()
        + "\n"
        + PRESETS
        + "\n"
        + preset_table()
        + "\n"
        + CLOSING
    )


PRESETS = """
## Presets against their tools

Each preset is held against its tool on one fixture of two parts: a small one made by hand, and 200 users drawn at random. Both have
listed users without judgements, judged users without a list, empty and short lists, items that are not in train or have no topic,
equal scores, and grades from 0 to 4. Tools of passages got 207 more lists, most of which repeat an item, and boosters only the rows of the
lists, as groups. `python -m tools.make_preset_values` installs the tools, each alone, runs them, and stores what they
say in `tests/data/presets/`; `tests/evaluation/test_preset_values.py` compares every metric of every preset with that to 1e-9. A
number that a tool rounds is equal in its digits. What a tool refuses, or has no rule for, was taken out before it was run. A metric
that is not reproduced is refused, with the reason, when it is asked for under the preset.
"""


LIMITS = """\
What the tools refuse, round, or have no rule for, beyond what the rows say:

"""


def preset_table() -> str:
    """Return presets by metrics: equal, or why not."""
    cases = {name: Case.of(data) for name, data in fixture().items()}
    presets = [preset_of(name) for name in names()]
    heads = ("preset", "run as", "metric", "in rankwell", "small, @5", "drawn, @10", "rankwell", "left out")
    table = Table(
        [Column(head) for head in heads], [row for preset in presets for row in _preset_rows(preset, cases)]
    )
    limits = [f"- {preset.tool}: {'; '.join(preset.limits)}." for preset in presets if preset.limits]
    return f"{table.to_markdown()}\n\n{LIMITS}" + "\n".join(limits) + "\n"


def _preset_rows(preset: Preset, cases: dict[str, Case]) -> Iterator[tuple[str, ...]]:
    """A row for each metric that was run, and for each that is refused."""
    found = stored().get(preset.name)
    for name, definition in preset.metrics.items():
        if words := ELSEWHERE.get((preset.name, name)) or ELSEWHERE.get((preset.name, "")):
            yield preset.name, "", name, definition, "", "", words, ""
    run = "" if found is None else f"{found['package']} {found['version']}"
    small, drawn = (() if found is None else found["values"][name].items() for name in ("small", "drawn"))
    for (metric, value), (other, number) in zip(small, drawn, strict=True):
        name = metric_of(metric).name
        if name in preset.not_reproduced:
            continue
        pairs = [(cases["small"], metric, value), (cases["drawn"], other, number)]
        within, words = digits(preset.name, metric)
        is_equal = all(
            isinstance(theirs, float)
            and math.isclose(ours(preset.name, text, case), theirs, rel_tol=1e-9, abs_tol=within)
            for case, text, theirs in pairs
        )
        verdict = ("equal" + (f", {words}" if words else "")) if is_equal else "DIFFERS"
        taken = "; ".join(
            TAKEN[each] for each in dict.fromkeys(found["given"].get(name, []) if found else ())
        )
        definition = str(preset.metric(metric_of(metric, complete=False)))
        yield (
            preset.name,
            run,
            metric.partition("@")[0],
            definition,
            _number(value),
            _number(number),
            verdict,
            taken,
        )
    for name, reason in preset.not_reproduced.items():
        yield preset.name, run, name, "", "", "", f"refused: {reason}", ""


def _number(value: float | str) -> str:
    """A number as the page shows it."""
    return value if isinstance(value, str) else f"{value:.6g}"


def _value(entry: dict[str, Any]) -> str:
    """What the tool prints for one of the lists, or for the ratings."""
    value = entry["values"]["als"] if "values" in entry else entry.get("value")
    return "" if value is None else f"{value:.6g}"


if __name__ == "__main__":
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        raise SystemExit(__doc__)
    if not check:
        PAGE.write_text(page(), encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page():
        raise SystemExit(
            f"{PAGE.relative_to(ROOT)} is not what the stored values say: run python -m tools.make_elsewhere_page"
        )
