"""The real collections and what other people's programs, or NIST, say of them. Parsing only.

Covered measures: map, map_cut_k, P_k, recall_k, success_k, recip_rank, ndcg (with gains too), ndcg_cut_k,
bpref, unj_k. Not covered, row by row of the expected files:
- runid, num_*, gm_map, gm_bpref, Rprec, Rprec_mult, iprec_at_recall, 11pt_avg, infAP, relstring, relative_P,
  set_*, utility, binG, G, ndcg_rel, Rndcg, rbp, rbp_resid, num_nonrel_judged_ret: metrics that these tests do
  not know;
- unj_k is a share of k, judged@k one of min(k, n): they are complements for lists of at least k items only.
  So the rows of results.test are taken (500 items each) and, with results.trunc, those of topics 301 and 303
  (500 and 84 items); not topic 302 (no list: judged@k is undefined) and hence not its `all`;
- unj_k with -M100 likewise;
- out.test.aqZ (z-scores), .prefs, .qrels_prefs, .qrels_jg: other inputs;
- trec-web-2012/expected/ndeval.tsv: diversity metrics; NIST's RBP(p=.5) in nist_scores.csv.
cranfield/runs/bm25-top1000.run.gz and the recommendation lists have no expected values.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MISSING = "the folder with the shared data is not there (../shared/data beside the repository)"


def shared() -> Path | None:
    """The folder of shared data beside the repository, or None."""
    folder = Path(__file__).resolve().parents[3] / "shared" / "data"
    return folder if folder.is_dir() else None


@dataclass(frozen=True)
class Expectation:
    """One printed number. `query` is a query id or "all" (the mean); `value` is the text as printed.

    `metric` is the text of the metric that must give it, under `policy` (only the fields that matter are
    named). `source` is the file that says so, below the folder of shared data.
    """

    collection: str
    run: Path
    qrels: Path
    measure: str
    query: str
    value: str
    metric: str
    policy: dict[str, Any] = field(hash=False)
    source: str

    @property
    def digits(self) -> int:
        return len(self.value.partition(".")[2])

    @property
    def group(self) -> tuple[Path, Path, str]:
        """Expectations of one group can be had from one evaluation."""
        return self.run, self.qrels, repr(self.policy)

    def agrees(self, value: float | None) -> bool:
        """Whether `value` prints as the expected text; at a rounding boundary either neighbour will do."""
        if value is None:
            return False
        return f"{value:.{self.digits}f}" == self.value or (
            abs(abs(value - float(self.value)) - 0.5 * 10**-self.digits) < 1e-12
        )


# As trec_eval computes: every topic counts, and grades are judgements whatever they look like.
TREC_EVAL = {"grades": "judgements", "ties": "item-desc", "undefined": "zero", "negative": "unjudged"}
VERSION_10 = {**TREC_EVAL, "scores": "double"}
VERSION_9 = {**TREC_EVAL, "scores": "single"}

# expected file, qrels, run, policy on top of the version's, relevance level
NIST_FILES: list[tuple[str, str, str, dict[str, Any], int]] = [
    ("out.test", "qrels.test", "results.test", {"missing": "skip"}, 1),
    ("out.test.a", "qrels.test", "results.test", {"missing": "skip"}, 1),
    ("out.test.aq", "qrels.test", "results.test", {"missing": "skip"}, 1),
    ("out.test.aqc", "qrels.test", "results.trunc", {"missing": "empty"}, 1),
    ("out.test.aqcM", "qrels.test", "results.trunc", {"missing": "empty", "depth": 100}, 1),
    ("out.test.aql", "qrels.rel_level", "results.test", {"missing": "skip"}, 2),
    ("out.test.meas_params", "qrels.test", "results.test", {"missing": "skip"}, 1),
]


def metric_for(measure: str, level: int = 1) -> str | None:
    """The metric text of a measure as trec_eval names it; None when not covered (unj_k: see `_nist`)."""
    rel = f"rel={level}" if level != 1 else ""
    own = f"({rel})" if rel else ""
    average = f"ap(denom=R,{rel})" if rel else "ap(denom=R)"
    plain = {"map": average, "recip_rank": f"rr{own}", "bpref": f"bpref{own}", "ndcg": "ndcg"}
    if measure in plain:
        return plain[measure]
    gains = re.fullmatch(r"ndcg_((?:[\d.]+=[\d.]+,?)+)", measure)
    if gains:
        table = ", ".join(pair.replace("=", ": ") for pair in gains[1].split(","))
        return f"ndcg(gain={{{table}}})"
    cut = re.fullmatch(r"(map_cut|P|recall|success|ndcg_cut)_(\d+)", measure)
    if cut is None:
        return None
    names = {
        "map_cut": average,
        "P": f"p{own}",
        "recall": f"r{own}",
        "success": f"hit{own}",
        "ndcg_cut": "ndcg",
    }
    return f"{names[cut[1]]}@{cut[2]}"


def expectations(folder: Path) -> Iterator[Expectation]:
    """Every covered row of every expected file."""
    yield from _nist(folder / "trec_eval")
    cranfield = folder / "cranfield"
    yield from _tsv(cranfield, cranfield / "qrels.binary.txt", "expected/trec_eval.binary.tsv")
    yield from _tsv(cranfield, cranfield / "qrels.graded.txt", "expected/trec_eval.graded.tsv")
    web = folder / "trec-web-2012"
    yield from _tsv(web, web / "qrels.adhoc.txt", "expected/trec_eval.adhoc.tsv")
    covid = folder / "trec-covid-round1"
    yield from _tsv(covid, covid / "qrels-rnd1.txt", "expected/trec_eval.tsv")
    yield from _nist_scores(covid)


def _nist(folder: Path) -> Iterator[Expectation]:
    for version, policy in (("", VERSION_10), ("v9.0.7/", VERSION_9)):
        for name, qrels, run, extra, level in NIST_FILES:
            judgements = [qrels]
            if name == "out.test" and not version:  # version 9 reads no comments
                judgements.append("qrels.test.with-comments")
            for line in (folder / version / name).read_text().splitlines():
                measure, query, value = line.split()
                metric = metric_for(measure, level)
                if measure.startswith("unj_") and _lists_are_long(name, query):
                    metric, value = f"judged@{measure[4:]}", f"{1 - float(value):.4f}"
                if metric is None:
                    continue
                for one in judgements:
                    yield Expectation(
                        "trec_eval", folder / run, folder / one, measure, query, value, metric,
                        {**policy, **extra}, f"trec_eval/{version}{name}",
                    )  # fmt: skip


def _lists_are_long(name: str, query: str) -> bool:
    """Whether unj_k is 1 − judged@k: every list behind the row has at least k items."""
    return name in {"out.test.a", "out.test.aq", "out.test.aql"} or (
        name == "out.test.aqc" and query in {"301", "303"}
    )


def _tsv(folder: Path, qrels: Path, source: str) -> Iterator[Expectation]:
    policy = {**VERSION_9, "missing": "skip"}
    for line in (folder / source).read_text().splitlines():
        run, measure, query, value = line.split("\t")
        metric = metric_for(measure)
        if metric is not None:
            yield Expectation(
                folder.name, folder / "runs" / run, qrels, measure, query, value, metric, policy,
                f"{folder.name}/{source}",
            )  # fmt: skip


def _nist_scores(folder: Path) -> Iterator[Expectation]:
    """What NIST published: means over all 30 topics, four digits."""
    policy = {**VERSION_9, "missing": "empty"}
    metrics = {"ndcg@10": "ndcg@10", "p@5": "p@5", "bpref": "bpref", "MAP": "ap(denom=R)"}
    with (folder / "nist_scores.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for measure, metric in metrics.items():
                yield Expectation(
                    folder.name, folder / "runs" / f"{row['run']}.run", folder / "qrels-rnd1.txt", measure,
                    "all", row[measure], metric, policy, f"{folder.name}/nist_scores.csv",
                )  # fmt: skip


def read_run_rows(path: Path) -> dict[str, list[tuple[str, float]]]:
    """A run of TREC text, {query: [(item, score), …]} in the order of the file, whatever its rank column."""
    run: dict[str, list[tuple[str, float]]] = {}
    for fields in _fields(path):
        run.setdefault(fields[0], []).append((fields[2], float(fields[4])))
    return run


def read_qrels_rows(path: Path) -> list[tuple[str, str, float, str | None]]:
    """Judgements of TREC text as rows (query, item, grade, topic)."""
    return [(fields[0], fields[2], float(fields[3]), fields[1]) for fields in _fields(path)]


def _fields(path: Path) -> Iterator[list[str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield line.split()
