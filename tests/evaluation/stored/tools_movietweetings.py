"""Store what other tools compute for a small fixture and the bundled MovieTweetings lists: python tools_movietweetings.py [TOOL].

Without a tool all of them run: those below, those of graded_tools.py, and each preset that has a file beside
this one, with a function of its name.
Not all tools can live in one environment (each is installed with --no-deps beside NumPy, pandas, SciPy, scikit-learn, tqdm, Polars,
Numba or PyTorch): a tool that is not there keeps what tools_movietweetings.json holds of it.
"""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import sys
import types
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from graded_tools import GRADED, GRADED_PACKAGES

warnings.simplefilter("ignore")
HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[2] / "src/rankwell"
FILMS, PRESETS = PACKAGE / "data/movietweetings", PACKAGE / "evaluation/presets"
# a list of two, a user without a list, a user without truth, more relevant items than 5
FIXTURE = {"1": list("axbcy"), "2": list("de"), "3": list("xyzwv"), "5": list("abcde")}
FIXTURE_TRUTH = {"1": list("abcfghi"), "2": list("de"), "3": list("ab"), "4": list("ac")}


def rectools(lists, truth, k):
    from rectools.metrics import (
        MAP,
        MRR,
        NDCG,
        PAP,
        F1Beta,
        HitRate,
        PartialAUC,
        Precision,
        Recall,
        calc_metrics,
    )

    found = {"p": Precision(k), "r": Recall(k), "f": F1Beta(k), "ap": MAP(k), "ndcg": NDCG(k), "rr": MRR(k), "hit": HitRate(k),
             "pauc": PartialAUC(k), "pap": PAP(k), "r(denom=min_rk)": Precision(k, r_precision=True),
             "ap(denom=k)": MAP(k, divide_by_k=True), "ndcg(ideal=judged)": NDCG(k, divide_by_achievable=True)}  # fmt: skip
    names = {"user": "user_id", "item": "item_id"}
    shown = frame(lists).rename(columns=names)
    shown["rank"] = shown.groupby("user_id").cumcount() + 1
    values = calc_metrics(found, shown, frame(truth).rename(columns=names)[["user_id", "item_id"]])
    return at(k, values)


def rs_metrics(lists, truth, k):
    import rs_metrics as rs

    found = {"r": rs.recall, "ap": rs.mapr, "ndcg": rs.ndcg, "rr": rs.mrr, "hit": rs.hitrate}
    return at(k, {name: function(truth, lists, k) for name, function in found.items()})


def recmetrics(lists, truth, k):
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
    from importlib.metadata import files

    path = next(file for file in files("recmetrics") if str(file) == "recmetrics/metrics.py").locate()
    spec = importlib.util.spec_from_file_location("recmetrics_metrics", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shared = [user for user in truth if user in lists]
    shown = [lists[user] for user in shared]  # it divides by the length of a list
    every = [lists.get(user, []) for user in truth]
    return at(k, {"p": module.recommender_precision(shown, [truth[user] for user in shared]),
                  "r": module.recommender_recall(every, list(truth.values())),
                  "ap(denom=R)": module.mark(list(truth.values()), every, k)})  # fmt: skip


def jurity(lists, truth, k):
    from jurity.recommenders import RankingRecoMetrics as Metrics

    found = {"p": Metrics.Precision, "r": Metrics.Recall, "ap": Metrics.MAP, "ndcg": Metrics.NDCG}
    names = {"click_column": "rating", "k": k, "user_id_column": "user", "item_id_column": "item"}
    clicks = frame(truth).assign(rating=1)
    return at(k, {name: metric(**names).get_score(clicks, frame(lists)) for name, metric in found.items()})


def microsoft(lists, truth, k):
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
        "k": k,
    }
    found = {
        "p": ms.precision_at_k,
        "r": ms.recall_at_k,
        "ap": ms.map_at_k,
        "ap(denom=R)": ms.map,
        "ndcg": ms.ndcg_at_k,
    }
    values = {name: function(frame(truth), frame(lists), **names) for name, function in found.items()}
    return at(k, values)


def replay(lists, truth, k):
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
    values = {name: metric(k, **names)(frame(lists), frame(truth)) for name, metric in found.items()}
    return at(k, {name: next(iter(value.values())) for name, value in values.items()})


