"""The real collections and what other people's programs, or NIST, say of them. Parsing only.

Covered measures: map, gm_map, map_cut_k, P_k, recall_k, relative_P_k, success_k, recip_rank, Rprec, ndcg (with gains
too), ndcg_cut_k, bpref, infAP, iprec_at_recall_x, 11pt_avg, set_P, set_recall, set_relative_P, set_map, set_F, utility,
unj_k, num_ret, num_rel, num_rel_ret, gm_bpref, Rprec_mult, binG, G, ndcg_rel, Rndcg, num_nonrel_judged_ret, 11pt_avg
with levels of its own. Not covered, row by row of the expected files:
- runid, num_q, relstring: no numbers of a metric (tests/compat/test_trec_eval.py compares the files byte for byte);
- rbp of graded judgements, which reads uninitialised memory in that program, and rbp_resid where it is 0 because
  nothing is unjudged (tests/definitions/test_outside.py has other programs);
- num_rel of `all` with -c and -l 2, which that program counts from level 1;
- out.test.aqZ (z-scores), .prefs, .qrels_prefs, .qrels_jg: other inputs;
- trec-web-2012/expected/ndeval.tsv: diversity metrics (tests/definitions/test_subtopics.py).
cranfield/runs/bm25-top1000.run.gz and the recommendation lists have no expected values.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.evidence import evidence


@dataclass(frozen=True)
class Expectation:
    """One printed number. `query` is a query id or "all" (the mean); `value` is the text as printed.

    `metric` is the text of the metric that must give it, under `policy` (only the fields that matter are
    named). `source` is the file that says so, in tests/data.
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
    def program(self) -> str:
        """What printed the number."""
        if self.source.endswith("nist_scores.csv"):
            return "NIST's published scores"
        if self.source.endswith(".tsv"):
            return "pytrec_eval-terrier 0.5.11"
        return "trec_eval 9.0.7" if self.policy["scores"] == "single" else "trec_eval 10"

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


@cache
def metric_for(measure: str, level: int = 1, levels: str = "trec9") -> str | None:
    """The metric text of a measure as trec_eval names it; None when not covered. ``levels`` is its version's rule."""
    rel = [f"rel={level}"] if level != 1 else []

    def text(name: str, *params: str, k: str = "") -> str:
        inside = ",".join(
            [*params, *(rel if name not in ("ndcg", "unj", "num_ret", "g", "ndcg_rel") else [])]
        )
        return name + (f"({inside})" if inside else "") + (f"@{k}" if k else "")

    if measure in PLAIN:
        return text(*PLAIN[measure])
    if measure == "11pt_avg":
        return text("avg11", f"levels={levels}")
    found = re.fullmatch(r"([A-Za-z_]+?|11pt_avg)_([\d.,=-]+)", measure)
    if found is None:
        return None
    name, value = found.groups()
    if name in CUT:
        return text(*CUT[name], k=value)
    if name == "iprec_at_recall":
        return text("iprec", f"level={float(value):g}", f"levels={levels}")
    if name == "Rprec_mult":
        return text("rprec", *([f"multiple={float(value):g}", "levels=trec9"] if float(value) != 1 else []))
    if name == "11pt_avg":
        return text("avg11", f"at=[{value}]", f"levels={levels}")
    if name == "ndcg":
        return text("ndcg", f"gain={{{value.replace('=', ':')},others:own}}")
    if name == "set_F":
        return text("set_f", f"C={float(value):g}")
    if name == "utility" and value.endswith(",0"):
        return text("utility", f"prices=[{value}]")
    return None


PLAIN: dict[str, tuple[str, ...]] = {
    "map": ("ap", "denom=R"),
    "gm_map": ("gmap", "denom=R"),
    "recip_rank": ("rr",),
    "bpref": ("bpref",),
    "ndcg": ("ndcg",),
    "Rprec": ("rprec",),
    "infAP": ("infap",),
    "set_P": ("set_p",),
    "set_recall": ("set_r",),
    "set_relative_P": ("set_r", "denom=min_rn"),
    "set_map": ("set_ap",),
    "set_F": ("set_f",),
    "utility": ("utility",),
    "gm_bpref": ("gm_bpref",),
    "binG": ("bing",),
    "G": ("g",),
    "ndcg_rel": ("ndcg_rel",),
    "Rndcg": ("rndcg",),
    "num_nonrel_judged_ret": ("num_nonrel_judged_ret",),
    "num_ret": ("num_ret",),
    "num_rel": ("num_rel",),
    "num_rel_ret": ("num_rel_ret",),
}
CUT: dict[str, tuple[str, ...]] = {
    "map_cut": ("ap", "denom=R"),
    "P": ("p",),
    "recall": ("r",),
    "relative_P": ("r", "denom=min_rk"),
    "success": ("hit",),
    "ndcg_cut": ("ndcg",),
    "unj": ("unj",),
}


@cache
def expectations() -> tuple[Expectation, ...]:
    """Every covered row of every expected file."""
    return tuple(_expectations())


def _expectations() -> Iterator[Expectation]:
    yield from _nist(evidence("trec_eval"))
    cranfield = evidence("cranfield")
    yield from _tsv(cranfield, cranfield / "qrels.binary.txt", "expected/trec_eval.binary.tsv")
    yield from _tsv(cranfield, cranfield / "qrels.graded.txt", "expected/trec_eval.graded.tsv")
    web = evidence("trec-web-2012")
    yield from _tsv(web, web / "qrels.adhoc.txt", "expected/trec_eval.adhoc.tsv")
    covid = evidence("trec-covid-round1")
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
                metric = metric_for(measure, level, "trec9" if version else "trec10")
                if measure == "rbp" and level == 1:
                    metric = "rbp(gain=binary,p=0.9)"
                if measure == "rbp_resid" and query != "all" and float(value):
                    metric = "rbp_residual(p=0.9)"  # where nothing is unjudged that program prints 0
                if metric is None:
                    continue
                for one in judgements:
                    yield Expectation(
                        "trec_eval", folder / run, folder / one, measure, query, value, metric,
                        {**policy, **extra}, f"trec_eval/{version}{name}",
                    )  # fmt: skip


def _tsv(folder: Path, qrels: Path, source: str) -> Iterator[Expectation]:
    policy = {**VERSION_9, "missing": "skip"}
    path_of = cache((folder / "runs").joinpath)
    for line in (folder / source).read_text().splitlines():
        run, measure, query, value = line.split("\t")
        metric = metric_for(measure)
        if metric is not None:
            yield Expectation(
                folder.name, path_of(run), qrels, measure, query, value, metric, policy,
                f"{folder.name}/{source}",
            )  # fmt: skip


def _nist_scores(folder: Path) -> Iterator[Expectation]:
    """What NIST published: means over all 30 topics, four digits."""
    policy = {**VERSION_9, "missing": "empty"}
    metrics = {
        "ndcg@10": "ndcg@10", "p@5": "p@5", "bpref": "bpref", "MAP": "ap(denom=R)", "RBP(p=.5)": "rbp(p=0.5)",
    }  # fmt: skip
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
