"""Print what other tools compute for the bundled MovieTweetings lists: python tools_movietweetings.py FOLDER.

Run in an environment that has them (installed with --no-deps beside NumPy, pandas, SciPy, scikit-learn, tqdm, Polars and Numba);
its output is tools_movietweetings.json. A tool that is not there is left out.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import types
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd

K = 10
warnings.simplefilter("ignore")


def rs_metrics(lists, truth):
    import rs_metrics as rs

    return {"r": rs.recall(truth, lists, K), "ap": rs.mapr(truth, lists, K), "ndcg": rs.ndcg(truth, lists, K),
            "rr": rs.mrr(truth, lists, K), "hit": rs.hitrate(truth, lists, K)}  # fmt: skip


def recmetrics(lists, truth):
    for name in (
        "matplotlib",
        "matplotlib.pyplot",
        "matplotlib.lines",
        "plotly",
        "plotly.graph_objects",
        "seaborn",
        "funk_svd",
    ):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["matplotlib.lines"].Line2D = None
    import importlib.util
    from importlib.metadata import files

    path = next(file for file in files("recmetrics") if str(file) == "recmetrics/metrics.py").locate()
    spec = importlib.util.spec_from_file_location("recmetrics_metrics", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shared = [user for user in truth if user in lists]
    return {"p": module.recommender_precision([lists[u] for u in shared], [truth[u] for u in shared])}


def jurity(lists, truth):
    from jurity.recommenders import RankingRecoMetrics as Metrics

    found = {"p": Metrics.Precision, "r": Metrics.Recall, "ap": Metrics.MAP, "ndcg": Metrics.NDCG}
    names = {"click_column": "rating", "k": K, "user_id_column": "user", "item_id_column": "item"}
    clicks = frame(truth).assign(rating=1)
    return {name: metric(**names).get_score(clicks, frame(lists)) for name, metric in found.items()}


def microsoft(lists, truth):
    for name in ("recommenders.datasets", "recommenders.datasets.pandas_df_utils"):
        sys.modules.setdefault(name, types.ModuleType(name))
    utils = sys.modules["recommenders.datasets.pandas_df_utils"]
    utils.has_columns = utils.has_same_base_dtype = lambda *_, **__: True
    utils.lru_cache_df = lambda **__: lambda function: function
    import recommenders.evaluation.python_evaluation as ms

    names = {
        "col_user": "user",
        "col_item": "item",
        "col_rating": "rating",
        "col_prediction": "rating",
        "k": K,
    }
    found = {"p": ms.precision_at_k, "r": ms.recall_at_k, "ap": ms.map_at_k, "ndcg": ms.ndcg_at_k}
    return {name: function(frame(truth), frame(lists), **names) for name, function in found.items()}


def replay(lists, truth):
    import replay.metrics as rp

    found = {
        "p": rp.Precision,
        "r": rp.Recall,
        "ap": rp.MAP,
        "ndcg": rp.NDCG,
        "rr": rp.MRR,
        "hit": rp.HitRate,
    }
    names = {"query_column": "user", "item_column": "item", "rating_column": "rating"}
    return {
        name: next(iter(metric(K, **names)(frame(lists), frame(truth)).values()))
        for name, metric in found.items()
    }


def recpack(lists, truth):
    from recpack.metrics import NDCGK, PrecisionK, RecallK, ReciprocalRankK
    from scipy.sparse import csr_matrix

    users, items = sorted(truth), sorted({i for row in (*lists.values(), *truth.values()) for i in row})
    place, column = {u: n for n, u in enumerate(users)}, {i: n for n, i in enumerate(items)}

    def matrix(rows, value):
        cells = [
            (place[u], column[i], value(n))
            for u, row in rows.items()
            if u in place
            for n, i in enumerate(row)
        ]
        at, where, what = zip(*cells, strict=True)
        return csr_matrix((what, (at, where)), shape=(len(users), len(items)))

    found = {}
    for name, metric in {"p": PrecisionK, "r": RecallK, "ndcg": NDCGK, "rr": ReciprocalRankK}.items():
        made = metric(K)
        made.calculate(matrix(truth, lambda _: 1.0), matrix(lists, lambda n: 100.0 - n))
        found[name] = made.value
    return found


def implicit(lists, truth):
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    users, items = sorted(truth), sorted({i for row in (*lists.values(), *truth.values()) for i in row})
    column = {i: n for n, i in enumerate(items)}
    cells = [(n, column[i]) for n, u in enumerate(users) for i in truth[u]]
    test = csr_matrix((np.ones(len(cells)), tuple(zip(*cells, strict=True))), shape=(len(users), len(items)))

    class Model:
        def recommend(self, ids, *_, N=K, **__):
            rows = [[column[i] for i in lists[users[n]][:N]] for n in ids]
            return np.array(rows, np.int32), np.tile(np.arange(N, 0, -1.0, np.float32), (len(rows), 1))

    found = ranking_metrics_at_k(Model(), test * 0, test, K=K, show_progress=False)
    return {"ap": float(found["map"]), "ndcg": float(found["ndcg"])}


def ranx(lists, truth):
    from ranx import Qrels, Run, evaluate

    run = Run({u: {i: float(100 - n) for n, i in enumerate(lists[u])} for u in truth})
    names = {
        "p": f"precision@{K}",
        "r": f"recall@{K}",
        "ap": f"map@{K}",
        "ndcg": f"ndcg@{K}",
        "rr": f"mrr@{K}",
        "hit": f"hit_rate@{K}",
        "f": f"f1@{K}",
    }
    found = evaluate(Qrels({u: dict.fromkeys(row, 1) for u, row in truth.items()}), run, list(names.values()))
    return {name: float(found[theirs]) for name, theirs in names.items()}


def frame(rows):
    """A table with a rating that falls with the rank."""
    cells = [(user, item, 100.0 - n) for user, row in rows.items() for n, item in enumerate(row)]
    return pd.DataFrame(cells, columns=["user", "item", "rating"])


TOOLS = {"rs_metrics": rs_metrics, "recmetrics": recmetrics, "jurity": jurity, "microsoft": microsoft, "replay": replay,
         "recpack": recpack, "implicit": implicit, "ranx": ranx}  # fmt: skip
PACKAGES = {"rs_metrics": "rs-metrics", "microsoft": "recommenders", "replay": "replay-rec"}


def alone(compute, data):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return {name: float(value) for name, value in pool.apply(compute, data).items()}


def main() -> None:
    folder = sys.argv[1]
    table = pd.read_parquet(f"{folder}/test.parquet")
    cases = {}
    for rel in (0, 8):
        wanted = table[table["rating"] >= rel]
        truth = wanted.groupby("user_id")["item_id"].apply(list).to_dict()
        for name in ("popular", "itemknn", "als", "random"):
            rows = pd.read_parquet(f"{folder}/{name}.parquet").sort_values(["user_id", "rank"])
            cases[f"{name}, rel={rel}"] = rows.groupby("user_id")["item_id"].apply(list).to_dict(), truth
    out = {}
    for tool, compute in TOOLS.items():
        try:
            # each in a process of its own: one of them gives the numbers of its first call again
            values = {case: alone(compute, data) for case, data in cases.items()}
        except ImportError as error:
            print(f"{tool} is left out: {error}", file=sys.stderr)
            continue
        out[tool] = {"version": version(PACKAGES.get(tool, tool)), "values": values}
    print(
        json.dumps({"script": "tests/compat/stored/tools_movietweetings.py", "k": K, "tools": out}, indent=1)
    )


if __name__ == "__main__":
    main()
