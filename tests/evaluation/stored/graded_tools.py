"""The tools of tools_movietweetings.py that take grades: what each computes for lists {user: [item]} and grades {user: {item: grade}}."""

from __future__ import annotations

import math
import subprocess
import tempfile
from pathlib import Path

import numpy as np


def scored(lists, kind=float):
    """The lists with scores that fall with the rank."""
    return {user: {item: kind(100 - n) for n, item in enumerate(row)} for user, row in lists.items()}


def pytrec_eval(lists, grades, k):
    import pytrec_eval as pte

    found = {f"p@{k}": f"P_{k}", f"r@{k}": f"recall_{k}", f"ap@{k}": f"map_cut_{k}", "ap": "map", "gmap": "gm_map",
             f"ndcg@{k}": f"ndcg_cut_{k}", "ndcg": "ndcg", "rr": "recip_rank", f"hit@{k}": f"success_{k}", "rprec": "Rprec",
             "bpref": "bpref"}  # fmt: skip
    asked = {f"{name}.{k}" for name in ("P", "recall", "map_cut", "ndcg_cut", "success")}
    rows = pte.RelevanceEvaluator(
        grades, asked | {"map", "gm_map", "ndcg", "recip_rank", "Rprec", "bpref"}
    ).evaluate(scored(lists))
    return {
        ours: pte.compute_aggregated_measure(name, [row[name] for row in rows.values()])
        for ours, name in found.items()
    }


def beir(lists, grades, k):
    import sys
    import types

    search = types.ModuleType("beir.retrieval.search")  # its models need PyTorch
    search.base = types.ModuleType("beir.retrieval.search.base")
    search.base.BaseSearch = None
    sys.modules |= {"beir.retrieval.search": search, "beir.retrieval.search.base": search.base}
    from beir.retrieval.evaluation import EvaluateRetrieval as Beir

    run = {user: row for user, row in scored(lists).items() if user in grades}  # it fails on another user
    ndcg, ap, recall, precision = Beir.evaluate(grades, run, [k])
    rr, hit = (Beir.evaluate_custom(grades, run, [k], name) for name in ("mrr", "accuracy"))
    found = {"ndcg": ndcg, "ap": ap, "r": recall, "p": precision, "rr": rr, "hit": hit}
    return {f"{name}@{k}": next(iter(value.values())) for name, value in found.items()}


def ir_measures(lists, grades, k):
    import ir_measures as ir

    found = {f"p@{k}": "P@k", f"r@{k}": "R@k", f"ap@{k}": "AP@k", "ap": "AP", f"ndcg@{k}": "nDCG@k", "ndcg": "nDCG", "rr": "RR",
             f"rr@{k}": "RR@k", f"hit@{k}": "Success@k", "rprec": "Rprec", "bpref": "Bpref", f"err@{k}": "ERR@k", "set_f": "SetF",
             f"judged@{k}": "Judged@k", f"ndcg(gain=exp2)@{k}": "nDCG(dcg='exp-log2')@k"}  # fmt: skip
    asked = {ours: ir.parse_measure(text.replace("@k", f"@{k}")) for ours, text in found.items()}
    values = ir.calc_aggregate(list(asked.values()), grades, scored(lists))
    return {ours: values[measure] for ours, measure in asked.items()}


def gdeval(lists, grades, k):
    import ir_measures as ir

    program = Path(ir.__file__).parent / "bin" / "gdeval.pl"
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = Path(folder) / "qrels", Path(folder) / "run"
        qrels.write_text("".join(f"{u} 0 {i} {g}\n" for u, row in grades.items() for i, g in row.items()))
        run.write_text(
            "".join(f"{u} Q0 {i} 1 {s} t\n" for u, row in scored(lists).items() for i, s in row.items())
        )
        said = subprocess.run(
            ["perl", program, qrels, run, str(k)], capture_output=True, text=True, check=True
        ).stdout
    rows = [line.split(",") for line in said.splitlines()[1:]]  # runid, topic, ndcg, err
    return {
        f"{name}@{k}": math.fsum(float(row[n]) for row in rows) / len(rows)
        for name, n in (("ndcg", 2), ("err", 3))
    }


def sklearn(lists, grades, k):
    from sklearn.metrics import dcg_score, ndcg_score

    shared = [user for user in lists if user in grades]
    size = max(len(lists[user]) for user in shared)
    # a row per user, short lists filled with items that nobody wants
    truth = np.array([[grades[u].get(i, 0) for i in lists[u]] + [0] * (size - len(lists[u])) for u in shared])
    scores = np.tile(np.arange(size, 0, -1.0), (len(shared), 1))
    return {f"ndcg@{k}": ndcg_score(truth, scores, k=k), f"dcg@{k}": dcg_score(truth, scores, k=k)}


