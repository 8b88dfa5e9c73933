"""What one tool says of a fixture, for each metric of its preset: in the tool's environment.

Called as `peer_presets.py TOOL fixture.json` it prints {"version": …, "values": {case: {metric: number or error}}, "given":
{metric: [what was taken out]}}. Only the standard library is imported above the tools, so that the tests read the fixture with the same
class.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Case:
    """Lists in their order with scores, grades, rows of train, and items with topics; ids are all text or all whole numbers."""

    k: int
    lists: dict[Any, list[tuple[Any, float]]]
    grades: dict[Any, dict[Any, int]]
    train: dict[Any, list[Any]]
    topics: dict[Any, list[str]]

    @classmethod
    def of(cls, data: dict[str, Any]) -> Case:
        """Return a case of the file."""
        lists = {user: [(item, score) for item, score in rows] for user, rows in data["lists"]}
        grades = {user: dict(map(tuple, rows)) for user, rows in data["grades"]}
        return cls(
            data["k"], lists, grades, dict(map(tuple, data["train"])), dict(map(tuple, data["topics"]))
        )

    @property
    def items(self) -> dict[Any, list[Any]]:
        """The lists without scores."""
        return {user: [item for item, _ in rows] for user, rows in self.lists.items()}

    @property
    def top(self) -> dict[Any, list[Any]]:
        """The first k of the lists, without scores."""
        return {user: rows[: self.k] for user, rows in self.items.items()}

    @property
    def truth(self) -> dict[Any, list[Any]]:
        """What users want: items with a grade above 0."""
        wanted = {
            user: [item for item, grade in row.items() if grade > 0] for user, row in self.grades.items()
        }
        return {user: row for user, row in wanted.items() if row}

    @property
    def counts(self) -> dict[Any, int]:
        """The number of train rows of each item."""
        found: dict[Any, int] = {}
        for row in self.train.values():
            for item in row:
                found[item] = found.get(item, 0) + 1
        return found

    def given(self, names: Iterable[str]) -> Case:
        """Return what a tool is given that does not take all of a case."""
        case = self
        for name in names:
            case = getattr(case, name)()
        return case

    def of_users(self, users: Iterable[Any], judged: Iterable[Any] | None = None) -> Case:
        """Only the lists of some users, and only the grades of the same or of others."""
        kept = set(users)
        known = kept if judged is None else set(judged)
        lists = {user: rows for user, rows in self.lists.items() if user in kept}
        return replace(
            self, lists=lists, grades={user: row for user, row in self.grades.items() if user in known}
        )

    def text(self) -> Case:
        """Ids that are numbers as text."""
        if all(isinstance(user, str) for user in self.lists):
            return self
        return Case(
            self.k,
            {str(user): [(str(item), score) for item, score in rows] for user, rows in self.lists.items()},
            {
                str(user): {str(item): grade for item, grade in row.items()}
                for user, row in self.grades.items()
            },
            {str(user): list(map(str, row)) for user, row in self.train.items()},
            {str(item): topics for item, topics in self.topics.items()},
        )

    def numbers(self) -> Case:
        """Users that are text as numbers."""
        place = {user: n for n, user in enumerate(dict.fromkeys([*self.lists, *self.grades, *self.train]), 1)}
        of = [
            {place[user]: row for user, row in rows.items()} for rows in (self.lists, self.grades, self.train)
        ]
        return Case(self.k, *of, self.topics)

    def untied(self) -> Case:
        """No two scores of a list alike."""
        lists = {
            user: [(item, 100.0 - n) for n, (item, _) in enumerate(rows)] for user, rows in self.lists.items()
        }
        return replace(self, lists=lists)

    def filled(self) -> Case:
        """No empty list."""
        return self.of_users([user for user, rows in self.lists.items() if rows], self.grades)

    def long(self) -> Case:
        """No list shorter than k, and no user without one."""
        return self.of_users(user for user, rows in self.lists.items() if len(rows) >= self.k)

    def meant(self) -> Case:
        """No empty list of a user who wants nothing."""
        return self.of_users(
            [user for user, rows in self.lists.items() if rows or user in self.truth], self.grades
        )

    def several(self) -> Case:
        """No list of one item."""
        return self.of_users([user for user, rows in self.lists.items() if len(rows) != 1], self.grades)

    def met(self) -> Case:
        """Only users who have both a list and judgements."""
        return self.of_users(self.lists.keys() & self.grades.keys())

    def wanting(self) -> Case:
        """Only users who have both a list and an item that they want."""
        return self.of_users(self.lists.keys() & self.truth.keys())

    def answered(self) -> Case:
        """No judged user without a list."""
        return self.of_users(self.lists, self.lists.keys() & self.grades.keys())

    def judged(self) -> Case:
        """No list of a user without judgements."""
        return self.of_users(self.lists.keys() & self.grades.keys(), self.grades)

    def seen(self) -> Case:
        """No listed item that is not in train."""
        lists = {user: [row for row in rows if row[0] in self.counts] for user, rows in self.lists.items()}
        return replace(self, lists=lists)

    def rows(self) -> Case:
        """Only rows that are listed, each judged: what is not is 0; and no empty list."""
        lists = {user: rows for user, rows in self.lists.items() if rows}
        grades = {
            user: {item: self.grades.get(user, {}).get(item, 0) for item, _ in rows}
            for user, rows in lists.items()
        }
        return replace(self, lists=lists, grades=grades)

    def binary(self) -> Case:
        """Grades of 0 and 1."""
        grades = {
            user: {item: min(grade, 1) for item, grade in row.items()} for user, row in self.grades.items()
        }
        return replace(self, grades=grades)

    def described(self) -> Case:
        """No listed item without topics."""
        lists = {user: [row for row in rows if self.topics[row[0]]] for user, rows in self.lists.items()}
        return replace(self, lists=lists)


Computed = dict[str, Callable[[], Any]]


def frame(rows: dict[Any, list[Any]], names: tuple[str, str] = ("user", "item")) -> Any:
    """A table of users and items."""
    import pandas as pd

    return pd.DataFrame([(user, item) for user, row in rows.items() for item in row], columns=list(names))


def scored(case: Case) -> Any:
    """A table of users, items and scores."""
    import pandas as pd

    cells = [(user, item, score) for user, rows in case.lists.items() for item, score in rows]
    return pd.DataFrame(cells, columns=["user", "item", "rating"])


def features(case: Case) -> Any:
    """A table of zeros and ones: items by topics."""
    import pandas as pd

    every = sorted({topic for row in case.topics.values() for topic in row})
    cells = [[float(topic in row) for topic in every] for row in case.topics.values()]
    return pd.DataFrame(cells, index=pd.Index(list(case.topics), name="item"), columns=every)


def at(k: int, found: Computed) -> Computed:
    """The names with the cut-off."""
    return {f"{name}@{k}": compute for name, compute in found.items()}


def rectools(case: Case) -> Computed:
    from rectools import metrics as rt
    from rectools.metrics.distances import PairwiseHammingDistanceCalculator

    k, names = case.k, ("user_id", "item_id")
    lists, test, train = frame(case.items, names), frame(case.truth, names), frame(case.train, names)
    lists["rank"] = lists.groupby("user_id").cumcount() + 1
    judged = {"p": rt.Precision, "r": rt.Recall, "ap": rt.MAP, "ndcg": rt.NDCG, "rr": rt.MRR, "hit": rt.HitRate, "f": rt.F1Beta,
              "pauc": rt.PartialAUC, "pap": rt.PAP}  # fmt: skip
    found: Computed = {
        name: lambda metric=metric: metric(k=k).calc(lists, test) for name, metric in judged.items()
    }
    hamming = PairwiseHammingDistanceCalculator(features(case))
    found |= {
        "msi": lambda: rt.MeanInvUserFreq(k=k).calc(lists, train),
        "arp": lambda: rt.AvgRecPopularity(k=k).calc(lists, train),
        "serendipity": lambda: rt.Serendipity(k=k).calc(lists, test, train, list(case.topics)),
        "ild": lambda: rt.IntraListDiversity(k=k, distance_calculator=hamming).calc(lists),
        "coverage": lambda: rt.CatalogCoverage(k=k, normalize=True).calc(lists, list(case.topics)),
        "user_coverage": lambda: rt.CoveredUsers(k=k).calc(lists, test),
    }
    return at(k, found | {"serendipity_murakami": found["serendipity"]})


def microsoft(case: Case) -> Computed:
    import pandas as pd

    # its package imports a downloader of data and more; the cache of its functions hands out the number of another table
    folder = Path(next(iter(__import__("recommenders").__path__))) / "datasets"
    package = types.ModuleType("recommenders.datasets")
    package.__path__ = [str(folder)]
    sys.modules["recommenders.datasets"] = package
    import recommenders.evaluation.python_evaluation as ms

    names = {"col_user": "user", "col_item": "item"}
    ranked = names | {"col_prediction": "rating", "k": case.k}
    lists, test, train = scored(case), frame(case.truth).assign(rating=1.0), frame(case.train)
    rated = pd.DataFrame(
        [(user, item, float(grade)) for user, row in case.grades.items() for item, grade in row.items()],
        columns=["user", "item", "rating"],
    )
    guessed = lists.rename(columns={"rating": "prediction"})
    of_ratings = names | {"col_rating": "rating", "col_prediction": "prediction"}
    top = frame(case.top)
    wanted = {(user, item) for user, row in case.truth.items() for item in row}
    relevant = top.assign(
        relevance=[float(pair in wanted) for pair in zip(top["user"], top["item"], strict=True)]
    )
    table = features(case)
    known = [
        item for item in case.topics if case.topics[item]
    ]  # a vector of zeros makes its cosines no number
    vectors = pd.DataFrame({"item": known, "features": [table.loc[item].to_numpy(float) for item in known]})
    alike = {
        "item_feature_df": vectors,
        "item_sim_measure": "item_feature_vector",
        "col_item_features": "features",
        "col_sim": "sim",
    }
    found: Computed = {
        "p": lambda: ms.precision_at_k(test, lists, **ranked),
        "r": lambda: ms.recall_at_k(test, lists, **ranked),
        "ap": lambda: ms.map_at_k(test, lists, **ranked),
        "ndcg": lambda: ms.ndcg_at_k(test, lists, col_rating="rating", **ranked),
        "coverage": lambda: ms.catalog_coverage(train, top, **names),
        "entropy": lambda: ms.distributional_coverage(train, top, **names),
        "self_information": lambda: ms.novelty(train, top, **names),
        "ild": lambda: ms.diversity(train, top, **alike, **names),
        "surprise": lambda: ms.serendipity(train, relevant, col_relevance="relevance", **alike, **names),
    }
    return at(case.k, found) | {
        "rmse": lambda: ms.rmse(rated, guessed, **of_ratings),
        "mae": lambda: ms.mae(rated, guessed, **of_ratings),
        "r2": lambda: ms.rsquared(rated, guessed, **of_ratings),
        "explained_variance": lambda: ms.exp_var(rated, guessed, **of_ratings),
    }


def lenskit(case: Case) -> Computed:
    import pandas as pd
    from lenskit.data import ItemList, ItemListCollection, from_interactions_df
    from lenskit.metrics import ListGini, RunAnalysis
    from lenskit.metrics.ranking import NDCG, AveragePrecision, Hit, MeanPopRank, Precision, Recall, RecipRank

    lists, test = ItemListCollection(["user_id"]), ItemListCollection(["user_id"])
    for user, row in case.items.items():
        lists.add(ItemList(item_ids=row, ordered=True), user_id=user)
    for user, row in case.truth.items():
        test.add(ItemList(item_ids=row), user_id=user)

    def value(metric: Any, of_all: bool = False) -> float:
        analysis = RunAnalysis()
        analysis.add_metric(metric, label="it")
        found = analysis.measure(lists, test)
        return found.global_metrics()["it"] if of_all else found.list_summary().loc["it", "mean"]

    data = from_interactions_df(frame(case.train, ("user_id", "item_id")))
    k, catalogue = case.k, pd.DataFrame({"item_id": list(case.topics)})
    judged = {"p": Precision, "r": Recall, "ap": AveragePrecision, "ndcg": NDCG, "rr": RecipRank, "hit": Hit}
    found: Computed = {name: lambda metric=metric: value(metric(n=k)) for name, metric in judged.items()}
    found |= {
        "gini": lambda: value(ListGini(n=k, items=len(catalogue)), of_all=True),
        "mean_pop_rank": lambda: value(MeanPopRank(data, n=k)),
    }
    return at(k, found)


def recbole(case: Case) -> Computed:
    import numpy as np
    import torch

    np.float = float  # type: ignore[attr-defined]  # noqa: NPY001 - as its trainer has it
    from recbole.evaluator import metrics
    from recbole.evaluator.collector import DataStruct

    # what its collector makes of scores and its data set holds: users are those of test, items are numbered from 1
    place, k, truth = {item: n for n, item in enumerate(case.topics, 1)}, case.k, case.truth
    hits = [[item in row for item in case.top[user]] + [len(row)] for user, row in truth.items()]
    given = DataStruct()
    given.set("rec.topk", torch.tensor(hits).int())
    given.set("rec.items", torch.tensor([[place[item] for item in case.top[user]] for user in truth]))
    given.set("data.num_items", len(place))
    given.set("data.count_items", {place[item]: count for item, count in case.counts.items()})
    config = {"topk": [k], "metric_decimal_place": 15}
    names = {"p": "Precision", "r": "Recall", "ap": "MAP", "ndcg": "NDCG", "rr": "MRR", "hit": "Hit", "coverage": "ItemCoverage",
             "arp": "AveragePopularity", "gini": "GiniIndex"}  # fmt: skip

    def value(name: str) -> float:
        return next(iter(getattr(metrics, name)(config).calculate_metric(given).values()))

    return at(k, {ours: lambda name=name: value(name) for ours, name in names.items()})


def recpack(case: Case) -> Computed:
    import numpy as np
    from recpack import metrics as rp
    from scipy.sparse import csr_matrix

    users = sorted({*case.lists, *case.grades}, key=str)
    row, column = {user: n for n, user in enumerate(users)}, {item: n for n, item in enumerate(case.topics)}
    shape = len(users), len(column)

    def matrix(cells: list[tuple[Any, Any, float]]) -> Any:
        where = [row[user] for user, _, _ in cells], [column[item] for _, item, _ in cells]
        return csr_matrix(([value for *_, value in cells], where), shape=shape)

    truth = matrix([(user, item, 1.0) for user, wanted in case.truth.items() for item in wanted])
    # a cell that holds 0 is an item that is not listed
    lists = matrix([(user, item, 1.0 + score) for user, rows in case.lists.items() for item, score in rows])

    def value(metric: Any, features: Any = None) -> float:
        if features is not None:
            metric.fit(features)
        metric.calculate(truth, lists)
        return float(metric.value)

    judged = {
        "p": rp.PrecisionK,
        "r": rp.RecallK,
        "ndcg": rp.NDCGK,
        "rr": rp.ReciprocalRankK,
        "coverage": rp.CoverageK,
    }
    found: Computed = {name: lambda metric=metric: value(metric(case.k)) for name, metric in judged.items()}
    of_items = csr_matrix(features(case).to_numpy(dtype=np.bool_))
    return at(case.k, found | {"ild": lambda: value(rp.IntraListDiversityK(case.k), of_items)})


def recmetrics(case: Case) -> Computed:
    import numpy as np
    from recmetrics import metrics as rm

    k, truth, top = case.k, case.truth, case.top
    rows, users = list(top.values()), len(case.train)
    both = [user for user in truth if user in top]
    each = [top.get(user, []) for user in truth]
    pairs = [(float(case.grades[user][item]), score) for user, row in case.lists.items() for item, score in row
             if item in case.grades.get(user, ())]  # fmt: skip
    given, guess = (np.array(column) for column in zip(*pairs, strict=True))
    return at(k, {
        "p": lambda: rm.recommender_precision([top[user] for user in both], [truth[user] for user in both]),
        "r": lambda: rm.recommender_recall(each, list(truth.values())),
        "personalization": lambda: rm.personalization(rows),
        "ils": lambda: rm.intra_list_similarity(rows, features(case)),
        "msi": lambda: rm.novelty(rows, case.counts, users, k)[0],
        "coverage": lambda: rm.prediction_coverage(rows, list(case.topics)) / 100,  # it says percent
    }) | {"rmse": lambda: rm.rmse(given, guess), "mse": lambda: rm.mse(given, guess)}  # fmt: skip


def implicit(case: Case) -> Computed:
    import numpy as np
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    k, truth, items = case.k, case.truth, case.items
    users, column = list(truth), {item: n for n, item in enumerate(case.topics)}
    cells = [(n, column[item]) for n, user in enumerate(users) for item in truth[user]]
    shape = len(users), len(column) + k
    test = csr_matrix((np.ones(len(cells)), tuple(zip(*cells, strict=True))), shape=shape)

    class Model:
        """What it asks of a model: items that nobody wants fill a short list."""

        def recommend(self, ids: Any, *_: Any, N: int = k, **__: Any) -> Any:
            nobody = list(range(len(column), len(column) + N))
            rows = [([column[item] for item in items.get(users[n], [])] + nobody)[:N] for n in ids]
            return np.array(rows, np.int32), np.tile(np.arange(N, 0, -1.0, np.float32), (len(rows), 1))

    def value(name: str) -> float:
        return ranking_metrics_at_k(Model(), test * 0, test, K=k, show_progress=False)[name]

    return at(k, {"ap": lambda: value("map"), "ndcg": lambda: value("ndcg")})


def replay(case: Case) -> Computed:
    import replay.metrics as rp

    names = {"query_column": "user", "item_column": "item", "rating_column": "rating"}
    lists, test = scored(case), frame(case.truth)
    judged = {
        "p": rp.Precision,
        "r": rp.Recall,
        "ap": rp.MAP,
        "ndcg": rp.NDCG,
        "rr": rp.MRR,
        "hit": rp.HitRate,
    }

    def value(metric: Any) -> float:
        return next(iter(metric(case.k, **names)(lists, test).values()))

    return at(case.k, {name: lambda metric=metric: value(metric) for name, metric in judged.items()})


def rs_metrics(case: Case) -> Computed:
    import rs_metrics as rs

    judged = {"r": rs.recall, "ap": rs.mapr, "ndcg": rs.ndcg, "rr": rs.mrr, "hit": rs.hitrate}
    found: Computed = {name: lambda of=of: of(case.truth, case.items, case.k) for name, of in judged.items()}
    train = frame(case.train)
    return at(case.k, found | {
        "coverage": lambda: rs.coverage(list(case.topics), case.items, case.k),
        "msi": lambda: rs.surprisal(train, case.items, case.k, user_col="user", item_col="item"),
    })  # fmt: skip


def jurity(case: Case) -> Computed:
    from jurity.recommenders import InterListDiversity, IntraListDiversity
    from jurity.recommenders import RankingRecoMetrics as Metrics

    names = {"click_column": "rating", "k": case.k, "user_id_column": "user", "item_id_column": "item"}
    lists, clicks = scored(case), frame(case.truth).assign(rating=1)
    judged = {"p": Metrics.Precision, "r": Metrics.Recall, "ap": Metrics.MAP, "ndcg": Metrics.NDCG}
    found: Computed = {
        name: lambda metric=metric: metric(**names).get_score(clicks, lists)
        for name, metric in judged.items()
    }
    apart = InterListDiversity(**names, user_sample_size=None)
    found["personalization"] = lambda: apart.get_score(None, lists.copy())

    def inside() -> float:
        made = IntraListDiversity(features(case).reset_index(), **names, user_sample_size=None, num_runs=1)
        return made.get_score(None, lists.copy())

    return at(case.k, found | {"ild": inside})


def torchmetrics(case: Case) -> Computed:
    import torch
    from torchmetrics import retrieval as tm

    k, users, scores, targets = case.k, [], [], []
    for n, (user, row) in enumerate(case.grades.items()):
        shown = case.lists.get(user, [])
        least = min((score for _, score in shown), default=1.0)
        # what the list lacks stands below it; a score that is not above 0 counts as not retrieved
        # so a short list is filled with items that nobody wants
        filling = max(k, len(row)) - len(shown)
        cells = [(1.0 + score - min(least, 0.0), row.get(item, 0)) for item, score in shown]
        cells += [(1.0 / (2 + place), 0) for place in range(filling)]
        missed = [grade for item, grade in row.items() if item not in dict(shown)]
        cells += [(-1.0 - place, grade) for place, grade in enumerate(missed)]
        users += [n] * len(cells)
        scores += [score for score, _ in cells]
        targets += [grade for _, grade in cells]
    index, score, grades = (
        torch.tensor(users),
        torch.tensor(scores, dtype=torch.float64),
        torch.tensor(targets),
    )
    judged = {
        "p": tm.RetrievalPrecision,
        "r": tm.RetrievalRecall,
        "ap": tm.RetrievalMAP,
        "rr": tm.RetrievalMRR,
        "hit": tm.RetrievalHitRate,
    }

    def value(metric: Any, target: Any) -> float:
        return float(metric(score, target, indexes=index))

    found: Computed = {
        name: lambda metric=metric: value(metric(top_k=k), grades > 0) for name, metric in judged.items()
    }
    found["ndcg"] = lambda: value(tm.RetrievalNormalizedDCG(top_k=k), grades)
    return at(k, found) | {"rprec": lambda: value(tm.RetrievalRPrecision(), grades > 0)}


def sklearn(case: Case) -> Computed:
    import numpy as np
    from sklearn.metrics import dcg_score, ndcg_score

    users = [user for user in case.lists if user in case.grades]
    size = max(len(case.lists[user]) for user in users)

    def row(of: list[float], rest: float) -> list[float]:
        return of + [rest] * (size - len(of))  # a short list is filled with items that nobody wants

    grades = np.array(
        [row([case.grades[user].get(item, 0) for item, _ in case.lists[user]], 0) for user in users]
    )
    scores = np.array([row([score for _, score in case.lists[user]], -1.0) for user in users])
    k = case.k
    return at(
        k, {"ndcg": lambda: ndcg_score(grades, scores, k=k), "dcg": lambda: dcg_score(grades, scores, k=k)}
    )


Columns = tuple[list[float], list[float], list[int]]


def grouped(case: Case) -> Columns:
    """The labels, the scores and the group sizes of learning to rank."""
    cells = [(case.grades[user][item], score) for user, rows in case.lists.items() for item, score in rows]
    labels, scores = ([float(value) for value in column] for column in zip(*cells, strict=True))
    return labels, scores, [len(rows) for rows in case.lists.values()]


def xgboost(case: Case) -> Computed:
    import numpy as np
    import xgboost as xgb

    labels, scores, sizes = grouped(case)
    data = xgb.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=np.array(scores))
    data.set_group(sizes)

    def value(metric: str) -> float:
        asked = {"objective": "rank:ndcg", "eval_metric": f"{metric}@{case.k}"}
        return float(xgb.train(asked, data, num_boost_round=0).eval(data).rpartition(":")[2])

    names = {"p": "pre", "ap": "map", "ndcg": "ndcg"}
    return at(case.k, {ours: lambda name=name: value(name) for ours, name in names.items()})


def lightgbm(case: Case) -> Computed:
    import lightgbm as lgb
    import numpy as np

    labels, scores, sizes = grouped(case)

    def value(metric: str) -> float:
        # a feature that is always 0 has no split, so that the model says what it began with
        data = lgb.Dataset(np.zeros((len(labels), 1)), label=labels, group=sizes, init_score=np.array(scores))
        said: dict[str, Any] = {}
        asked = {"objective": "lambdarank", "metric": metric, "eval_at": [case.k], "verbose": -1}
        lgb.train(asked, data, 1, valid_sets=[data], callbacks=[lgb.record_evaluation(said)])
        return said["training"][f"{metric}@{case.k}"][0]

    return at(case.k, {"ap": lambda: value("map"), "ndcg": lambda: value("ndcg")})


def catboost(case: Case) -> Computed:
    from catboost.utils import eval_metric

    labels, scores, sizes = grouped(case)
    groups = [n for n, size in enumerate(sizes) for _ in range(size)]

    def value(metric: str) -> float:
        return eval_metric(labels, scores, f"{metric}:top={case.k}", group_id=groups)[0]

    names = {"p": "PrecisionAt", "r": "RecallAt", "ap": "MAP", "rr": "MRR", "ndcg": "NDCG", "dcg": "DCG"}
    return at(case.k, {ours: lambda name=name: value(name) for ours, name in names.items()})


def pairs(case: Case) -> list[tuple[list[Any], list[Any]]]:
    """What each user was shown within k, and wants; also where nothing was shown or is wanted."""
    users = dict.fromkeys([*case.lists, *case.truth])
    return [(case.top.get(user, []), case.truth.get(user, [])) for user in users]


def mean(values: Iterable[float]) -> float:
    """The mean of the values that are numbers."""
    numbers = [value for value in values if not math.isnan(value)]
    return math.fsum(numbers) / len(numbers)


def mlflow(case: Case) -> Computed:
    import pandas as pd
    from mlflow import metrics as ml

    shown, wanted = (pd.Series(list(column)) for column in zip(*pairs(case.text()), strict=True))

    def value(metric: Any) -> float:
        return metric(case.k).eval_fn(shown, wanted).aggregate_results["mean"]

    names = {"p": ml.precision_at_k, "r": ml.recall_at_k, "ndcg": ml.ndcg_at_k}
    return at(case.k, {ours: lambda metric=metric: value(metric) for ours, metric in names.items()})


def llamaindex(case: Case) -> Computed:
    from llama_index.core.evaluation.retrieval import metrics as li

    def value(metric: Any) -> float:
        return mean(
            metric.compute(expected_ids=wanted, retrieved_ids=shown).score
            for shown, wanted in pairs(case.text())
        )

    names = {
        "p": li.Precision,
        "r": li.Recall,
        "ap": li.AveragePrecision,
        "ndcg": li.NDCG,
        "rr": li.MRR,
        "hit": li.HitRate,
    }
    return at(case.k, {ours: lambda metric=metric: value(metric()) for ours, metric in names.items()})


def haystack(case: Case) -> Computed:
    from haystack import Document
    from haystack.components import evaluators as hs

    case = case.text()
    users = dict.fromkeys([*case.lists, *case.grades])

    def documents(items: list[str], grades: dict[str, int]) -> list[Any]:
        return [Document(id=item, content=item, score=grades.get(item)) for item in items]

    shown = [documents(case.top.get(user, []), {}) for user in users]
    wanted = [documents(case.truth.get(user, []), case.grades.get(user, {})) for user in users]

    def value(metric: Any, **said: Any) -> float:
        return metric(document_comparison_field="id", **said).run(wanted, shown)["score"]

    return at(case.k, {
        "r": lambda: value(hs.DocumentRecallEvaluator, mode="multi_hit"),
        "hit": lambda: value(hs.DocumentRecallEvaluator),
        "ap": lambda: value(hs.DocumentMAPEvaluator),
        "rr": lambda: value(hs.DocumentMRREvaluator),
        "ndcg": lambda: value(hs.DocumentNDCGEvaluator),
    })  # fmt: skip


def trulens(case: Case) -> Computed:
    from trulens.feedback.groundtruth import GroundTruthAgreement
    from trulens.feedback.llm_provider import LLMProvider

    class Nobody(LLMProvider):  # it asks for a model, which none of these numbers needs
        def _create_chat_completion(self, *_: Any, **__: Any) -> str:
            raise NotImplementedError

    case = case.text()
    golden = [
        {"query": user, "expected_response": "", "expected_chunks": [{"text": item, "expect_score": case.grades[user][item]} for item in wanted]}
        for user, wanted in case.truth.items()
    ]  # fmt: skip
    agreement = GroundTruthAgreement(golden, provider=Nobody(model_engine="none"))

    def value(name: str, cut: bool) -> float:
        # a user without a list is shown nothing; one who wants nothing has no number
        lists = {user: case.items.get(user, []) for user in dict.fromkeys([*case.lists, *case.grades])}
        if not cut:
            return mean(getattr(agreement, name)(user, items[: case.k]) for user, items in lists.items())
        return mean(getattr(agreement, name)(user, items, k=case.k) for user, items in lists.items())

    names = {
        "p": "precision_at_k",
        "r": "recall_at_k",
        "ndcg": "ndcg_at_k",
        "hit": "ir_hit_rate",
        "rr": "mrr",
    }
    return at(case.k, {ours: lambda name=name: value(name, name != "mrr") for ours, name in names.items()})


def deepeval(case: Case) -> Computed:
    from deepeval.metrics import ContextualPrecisionMetric
    from deepeval.metrics.contextual_precision.schema import ContextualPrecisionVerdict as Verdict

    def of_list(shown: list[Any], wanted: list[Any]) -> float:
        metric = ContextualPrecisionMetric.__new__(
            ContextualPrecisionMetric
        )  # without the model that gives verdicts
        metric.strict_mode, metric.threshold = False, 0.5
        metric.verdicts = [Verdict(verdict="yes" if item in wanted else "no", reason="") for item in shown]
        return metric._calculate_score()  # noqa: SLF001 - verdicts are given, no model is asked

    return at(case.k, {"ap": lambda: mean(of_list(*pair) for pair in pairs(case))})


def ragas(case: Case) -> Computed:
    from ragas import SingleTurnSample
    from ragas.metrics import (
        IDBasedContextPrecision,
        IDBasedContextRecall,
        LLMContextPrecisionWithReference,
    )
    from ragas.metrics._context_precision import Verification

    case = case.text()

    def of_sets(metric: Any) -> float:
        return mean(
            metric.single_turn_score(
                SingleTurnSample(retrieved_context_ids=shown, reference_context_ids=wanted)
            )
            for shown, wanted in pairs(case)
        )

    def of_verdicts() -> float:
        of_list = LLMContextPrecisionWithReference()._calculate_average_precision  # noqa: SLF001 - as above
        return mean(
            of_list([Verification(reason="", verdict=item in wanted) for item in shown])
            for shown, wanted in pairs(case)
        )

    return at(case.k, {
        "p": lambda: of_sets(IDBasedContextPrecision()), "r": lambda: of_sets(IDBasedContextRecall()), "ap": of_verdicts
    })  # fmt: skip


def runs(case: Case) -> dict[str, dict[str, float]]:
    """The lists as {query: {item: score}}."""
    return {user: dict(rows) for user, rows in case.lists.items()}


def ranx(case: Case) -> Computed:
    from ranx import Qrels, Run, evaluate

    k = case.k
    names = {f"p@{k}": f"precision@{k}", f"r@{k}": f"recall@{k}", f"f@{k}": f"f1@{k}", f"ap@{k}": f"map@{k}", f"ndcg@{k}": f"ndcg@{k}",
             f"rr@{k}": f"mrr@{k}", f"hit@{k}": f"hit_rate@{k}", "rprec": "r-precision", f"dcg@{k}": f"dcg@{k}", "bpref": "bpref",
             "ap": "map", "ndcg": "ndcg", "rbp(p=0.8)": "rbp.80"}  # fmt: skip

    def value(name: str) -> float:
        # without make_comparable it refuses a query that the other side lacks
        return evaluate(Qrels(case.grades), Run(runs(case)), name, make_comparable=True)

    return {ours: lambda name=name: value(name) for ours, name in names.items()}


def ir_measures(case: Case) -> Computed:
    import ir_measures as ir

    k = case.k
    names = {f"p@{k}": f"P@{k}", f"r@{k}": f"R@{k}", f"ap@{k}": f"AP@{k}", "ap": "AP", f"ndcg@{k}": f"nDCG@{k}", "ndcg": "nDCG",
             "rr": "RR", f"rr@{k}": f"RR@{k}", f"hit@{k}": f"Success@{k}", "rprec": "Rprec", "bpref": "Bpref", f"err@{k}": f"ERR@{k}",
             "set_f": "SetF", f"judged@{k}": f"Judged@{k}"}  # fmt: skip

    def value(name: str) -> float:
        measure = ir.parse_measure(name)
        return ir.calc_aggregate([measure], case.grades, runs(case))[measure]

    return {ours: lambda name=name: value(name) for ours, name in names.items()}


def gdeval(case: Case) -> Computed:
    import ir_measures as ir

    program = Path(ir.__file__).parent / "bin" / "gdeval.pl"

    def value(column: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            qrels, run = Path(folder) / "qrels", Path(folder) / "run"
            qrels.write_text(
                "".join(f"{u} 0 {i} {g}\n" for u, row in case.grades.items() for i, g in row.items())
            )
            run.write_text("".join(f"{u} Q0 {i} 1 {s} t\n" for u, row in case.lists.items() for i, s in row))
            words = ["perl", str(program), str(qrels), str(run), str(case.k)]
            lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[1:]
        values = [float(line.split(",")[column]) for line in lines]  # runid, topic, ndcg, err
        return math.fsum(values) / len(values)

    return at(case.k, {"ndcg": lambda: value(2), "err": lambda: value(3)})


def pytrec_eval(case: Case) -> Computed:
    import pytrec_eval as pte

    k = case.k
    names = {f"p@{k}": f"P_{k}", f"r@{k}": f"recall_{k}", f"ap@{k}": f"map_cut_{k}", "ap": "map", "gmap": "gm_map",
             f"ndcg@{k}": f"ndcg_cut_{k}", "ndcg": "ndcg", "rr": "recip_rank", f"hit@{k}": f"success_{k}", "rprec": "Rprec",
             "bpref": "bpref"}  # fmt: skip

    def value(name: str) -> float:
        whole = name.rpartition("_")
        asked = f"{whole[0]}.{k}" if whole[2] == str(k) else name
        rows = pte.RelevanceEvaluator(case.grades, {asked}).evaluate(runs(case))
        return pte.compute_aggregated_measure(name, [row[name] for row in rows.values()])

    return {ours: lambda name=name: value(name) for ours, name in names.items()}


def beir(case: Case) -> Computed:
    from beir.retrieval.evaluation import EvaluateRetrieval

    k = case.k

    def value(place: int) -> float:
        return next(iter(EvaluateRetrieval.evaluate(case.grades, runs(case), [k])[place].values()))

    def custom(name: str) -> float:
        return next(iter(EvaluateRetrieval.evaluate_custom(case.grades, runs(case), [k], name).values()))

    return at(k, {
        "ndcg": lambda: value(0), "ap": lambda: value(1), "r": lambda: value(2), "p": lambda: value(3),
        "rr": lambda: custom("mrr"), "hit": lambda: custom("accuracy"),
    })  # fmt: skip


def spark(case: Case) -> Computed:
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    rows = [(case.items[user], row) for user, row in case.truth.items() if user in case.lists]
    metrics = RankingMetrics(session.sparkContext.parallelize(rows, 1))
    return at(case.k, {
        "p": lambda: metrics.precisionAt(case.k), "r": lambda: metrics.recallAt(case.k),
        "ap": lambda: metrics.meanAveragePrecisionAt(case.k), "ndcg": lambda: metrics.ndcgAt(case.k),
    })  # fmt: skip


TOOLS: dict[str, Callable[[Case], Computed]] = {
    "rectools": rectools, "microsoft": microsoft, "lenskit": lenskit, "recbole": recbole, "recpack": recpack, "recmetrics": recmetrics,
    "implicit": implicit, "replay": replay, "rs_metrics": rs_metrics, "jurity": jurity, "torchmetrics": torchmetrics, "sklearn": sklearn,
    "ranx": ranx, "ir_measures": ir_measures, "gdeval": gdeval, "pytrec_eval": pytrec_eval, "trec_eval_9": pytrec_eval, "beir": beir,
    "spark": spark, "xgboost": xgboost, "lightgbm": lightgbm, "catboost": catboost, "mlflow": mlflow, "llamaindex": llamaindex,
    "haystack": haystack, "trulens": trulens, "deepeval": deepeval, "ragas": ragas,
}  # fmt: skip
PACKAGES = {"microsoft": "recommenders", "replay": "replay-rec", "rs_metrics": "rs-metrics", "sklearn": "scikit-learn", "spark": "pyspark",
            "gdeval": "ir_measures", "pytrec_eval": "pytrec_eval-terrier", "trec_eval_9": "pytrec_eval-terrier",
            "mlflow": "mlflow-skinny", "llamaindex": "llama-index-core", "haystack": "haystack-ai", "trulens": "trulens-feedback"}  # fmt: skip
# what a tool does not take, or has no rule for, is taken out of the fixture before it sees it, here and in the tests
GIVEN: dict[str, tuple[str, ...]] = {
    "beir": ("filled", "text", "judged"),
    "catboost": ("rows",),
    "gdeval": ("numbers", "text", "filled"),
    "ir_measures": ("text",),
    "jurity": ("filled", "untied"),
    "lenskit": ("meant",),
    "lightgbm": ("rows",),
    "llamaindex": ("text", "filled", "wanting"),
    "microsoft": ("filled",),
    "mlflow": ("text", "meant"),
    "pytrec_eval": ("filled", "text"),
    "ranx": ("untied", "text", "judged"),
    "recbole": ("long",),
    "recmetrics": ("filled",),
    "recpack": ("untied",),
    "replay": ("text",),
    "sklearn": ("met",),
    "spark": ("wanting",),
    "torchmetrics": ("untied", "judged"),
    "trec_eval_9": ("filled", "text"),
    "trulens": ("text",),
    "haystack": ("text",),
    "ragas": ("text",),
    "xgboost": ("rows",),
}
GIVEN_METRIC: dict[tuple[str, str], tuple[str, ...]] = {
    ("catboost", "p"): ("rows", "binary"),
    ("catboost", "r"): ("rows", "binary"),
    ("catboost", "ap"): ("rows", "binary"),
    ("catboost", "rr"): ("rows", "binary"),
    ("ir_measures", "err"): ("numbers", "text", "filled"),
    ("ir_measures", "judged"): ("text", "filled"),
    ("lenskit", "ap"): ("wanting",),
    ("lenskit", "gini"): ("filled",),
    ("lenskit", "mean_pop_rank"): ("filled",),
    ("recmetrics", "p"): ("wanting", "filled"),
    ("recmetrics", "personalization"): ("long",),
    ("recmetrics", "ils"): ("described", "several", "filled"),
    ("recmetrics", "msi"): ("seen", "filled"),
    ("rs_metrics", "msi"): ("filled",),
    ("ragas", "p"): ("text", "filled"),
    ("trulens", "p"): ("text", "filled"),
    ("xgboost", "p"): ("rows", "binary"),
    ("xgboost", "ap"): ("rows", "binary"),
}
# tools of passages, which take an item twice
REPEATING = ("mlflow", "llamaindex", "haystack", "trulens", "deepeval", "ragas")
# tools that say the number of an earlier call again: each metric gets a process of its own
APART = ("jurity", "microsoft")


def given(tool: str, metric: str) -> tuple[str, ...]:
    """What is taken out of the fixture for a metric of a tool."""
    return GIVEN_METRIC.get((tool, metric.partition("@")[0]), GIVEN.get(tool, ()))


def asked(tool: str, case: Case) -> list[str]:
    """The metrics that are asked of a tool."""
    return list(TOOLS[tool](case))


def said(tool: str, case: Case, names: list[str]) -> dict[str, Any]:
    """What a tool says of a case for some metrics: a number, or the error that it raises as text."""
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    made: dict[tuple[str, ...], Computed] = {}
    for name in names:
        rest = given(tool, name)
        if rest not in made:
            made[rest] = TOOLS[tool](case.given(rest))
        try:
            value = float(made[rest][name]())
        except Exception as error:  # noqa: BLE001 - whatever the tool raises is what it says
            found[name] = f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"
        else:
            found[name] = "nan" if math.isnan(value) else value
    return found


def main() -> None:
    """Print what a tool says."""
    tool, file = sys.argv[1:]
    cases = {name: Case.of(data) for name, data in json.loads(Path(file).read_text(encoding="utf-8")).items()}
    values: dict[str, dict[str, Any]] = {}
    taken: dict[str, list[str]] = {}
    processes = multiprocessing.get_context("spawn")
    for name, case in cases.items():
        if name == "copies" and tool not in REPEATING:
            continue
        with processes.Pool(1) as alone:
            names = alone.apply(asked, (tool, case.given(GIVEN.get(tool, ()))))
        values[name] = {}
        for group in [[each] for each in names] if tool in APART else [names]:
            with processes.Pool(1) as alone:
                values[name] |= alone.apply(said, (tool, case, group))
        taken |= {each.partition("@")[0]: list(given(tool, each)) for each in names if given(tool, each)}
    print(json.dumps({"version": version(PACKAGES.get(tool, tool)), "given": taken, "values": values}))


if __name__ == "__main__":
    main()