def recpack(lists, truth, k):
    from recpack.metrics import NDCGK, CalibratedRecallK, PrecisionK, RecallK, ReciprocalRankK
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
        row, where, what = zip(*cells, strict=True)
        return csr_matrix((what, (row, where)), shape=(len(users), len(items)))

    values = {}
    for name, metric in {"p": PrecisionK, "r": RecallK, "ndcg": NDCGK, "rr": ReciprocalRankK,
                         "r(denom=min_rk)": CalibratedRecallK}.items():  # fmt: skip
        made = metric(k)
        made.calculate(matrix(truth, lambda _: 1.0), matrix(lists, lambda n: 100.0 - n))
        values[name] = made.value
    return at(k, values)


def implicit(lists, truth, k):
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    users, items = sorted(truth), sorted({i for row in (*lists.values(), *truth.values()) for i in row})
    column = {i: n for n, i in enumerate(items)}
    cells = [(n, column[i]) for n, u in enumerate(users) for i in truth[u]]
    shape = len(users), len(items) + k
    test = csr_matrix((np.ones(len(cells)), tuple(zip(*cells, strict=True))), shape=shape)

    class Model:
        def recommend(self, ids, *_, N=k, **__):
            nobody = list(range(len(items), len(items) + N))  # items that nobody wants fill a short list
            rows = [([column[i] for i in lists.get(users[n], [])] + nobody)[:N] for n in ids]
            return np.array(rows, np.int32), np.tile(np.arange(N, 0, -1.0, np.float32), (len(rows), 1))

    found = ranking_metrics_at_k(Model(), test * 0, test, K=k, show_progress=False)
    return at(k, {"ap": found["map"], "ndcg": found["ndcg"]})


def recbole(lists, truth, k):
    import torch

    np.float = float  # noqa: NPY001 - as its trainer has it
    from recbole.evaluator import metrics
    from recbole.evaluator.collector import DataStruct

    hits = [[item in row for item in (lists.get(user, []) + [None] * k)[:k]] for user, row in truth.items()]
    collected = (
        DataStruct()
    )  # what its collector makes of scores: hits by rank, and the number of relevant items
    table = torch.cat([torch.tensor(hits).int(), torch.tensor([[len(row)] for row in truth.values()])], dim=1)
    collected.set("rec.topk", table)
    found = {"p": metrics.Precision, "r": metrics.Recall, "ap": metrics.MAP, "ndcg": metrics.NDCG, "rr": metrics.MRR,
             "hit": metrics.Hit}  # fmt: skip
    config = {"topk": [k], "metric_decimal_place": 12}
    values = {name: metric(config).calculate_metric(collected) for name, metric in found.items()}
    return at(k, {name: next(iter(value.values())) for name, value in values.items()})


def spark(lists, truth, k):
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    rows = [(lists[user], row) for user, row in truth.items() if user in lists]
    metrics = RankingMetrics(session.sparkContext.parallelize(rows, 1))
    found = {
        "p": metrics.precisionAt,
        "r": metrics.recallAt,
        "ap": metrics.meanAveragePrecisionAt,
        "ndcg": metrics.ndcgAt,
    }
    return {
        **at(k, {name: function(k) for name, function in found.items()}),
        "ap(denom=R)": metrics.meanAveragePrecision,
    }


def lenskit(lists, truth, k):
    from lenskit.data import ItemList, ItemListCollection
    from lenskit.metrics import MeasurementCollector
    from lenskit.metrics.ranking import NDCG, AveragePrecision, Hit, Precision, Recall, RecipRank

    found = {"p": Precision, "r": Recall, "ap": AveragePrecision, "ndcg": NDCG, "rr": RecipRank, "hit": Hit}
    shown, wanted = ItemListCollection(["user_id"]), ItemListCollection(["user_id"])
    for user, row in lists.items():
        if user in truth:  # without truth one of its metrics divides by 0
            shown.add(ItemList(item_ids=row, ordered=True), user_id=user)
    for user, row in truth.items():
        wanted.add(ItemList(item_ids=row), user_id=user)
    collector = MeasurementCollector()
    for name, metric in found.items():
        collector.add_metric(metric(n=k), label=name)
    values = collector.measure_run(shown, wanted).list_metrics.mean()
    return at(k, values.to_dict())


def frame(rows):
    """A table with a rating that falls with the rank."""
    cells = [(user, item, 100.0 - n) for user, row in rows.items() for n, item in enumerate(row)]
    return pd.DataFrame(cells, columns=["user", "item", "rating"])