def ranx(lists, grades, k):
    from ranx import Qrels, Run, evaluate

    found = {f"p@{k}": f"precision@{k}", f"r@{k}": f"recall@{k}", f"ap@{k}": f"map@{k}", f"ndcg@{k}": f"ndcg@{k}", f"rr@{k}": f"mrr@{k}",
             f"hit@{k}": f"hit_rate@{k}", f"f@{k}": f"f1@{k}", "rprec": "r-precision", f"ndcg(gain=exp2)@{k}": f"ndcg_burges@{k}", f"dcg@{k}": f"dcg@{k}"}  # fmt: skip
    every = [grade for row in grades.values() for grade in row.values()]
    if max(every) < 2:  # it multiplies raw grades
        found["rbp(p=0.8,gain=binary)"] = "rbp.80"
    run = Run({user: scored(lists).get(user, {}) for user in grades})
    values = evaluate(Qrels(grades), run, list(found.values()))
    return {ours: values[name] for ours, name in found.items()}


def torchmetrics(lists, grades, k):
    import torch
    from torchmetrics import retrieval as tm

    users, scores, targets = [], [], []
    for n, (user, row) in enumerate(grades.items()):
        shown = lists.get(user, [])
        missed = [grade for item, grade in row.items() if item not in shown]
        fill = max(k, len(row)) - len(shown)  # a list shorter than k is filled with items that nobody wants
        gains = [row.get(item, 0) for item in shown] + [0] * max(fill, 0)
        # what the list lacks stands below it; a score that is not above 0 counts as not retrieved
        targets += gains + missed
        scores += [float(len(gains) - rank) for rank in range(len(gains))] + [
            -1.0 - rank for rank in range(len(missed))
        ]
        users += [n] * (len(gains) + len(missed))
    found = {f"ndcg@{k}": tm.RetrievalNormalizedDCG(top_k=k)}
    if max(targets) < 2:
        found |= {f"p@{k}": tm.RetrievalPrecision(top_k=k), f"r@{k}": tm.RetrievalRecall(top_k=k), f"ap@{k}": tm.RetrievalMAP(top_k=k),
                  f"rr@{k}": tm.RetrievalMRR(top_k=k), f"hit@{k}": tm.RetrievalHitRate(top_k=k), "rprec": tm.RetrievalRPrecision()}  # fmt: skip
    data = torch.tensor(scores), torch.tensor(targets)
    return {name: metric(*data, indexes=torch.tensor(users)) for name, metric in found.items()}


def lenskit_gains(lists, grades, k):
    from lenskit.data import ItemList
    from lenskit.metrics.ranking import NDCG

    metric = NDCG(n=k, gain="grade")
    values = [
        metric.measure_list(
            ItemList(item_ids=lists[user], ordered=True),
            ItemList(item_ids=list(row), grade=list(row.values())),
        )
        for user, row in grades.items()
        if user in lists
    ]
    return {f"ndcg(discount=jk)@{k}": np.nanmean(values)}


def spark_gains(lists, grades, k):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    jvm = session.sparkContext._jvm  # its Python class does not hand on the grades

    def java(values):
        made = jvm.java.util.ArrayList()
        for value in values:
            made.add(value)
        return made

    rows = []
    for user, row in grades.items():
        best = sorted(row.items(), key=lambda cell: -cell[1])  # it takes the truth in the order given
        if user in lists:
            columns = lists[user], [item for item, _ in best], [float(grade) for _, grade in best]
            rows.append(jvm.scala.Tuple3(*map(java, columns)))
    given = session.sparkContext._jsc.parallelize(java(rows), 1)
    return {f"ndcg(gain=exp2)@{k}": jvm.org.apache.spark.mllib.evaluation.RankingMetrics.of(given).ndcgAt(k)}


GRADED = {"pytrec_eval": pytrec_eval, "beir": beir, "ir_measures": ir_measures, "gdeval": gdeval, "sklearn": sklearn,
          "ranx": ranx, "torchmetrics": torchmetrics, "lenskit, gains": lenskit_gains, "spark, gains": spark_gains}  # fmt: skip
GRADED_PACKAGES = {"pytrec_eval": "pytrec_eval-terrier", "gdeval": "ir_measures", "sklearn": "scikit-learn",
                   "lenskit, gains": "lenskit", "spark, gains": "pyspark"}  # fmt: skip