def at(k, values):
    """The values by the metrics' names here, with their cut-off."""
    return {f"{name}@{k}": value for name, value in values.items()}


TOOLS = {"rectools": rectools, "rs_metrics": rs_metrics, "recmetrics": recmetrics, "jurity": jurity, "microsoft": microsoft,
         "replay": replay, "recpack": recpack, "implicit": implicit, "recbole": recbole, "spark": spark, "lenskit": lenskit}  # fmt: skip
PACKAGES = {
    "rs_metrics": "rs-metrics",
    "microsoft": "recommenders",
    "replay": "replay-rec",
    "spark": "pyspark",
    **GRADED_PACKAGES,
}


def alone(compute, *data):
    """The values of one call in a process of its own: one tool gives the numbers of its first call again."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return {name: float(value) for name, value in pool.apply(compute, data).items()}


def shown_lists(folder):
    for name in ("popular", "itemknn", "als", "random"):
        rows = pd.read_parquet(f"{folder}/{name}.parquet").sort_values(["user_id", "rank"])
        lists = rows.groupby("user_id")["item_id"].apply(list).to_dict()
        yield name, lists
        if name == "als":  # lists of 1 to 10 items, and every eleventh user without one
            yield (
                "als uneven",
                {user: lists[user][: n % 11] for n, user in enumerate(sorted(lists)) if n % 11},
            )


def by_user(rows, grades):
    """{user: {item: grade}}"""
    found = {}
    for user, item, grade in zip(rows["user_id"], rows["item_id"], grades, strict=True):
        found.setdefault(user, {})[item] = int(grade)
    return found


def cases(folder):
    """Lists, wanted items, and grades: those rated at all, those rated 8 or more, and grades 0 to 4."""
    table = pd.read_parquet(f"{folder}/test.parquet")
    scales = {
        "rel=0": table["rating"] >= 0,
        "rel=8": table["rating"] >= 8,
        "graded": (table["rating"] // 2 - 1).clip(lower=0),
    }
    for scale, grades in scales.items():
        wanted = table[grades > 0].groupby("user_id")["item_id"].apply(list).to_dict()
        for name, lists in shown_lists(folder):
            yield f"{name}, {scale}", lists, wanted, by_user(table, grades)


def beside():
    """The tools that have a file of their own, with a function of its name."""
    names = {path.stem for path in PRESETS.glob("*.toml")} & {path.stem for path in HERE.glob("*.py")}
    return {name: getattr(module_of(name), name) for name in sorted(names)}


def module_of(name):
    """The file of a tool, under another name than its own, which may be that of the tool's package."""
    spec = importlib.util.spec_from_file_location(f"stored_{name}", HERE / f"{name}.py")
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    sys.path[:] = [
        path for path in sys.path if Path(path).resolve() != HERE
    ]  # where files have the names of tools
    target = Path(__file__).with_suffix(".json")
    stored = json.loads(target.read_text(encoding="utf-8"))["tools"]
    fixture = {user: dict.fromkeys(row, 1) for user, row in FIXTURE_TRUTH.items()}
    tools = TOOLS | GRADED | beside()
    if unknown := {*sys.argv[1:]} - {*tools}:
        sys.exit(
            f"write {HERE}/NAME.py with a function NAME(lists, truth, k), and the preset NAME.toml, for NAME in {sorted(unknown)}"
        )
    for tool in sys.argv[1:] or tools:
        compute = tools[tool]
        is_graded = tool in GRADED
        try:
            first = alone(compute, FIXTURE, fixture if is_graded else FIXTURE_TRUTH, 5)
        except ImportError as error:
            print(f"{tool} stays as it is: {error}", file=sys.stderr)
            if tool in sys.argv:
                sys.exit(1)  # it was asked for
            continue
        values = {
            case: alone(compute, lists, grades if is_graded else wanted, 10)
            for case, lists, wanted, grades in cases(FILMS)
            if is_graded or not case.endswith("graded")
        }
        stored[tool] = {"version": version(PACKAGES.get(tool, tool)), "fixture": first, "values": values}
    out = {
        "script": "tests/evaluation/stored/tools_movietweetings.py",
        "tools": {tool: stored[tool] for tool in sorted(stored)},
    }
    target.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
