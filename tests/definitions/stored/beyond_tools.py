"""How each tool is asked, and which metric of ours its number is: used by beyond_movietweetings.py.

A measure says `metric`, the text of our metric that must be equal, or null and in `note` how its definition differs.
`times`: our value is theirs times this. `items`: the catalogue of our metric, if it is not all items of the catalogue
(`train`: the items of train; `shown`: the items of the lists). `within`: how far our value may be off, for what the
tool rounds or computes in single precision. `propensity`: how likely each judgement was observed, where hits are weighed:
`place`, 1 ÷ its item's place among its user's by id; `share`, its item's share of all judgements. `of`: `ratings` for errors of predicted ratings, which are not of the lists
but of all test ratings; the prediction is the mean train rating of the item, or of all where train lacks the item.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import files
from typing import Any

import numpy as np
import pandas as pd


@dataclass
class Measure:
    """One number of a tool."""

    compute: Callable[[], Any]
    metric: str | None
    note: str = ""
    times: float = 1.0
    items: str = ""
    within: float = 0.0
    propensity: str = ""
    of: str = "lists"

    def says(self) -> dict:
        rest = {
            "of": self.of,
            "note": self.note,
            "times": self.times,
            "items": self.items,
            "within": self.within,
            "propensity": self.propensity,
        }
        unsaid = {"of": "lists", "note": "", "times": 1.0, "items": "", "within": 0.0, "propensity": ""}
        return {"metric": self.metric} | {key: value for key, value in rest.items() if value != unsaid[key]}


def table(rows):
    """A table of user, item, rank and a rating that falls with the rank."""
    cells = [(user, item, n, 101.0 - n) for user, row in rows.items() for n, item in enumerate(row, 1)]
    return pd.DataFrame(cells, columns=["user", "item", "rank", "rating"])


def module_of(distribution, path):
    """One file of an installed distribution as a module, without the package around it."""
    file = next(file for file in files(distribution) if str(file) == path).locate()
    spec = importlib.util.spec_from_file_location(path.replace("/", "_").removesuffix(".py"), file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stand_in(*names, **attributes):
    """Empty modules for what a tool imports and does not need here."""
    for name in names:
        module = sys.modules.setdefault(name, types.ModuleType(name))
        module.__path__ = getattr(module, "__path__", [])
        for key, value in attributes.items():
            setattr(module, key, value)


def mean_and_each(values):
    return float(values.mean()), values.to_dict()


# ------------------------------------------------------------------------------------------------- one function a tool
def rectools(d, _):
    from rectools import metrics as rt
    from rectools.metrics.distances import PairwiseHammingDistanceCalculator

    k = d.k
    names = {"user": "user_id", "item": "item_id"}
    lists, train, test = (table(rows).rename(columns=names) for rows in (d.lists, d.train, d.test))
    hamming = rt.IntraListDiversity(k=k, distance_calculator=PairwiseHammingDistanceCalculator(d.features))
    dense = "the popularity rank is dense; an item that is not in train has PM = 0"
    return {
        "MeanInvUserFreq": Measure(
            lambda: mean_and_each(rt.MeanInvUserFreq(k=k).calc_per_user(lists, train)), f"msi@{k}"
        ),
        "AvgRecPopularity": Measure(
            lambda: mean_and_each(rt.AvgRecPopularity(k=k).calc_per_user(lists, train)), f"arp@{k}"
        ),
        "AvgRecPopularity(normalize=True)": Measure(
            lambda: mean_and_each(rt.AvgRecPopularity(k=k, normalize=True).calc_per_user(lists, train)),
            f"arp@{k}",
            "share of the train rows instead of a count",
            times=sum(d.counts.values()),
        ),
        "Serendipity": Measure(
            lambda: mean_and_each(
                rt.Serendipity(k=k).calc_per_user(
                    lists, test.drop(columns=["rank", "rating"]), train, d.catalogue
                )
            ),
            f"serendipity_murakami(form=rectools)@{k}",
            dense,
        ),
        "IntraListDiversity(Hamming on topics)": Measure(
            lambda: mean_and_each(hamming.calc_per_user(lists)),
            f"ild(features=topics, distance=sqeuclidean)@{k}" if d.full else None,
            "Hamming distance of zeros and ones is the squared Euclidean one; a list of one item counts as 0",
        ),
        "CatalogCoverage(normalize=True)": Measure(
            lambda: rt.CatalogCoverage(k=k, normalize=True).calc(lists, d.catalogue), f"coverage@{k}"
        ),
        "CoveredUsers": Measure(
            lambda: mean_and_each(rt.CoveredUsers(k=k).calc_per_user(lists, test)),
            f"user_coverage@{k}",
            "over the users of test",
        ),
        "SufficientReco": Measure(
            lambda: mean_and_each(rt.SufficientReco(k=k).calc_per_user(lists)),
            f"user_coverage(least={k})@{k}",
            "over the users of the lists: without judgements",
        ),
    }


def recmetrics(d, ratings):
    stand_in(
        "matplotlib", "matplotlib.pyplot", "matplotlib.lines", "plotly", "plotly.graph_objects", Line2D=None
    )
    stand_in("seaborn", "funk_svd")
    rm = module_of("recmetrics", "recmetrics/metrics.py")
    rows, users = [row[: d.k] for row in d.lists.values()], len(d.train)

    def novelty():
        mean, each = rm.novelty(rows, d.counts, users, d.k)
        return mean, dict(zip(d.lists, each, strict=True))

    found = {
        "personalization": Measure(lambda: rm.personalization(rows), f"personalization@{d.k}"),
        "intra_list_similarity": Measure(
            lambda: rm.intra_list_similarity(rows, d.features),
            f"ils@{d.k}" if d.full else None,
            "" if d.full else "a list of one item is an error",
        ),
        "novelty": Measure(
            novelty,
            f"msi@{d.k}" if d.full else None,
            "divided by the given n, whatever the list's length; an item that is not in train is an error",
        ),
        "prediction_coverage": Measure(
            lambda: rm.prediction_coverage(rows, d.catalogue), f"coverage@{d.k}", "percent with two decimals",
            times=0.01, within=5.1e-5,
        ),
        "catalog_coverage": Measure(
            lambda: rm.catalog_coverage(rows, d.catalogue, len(rows)), None,
            "of an equal number of lists, drawn at random with replacement",
        ),
    }  # fmt: skip
    if ratings:
        found["rmse"] = Measure(lambda: rm.rmse(ratings["truth"], ratings["guess"]), "rmse", of="ratings")
        found["mse"] = Measure(lambda: rm.mse(ratings["truth"], ratings["guess"]), "mse", of="ratings")
    return found


def replay(d, _):
    import replay.metrics as rp

    k, names = d.k, {"query_column": "user", "item_column": "item", "rating_column": "rating"}
    lists, train = table(d.lists), table(d.train)
    users = len(d.train)

    def value(metric, *rest, **more):
        mean = metric(k, **names, **more)(lists, *rest)
        each = metric(k, **names, **more, mode=rp.PerUser())(lists, *rest)
        return next(iter(mean.values())), {
            user: float(np.ravel(x)[0]) for user, x in next(iter(each.values())).items()
        }

    same = table(dict.fromkeys(d.lists, d.popular(k)))
    first = lists.assign(category=[(d.topics.get(item) or ["none"])[0] for item in lists["item"]])
    short = "divided by k, however short the list"
    return {
        "Coverage": Measure(
            lambda: next(
                iter(
                    rp.Coverage(k, query_column="user", item_column="item", rating_column="rating")(
                        lists, train
                    ).values()
                )
            ),
            f"coverage@{k}",
            "of the items of train; others are ignored (outside=ignore)",
            items="train",
        ),
        "Surprisal": Measure(
            lambda: value(rp.Surprisal, train),
            f"msi@{k}" if d.full else None,
            f"divided by log2 of the number of train users; {short}",
            times=math.log2(users),
        ),
        "Unexpectedness(the most popular items)": Measure(
            lambda: value(rp.Unexpectedness, same), f"unexpectedness(top={k})@{k}" if d.full else None, short
        ),
        "Novelty": Measure(
            lambda: value(rp.Novelty, train), None,
            "share of the list that is not in the user's train rows, over the users of train (1 without a list)",
        ),
        "CategoricalDiversity(first topic)": Measure(
            lambda: next(
                iter(
                    rp.CategoricalDiversity(
                        k, query_column="user", category_column="category", rating_column="rating"
                    )(first).values()
                )
            ),
            None,
            "number of different categories in a list ÷ k, one category per item",
        ),
    }  # fmt: skip


def microsoft(d, ratings):
    # its cache takes one table for another, and its package imports more than it needs here
    def checks(*_, **__):
        return True

    def lru_cache_df(**_):
        return lambda function: function

    helpers = {"has_columns": checks, "has_same_base_dtype": checks, "lru_cache_df": lru_cache_df}
    stand_in("recommenders.datasets")
    stand_in("recommenders.datasets.pandas_df_utils", **helpers)
    import recommenders.evaluation.python_evaluation as ms

    names = {"col_user": "user", "col_item": "item"}
    rated = {(user, item) for user, row in d.test.items() for item in row}
    lists, train = table(d.lists), table(d.train)[["user", "item"]]
    lists["relevance"] = [float(pair in rated) for pair in zip(lists["user"], lists["item"], strict=True)]
    known = [item for item in d.catalogue if d.topics[item]]
    features = pd.DataFrame(
        {"item": known, "features": [d.features.loc[item].to_numpy(float) for item in known]}
    )
    # all pairs of items, a minute's work: made once for all lists
    kept = vars(ms).setdefault("kept", {})
    if len(features) not in kept:
        kept[len(features)] = ms._get_item_feature_similarity(features, "features", "user", "item", "sim")
    ms._get_cosine_similarity = lambda *_, **__: kept[len(features)]
    asked = {"item_feature_df": features, "item_sim_measure": "item_feature_vector"}
    asked |= {"col_item_features": "features", "col_sim": "sim", **names}
    without = (
        "" if d.full else "items without topics are left out of its features (a zero vector is an error)"
    )
    shown = lists[["user", "item", "relevance"]]

    def diversity():
        each = ms.user_diversity(train, shown, **asked).set_index("user")["user_diversity"]
        return ms.diversity(train, shown, **asked), each.to_dict()

    def serendipity():
        how = asked | {"col_relevance": "relevance"}
        each = ms.user_serendipity(train, shown, **how).set_index("user")["user_serendipity"]
        return ms.serendipity(train, shown, **how), each.to_dict()

    found = {
        "catalog_coverage": Measure(
            lambda: ms.catalog_coverage(train, shown, **names),
            f"coverage@{d.k}" if d.full else None,
            "of the items of train; listed items that are not in train are counted too",
            items="train",
        ),
        "distributional_coverage": Measure(
            lambda: ms.distributional_coverage(train, shown, **names), f"entropy@{d.k}"
        ),
        "novelty": Measure(
            lambda: ms.novelty(train, shown, **names),
            f"self_information@{d.k}" if d.full else None,
            "over all rows together; an item that is not in train adds 0 and is counted",
        ),
        "diversity(item_feature_vector)": Measure(diversity, f"ild@{d.k}", without),
        "serendipity(item_feature_vector)": Measure(serendipity, f"surprise@{d.k}", without),
    }
    if ratings:
        keys = {"user": ratings["user"], "item": ratings["item"]}
        truth = pd.DataFrame(keys | {"rating": ratings["truth"].astype(float)})
        guess = pd.DataFrame(keys | {"prediction": ratings["guess"]})
        how = names | {"col_rating": "rating", "col_prediction": "prediction"}
        found["rmse"] = Measure(lambda: ms.rmse(truth, guess, **how), "rmse", of="ratings")
        found["mae"] = Measure(lambda: ms.mae(truth, guess, **how), "mae", of="ratings")
    return found


def jurity(d, _):
    from jurity.recommenders import InterListDiversity, IntraListDiversity
    from jurity.recommenders.diversity import intralist_diversity

    names = {"click_column": "rating", "k": d.k, "user_id_column": "user", "item_id_column": "item"}
    lists, features = table(d.lists), d.features.reset_index()

    def apart(metric):
        return InterListDiversity(**names, user_sample_size=None, metric=metric).get_score(None, lists.copy())

    def within_lists(metric):
        made = IntraListDiversity(features, **names, user_sample_size=None, num_runs=1, metric=metric)
        each = intralist_diversity(lists.copy(), features, **names, user_sample_size=None, metric=metric)
        users = [user for user in lists["user"].unique() if len(d.lists[user]) > 1]
        return made.get_score(None, lists.copy()), dict(zip(sorted(users), each, strict=True))

    both_empty = "two items without topics are at distance 0" if not d.full else ""
    return {
        "InterListDiversity": Measure(lambda: apart("cosine"), f"personalization@{d.k}"),
        "IntraListDiversity": Measure(lambda: within_lists("cosine"), f"ild@{d.k}"),
        "IntraListDiversity(jaccard)": Measure(
            lambda: within_lists("jaccard"),
            f"ild(distance=jaccard)@{d.k}" if d.full else None,
            both_empty,
        ),
        "IntraListDiversity(euclidean)": Measure(
            lambda: within_lists("euclidean"), f"ild(distance=euclidean)@{d.k}"
        ),
        "IntraListDiversity(sqeuclidean)": Measure(
            lambda: within_lists("sqeuclidean"), f"ild(distance=sqeuclidean)@{d.k}"
        ),
    }


def rexmex(d, ratings):
    from rexmex.metrics import coverage, ranking, rating

    rows = [row[: d.k] for row in d.lists.values()]
    place = {item: n for n, item in enumerate(d.catalogue)}
    everything = (list(d.lists), d.catalogue)
    shown = [(user, item) for user, row in d.lists.items() for item in row[: d.k]]
    short = "" if d.full else "a list shorter than k is an error"
    found = {
        "personalization": Measure(lambda: ranking.personalization(rows), f"personalization@{d.k}"),
        "novelty": Measure(
            lambda: ranking.novelty(rows, d.counts, len(d.train), d.k),
            f"msi@{d.k}" if d.full else None,
            "1e-10 is added to each count" + (f"; {short}" if short else ""),
            within=1e-9,
        ),
        "intra_list_similarity": Measure(
            lambda: ranking.intra_list_similarity(
                [[place[i] for i in row] for row in rows], d.features.to_numpy()
            ),
            f"ils@{d.k}" if d.full else None,
            "" if d.full else "a list of one item makes the mean NaN",
        ),
        "item_coverage": Measure(
            lambda: coverage.item_coverage(everything, shown),
            f"coverage@{d.k}",
            "three decimals",
            within=5.1e-4,
        ),
        "user_coverage": Measure(
            lambda: coverage.user_coverage((sorted(d.test), d.catalogue), shown),
            f"user_coverage@{d.k}",
            "three decimals; over the users of test",
            within=5.1e-4,
        ),
    }
    if ratings:
        truth, guess = ratings["truth"], ratings["guess"]
        found["mean_absolute_error"] = Measure(
            lambda: rating.mean_absolute_error(truth, guess), "mae", of="ratings"
        )
        found["root_mean_squared_error"] = Measure(
            lambda: rating.root_mean_squared_error(truth, guess), "rmse", of="ratings"
        )
    return found


def rs_metrics(d, _):
    import rs_metrics as rs

    log, users = table(d.train), {"user_col": "user", "item_col": "item"}
    return {
        "coverage": Measure(lambda: rs.coverage(d.catalogue, d.lists, d.k), f"coverage@{d.k}"),
        "popularity": Measure(
            lambda: rs.popularity(log, d.lists, d.k, **users),
            f"arp@{d.k}",
            "share of the train users instead of a count",
            times=len(d.train),
        ),
        "surprisal": Measure(lambda: rs.surprisal(log, d.lists, d.k, **users), f"msi@{d.k}"),
    }


def recpack(d, _):
    from recpack.metrics import CoverageK, IntraListDiversityK, IPSHitRateK
    from scipy.sparse import csr_matrix

    users, column = sorted(d.lists), {item: n for n, item in enumerate(d.catalogue)}

    def matrix(rows, value):
        cells = [
            (at, column[item], value(n))
            for at, user in enumerate(users)
            for n, item in enumerate(rows.get(user, ()))
        ]
        at, where, what = zip(*cells, strict=True)
        return csr_matrix((what, (at, where)), shape=(len(users), len(column)))

    truth, lists = matrix(d.test, lambda _: 1.0), matrix(d.lists, lambda n: 100.0 - n)

    def value(metric):
        metric.calculate(truth, lists)
        return metric.value

    def diversity():
        metric = IntraListDiversityK(d.k)
        metric.fit(csr_matrix(d.features.to_numpy(dtype=bool)))
        metric.calculate(truth, lists)
        return metric.value, dict(zip(users, np.ravel(metric.scores_.toarray()), strict=True))

    def weighed():
        # fitted on the test data: the share of all judgements that are of an item is the chance to observe one
        metric = IPSHitRateK(d.k)
        metric.fit(truth)
        metric.calculate(truth, lists)
        return metric.value

    return {
        "CoverageK": Measure(lambda: value(CoverageK(d.k)), f"coverage@{d.k}", "lists of users in test"),
        "IPSHitRateK": Measure(
            weighed,
            f"ips(metric=p@{d.k})" if d.full else None,
            "hits, not divided by k" + ("" if d.full else "; over the users of the lists"),
            times=1 / d.k,
            propensity="share",
        ),
        "IntraListDiversityK": Measure(
            diversity,
            f"ild(distance=jaccard)@{d.k}" if d.full else None,
            "" if d.full else "a list of one item counts as 0; two items without topics are at distance 0",
        ),
    }


def cornac(_, ratings):
    if not ratings:
        return {}
    rating = module_of("cornac", "cornac/metrics/rating.py")
    truth, guess = ratings["truth"].to_numpy(float), ratings["guess"].to_numpy(float)
    rows = pd.Series(range(len(truth))).groupby(ratings["user"].to_numpy()).apply(list)
    found = {}
    for made in (rating.RMSE(), rating.MAE(), rating.MSE()):
        name = made.name.lower()
        found[made.name] = Measure(lambda made=made: made.compute(truth, guess), name, of="ratings")
        found[f"{made.name} (user_based)"] = Measure(
            lambda made=made: float(np.mean([made.compute(truth[at], guess[at]) for at in rows])),
            f"user_{name}",
            of="ratings",
        )
    return found


def recbole(d, _):
    if not d.full:
        return {}
    kinds = {"LOSS": 0, "RANKING": 1}
    stand_in("recbole")
    stand_in("recbole.utils", EvaluatorType=types.SimpleNamespace(VALUE=0, **kinds))
    stand_in("recbole.evaluator")
    stand_in("recbole.evaluator.utils", _binary_clf_curve=None)
    base = dict.fromkeys(("AbstractMetric", "TopkMetric", "LossMetric"), object)
    stand_in("recbole.evaluator.base_metric", **base)
    rb = module_of("recbole", "recbole/evaluator/metrics.py")
    place = {item: n for n, item in enumerate(d.catalogue, 1)}
    matrix = np.array([[place[item] for item in row[: d.k]] for row in d.lists.values()])
    counts = {place[item]: count for item, count in d.counts.items()}
    shown, m = len(np.unique(matrix)), len(place)

    def bare(name, **fields):
        made = object.__new__(getattr(rb, name))
        vars(made).update(fields)
        return made

    def tail(limit):
        made = bare("TailPercentage", tail=limit)
        return float(made.get_tail(matrix, counts).mean(axis=1).mean())

    padding = "its own number of items counts the padding too; here it is given the catalogue's"
    return {
        "ItemCoverage": Measure(
            lambda: bare("ItemCoverage").get_coverage(matrix, m), f"coverage@{d.k}", padding
        ),
        "AveragePopularity": Measure(
            lambda: float(bare("AveragePopularity").get_pop(matrix, counts).mean(axis=1).mean()), f"arp@{d.k}"
        ),
        "ShannonEntropy": Measure(
            lambda: bare("ShannonEntropy").get_entropy(matrix),
            f"entropy@{d.k}",
            "in nats, divided by the number of different items shown",
            times=shown / math.log(2),
        ),
        "GiniIndex": Measure(lambda: bare("GiniIndex").get_gini(matrix, m), f"gini@{d.k}", padding),
        "TailPercentage(tail_ratio=0.1)": Measure(
            lambda: tail(0.1),
            None,
            "the tail is the tenth of the items of train with the fewest rows, ties by ascending id; "
            "the cut falls among many items with one row",
        ),
        "TailPercentage(tail_ratio=20)": Measure(
            lambda: tail(20),
            f"aplt(head=count, at=20)@{d.k}",
            "the tail is the items with at most 20 rows",
            items="train",
        ),
    }


def warprec(d, _):
    if not d.full:
        return {}
    import torch

    warprec_modules()
    k, users = d.k, sorted(d.lists)
    column = {item: n for n, item in enumerate(d.catalogue)}
    preds = torch.zeros((len(users), len(column)), dtype=torch.float64)
    target = torch.zeros_like(preds)
    for at, user in enumerate(users):
        preds[at, [column[item] for item in d.train.get(user, ())]] = -torch.inf
        preds[at, [column[item] for item in d.lists[user]]] = torch.arange(
            len(d.lists[user]), 0, -1.0
        ).double()
        target[at, [column[item] for item in d.test.get(user, ())]] = 1
    counts = torch.tensor([float(d.counts.get(item, 0)) for item in d.catalogue], dtype=torch.float64)
    top = torch.topk(preds, k, dim=1).indices
    blocks = {
        "ground": target, "binary_relevance": target, "valid_users": (target > 0).any(dim=1).double(),
        f"top_{k}_indices": top, f"top_{k}_binary_relevance": torch.gather(target, 1, top),
    }  # fmt: skip

    def value(path, name, **how):
        module = importlib.import_module(f"warprec.evaluation.metrics.{path}")
        made = getattr(module, name)(
            k=k, num_users=len(d.train), num_items=len(column), item_interactions=counts, **how
        )
        if "item_cluster" not in how:  # its numbers of clusters would have a fraction
            made.set_dtype(torch.float64)
        made.update(preds, user_indices=torch.arange(len(users)), **blocks)
        found = list(made.compute().values())[-1]  # before it stand the rates of parts, if there are any
        return float(torch.nanmean(found)) if isinstance(found, torch.Tensor) else found

    at, head = d.head(0.8)
    cut = f"the head is {len(head)} items, and at this cut the order of equal counts does not matter"
    m = len(column)
    asked = {
        "EPC": ("novelty.epc", f"epc(relevance=binary)@{k}", {}),
        "EFD": ("novelty.efd", f"efd(relevance=binary)@{k}", {}),
        "ARP": ("bias.arp", f"arp@{k}", {}),
        "APLT": ("bias.aplt", f"aplt(head=volume, at={at})@{k}", {"pop_ratio": at}),
        "ACLT": ("bias.aclt", f"aclt(head=volume, at={at})@{k}", {"pop_ratio": at}),
        "PopREO": ("bias.pop_reo", f"pop_reo(head=volume, at={at})@{k}", {"pop_ratio": at}),
        "PopRSP": ("bias.pop_rsp", f"pop_rsp(head=volume, at={at})@{k}", {"pop_ratio": at}),
        "Gini": ("diversity.gini_index", f"gini_m1@{k}", {}),
    }
    single = "computed in single precision"
    found = {
        name + (f"(pop_ratio={at})" if how else ""): Measure(
            lambda path=path, name=name, how=how: value(path, name, **how),
            metric,
            "; ".join([cut] * bool(how) + [single]),
            within=1e-6 if name != "ARP" else 1e-4,
        )
        for name, (path, metric, how) in asked.items()
    }
    found["ShannonEntropy"] = Measure(
        lambda: value("diversity.shannon_entropy", "ShannonEntropy"),
        f"entropy@{k}",
        f"in nats; {single}",
        times=1 / math.log(2),
        within=1e-5,
    )
    rated = target.sum(dim=0) / target.sum()
    asked = {
        "IPSDCG": ("debiased.dcg", f"ips(metric=dcg@{k})"),
        "SNIPSDCG": ("debiased.dcg", f"snips(metric=dcg@{k})"),
        "IPSRecall": ("debiased.recall", f"ips(metric=r@{k})"),
        "SNIPSRecall": ("debiased.recall", f"snips(metric=r@{k})"),
    }
    for name, (path, metric) in asked.items():
        found[name] = Measure(
            lambda path=path, name=name: value(path, name, propensity=torch.where(rated > 0, rated, 1.0)),
            metric,
            f"the chance to observe a judgement is its item's share of all; {single}",
            within=1e-4,
            propensity="share",
        )
    first, head = d.head(0.3)
    both = set(d.head(0.8)[1])
    part = torch.tensor([1 if item in head else 2 if item in both else 3 for item in d.catalogue])
    for name in ("RSP", "REO"):
        found[f"{name}(head, mid and tail)"] = Measure(
            lambda name=name: value(f"fairness.{name.lower()}", name, item_cluster=part),
            f"pop_{name.lower()}(head=volume, at={first}, mid={at})@{k}",
            f"by clusters of items: the head is {len(head)} items, head and mid are {len(both)}; {single}",
            within=1e-6,
        )
    found["ItemCoverage"] = Measure(
        lambda: value("coverage.item_coverage", "ItemCoverage"),
        f"coverage@{k}",
        "a number of items",
        times=1 / m,
    )
    return found


def warprec_modules():
    """Its metrics without the models, data and tuning that the package imports first."""
    root = next(file for file in files("warprec") if str(file) == "warprec/errors.py").locate().parent
    for name in ("", ".utils", ".evaluation", ".evaluation.metrics", ".evaluation.metrics.novelty",
                 ".evaluation.metrics.bias", ".evaluation.metrics.debiased", ".evaluation.metrics.fairness",
                 ".evaluation.metrics.diversity", ".evaluation.metrics.coverage"):  # fmt: skip
        stand_in(f"warprec{name}")
        sys.modules[f"warprec{name}"].__path__ = [str(root.joinpath(*name.split(".")[1:]))]


def lenskit(d, _):
    from lenskit.data import ItemList
    from lenskit.metrics import ListGini

    def value():
        metric = ListGini(d.k, items=len(d.topics))
        lists = [ItemList(item_ids=row, ordered=True) for row in d.lists.values()]
        return metric.global_aggregate([metric.compute_list_data(row, None) for row in lists])

    return {"ListGini": Measure(value, f"gini@{d.k}")}


def clayrs(d, _):
    class Rows:
        """What its metrics ask of a table of ratings."""

        def __init__(self, rows):
            self.unique_user_id_column = list(rows)
            self.unique_user_idx_column = list(rows)
            self.item_id_column = np.array([item for row in rows.values() for item in row])
            self.unique_item_id_column = np.unique(self.item_id_column)
            ends = np.cumsum([len(row) for row in rows.values()])
            self.places = {
                user: np.arange(end - len(row), end)
                for (user, row), end in zip(rows.items(), ends, strict=True)
            }
            self.user_map = types.SimpleNamespace(convert_seq_str2int=list)
            self.rows = rows

        def get_user_interactions(self, user, head=None, *, as_indices=True):
            return self.places[user][:head]

        def take_head_all(self, head):
            return Rows({user: row[:head] for user, row in self.rows.items()})

    stand_in("clayrs", "clayrs.evaluation", "clayrs.utils")
    stand_in("clayrs.utils.const", logger=None)
    stand_in("clayrs.evaluation.exceptions", NotEnoughUsers=ValueError)
    utils = module_of("clayrs", "clayrs/evaluation/utils.py")
    sys.modules["clayrs.evaluation.utils"] = utils
    stand_in("clayrs.evaluation.metrics")
    sys.modules["clayrs.evaluation.metrics.metrics"] = module_of(
        "clayrs", "clayrs/evaluation/metrics/metrics.py"
    )
    cr = module_of("clayrs", "clayrs/evaluation/metrics/fairness_metrics.py")
    split = types.SimpleNamespace(pred=Rows(d.lists))
    log = Rows(d.train)
    catalogue = set(d.catalogue)

    def value(metric):
        return float(metric.perform(split).iloc[0, 1])

    cold = "" if d.full else "a user without train rows is left out"
    return {
        "DeltaGap(one group)": Measure(
            lambda: value(cr.DeltaGap({"all": 1.0}, log, log, top_n=d.k)), f"delta_gap@{d.k}", cold
        ),
        "GiniIndex": Measure(
            lambda: value(cr.GiniIndex(d.k)), f"gini@{d.k}", "over the items shown only",
            items="shown",
        ),
        "CatalogCoverage": Measure(
            lambda: value(cr.CatalogCoverage(catalogue, top_n=d.k)), f"coverage@{d.k}", "percent with two decimals",
            times=0.01, within=5.1e-5,
        ),
        "PredictionCoverage": Measure(
            lambda: value(cr.PredictionCoverage(catalogue)), "prediction_coverage", "percent with two decimals",
            times=0.01, within=5.1e-5,
        ),
    }  # fmt: skip


def evidently(d, _):
    from evidently.legacy.metrics import DiversityMetric, NoveltyMetric, PersonalizationMetric, PopularityBias
    from evidently.legacy.metrics.recsys.serendipity import SerendipityMetric
    from evidently.legacy.pipeline.column_mapping import ColumnMapping, RecomType
    from evidently.legacy.report import Report

    k, topics = d.k, list(d.features.columns)
    rated = {(user, item) for user, row in d.test.items() for item in row}
    lists = table(d.lists).drop(columns="rating")
    lists["target"] = [int(pair in rated) for pair in zip(lists["user"], lists["item"], strict=True)]
    lists = lists.merge(d.features.reset_index(), on="item", how="left")
    train = table(d.train)[["user", "item"]].merge(d.features.reset_index(), on="item", how="left")
    for rows in (lists, train):
        # its distances take ids of digits for whole numbers and then do not find them
        rows["item"] = "i" + rows["item"]
    columns = ColumnMapping(
        user_id="user",
        item_id="item",
        target="target",
        prediction="rank",
        recommendations_type=RecomType.RANK,
    )

    def value(metric, field="current_value"):
        report = Report(metrics=[metric])
        report.run(
            reference_data=None,
            current_data=lists,
            column_mapping=columns,
            additional_data={"current_train_data": train},
        )
        return float(report.as_dict()["metrics"][0]["result"][field])

    equal = "holds for lists of k items only"
    return {
        "NoveltyMetric": Measure(lambda: value(NoveltyMetric(k=k)), f"msi(unseen=skip)@{k}"),
        "PopularityBias, ARP": Measure(
            lambda: value(PopularityBias(k=k), "current_apr"),
            f"arp@{k}" if d.full else None,
            "items that are not in train are left out",
        ),
        "PopularityBias, coverage": Measure(
            lambda: value(PopularityBias(k=k), "current_coverage"),
            f"coverage@{k}",
            "of the items of train; others are ignored (outside=ignore)",
            items="train",
        ),
        "PopularityBias, Gini": Measure(
            lambda: value(PopularityBias(k=k), "current_gini"), f"gini_m1@{k}", "over the items shown only", items="shown"
        ),
        "PersonalizationMetric": Measure(
            lambda: value(PersonalizationMetric(k=k)), f"personalization@{k}" if d.full else None, equal
        ),
        "DiversityMetric": Measure(
            lambda: value(DiversityMetric(k=k, item_features=topics)),
            f"ild@{k}" if d.full else None,
            "the sum over pairs divided by the length of the list",
            times=2 / (k - 1),
        ),
        "SerendipityMetric": Measure(
            lambda: value(SerendipityMetric(k=k, item_features=topics)), None,
            "1 − Σ of the similarities of relevant items and history ÷ |history|, of users with a hit; may be negative",
        ),
    }  # fmt: skip


def fairranktune(d, _):
    from FairRankTune.Metrics import AWRF, ERBE, ERBP, ERBR, EXP, EXPU

    def rankings(rows):
        return pd.DataFrame({user: pd.Series(row[: d.k], dtype=object) for user, row in rows.items()})

    rated = {user: set(row) for user, row in d.test.items()}
    relevance = pd.DataFrame({
        user: pd.Series([float(item in rated.get(user, ())) for item in row[: d.k]]) for user, row in d.lists.items()
    })  # fmt: skip
    lists = rankings(d.lists)
    two = {item: "Drama" if "Drama" in topics else "other" for item, topics in d.topics.items()}

    def of_two(metric, *rest):
        _, each = metric(lists, two, *rest, "MinMaxRatio")
        return float(each["Drama"] / each["other"])

    def of_each():
        each = {
            user: float(EXP(rankings({user: row}), two, "MinMaxRatio")[0]) for user, row in d.lists.items()
        }
        return float(np.mean(list(each.values()))), each

    ratio = "groups=drama, divergence=ratio"
    drama, quotient = "the groups are Drama and the others", "first group ÷ second"
    return {
        "EXP(MinMaxRatio)": Measure(
            lambda: EXP(lists, d.first, "MinMaxRatio")[0],
            f"exposure(groups=first, divergence=ratio)@{d.k}",
            "the first topic of an item is its group",
        ),
        "EXP(MinMaxRatio), two groups": Measure(
            lambda: EXP(lists, two, "MinMaxRatio")[0], f"exposure({ratio})@{d.k}", drama
        ),
        "EXP(MinMaxRatio) of each list": Measure(
            of_each, f"awrf({ratio})@{d.k}", f"{drama}; the mean over lists"
        ),
        "AWRF(p=0.3, MinMaxRatio)": Measure(
            lambda: AWRF(lists, two, 0.3, "MinMaxRatio")[0],
            f"exposure({ratio}, view=rbp, p=0.7)@{d.k}",
            f"of all lists together; {drama}",
        ),
        "ERBE(decay=0.8, MinMaxRatio)": Measure(
            lambda: ERBE(lists, two, 0.8, "MinMaxRatio")[0],
            f"exposure({ratio}, view=rbp, target=uniform)@{d.k}",
            drama,
        ),
        "ERBP(decay=0.8, MinMaxRatio)": Measure(
            lambda: ERBP(lists, two, 0.8, "MinMaxRatio")[0], f"exposure({ratio}, view=rbp)@{d.k}", drama
        ),
        f"EXP, {quotient}": Measure(lambda: of_two(EXP), f"dp_ratio(groups=drama)@{d.k}", drama),
        f"ERBP(decay=0.8), {quotient}": Measure(
            lambda: of_two(ERBP, 0.8), f"dp_ratio(groups=drama, view=rbp)@{d.k}", drama
        ),
        f"EXPU, {quotient}": Measure(
            lambda: of_two(EXPU, relevance), f"dtr(groups=drama, candidates=list)@{d.k}", drama
        ),
        f"ERBR(decay=0.8), {quotient}": Measure(
            lambda: of_two(ERBR, relevance, 0.8), f"dtr(groups=drama, candidates=list, view=rbp)@{d.k}", drama
        ),
    }  # fmt: skip


def rankkit(d, _):
    from rankkit.bias import estimate, policy_from
    from rankkit.data import ClickQuery

    # every judgement is a click, on lists that show each user's judged items in the order of their ids
    seen = {user: tuple(sorted(row)) for user, row in d.test.items()}
    queries = [ClickQuery(user, items, items) for user, items in seen.items()]
    shown = policy_from({user: row[: d.k] for user, row in d.lists.items()})

    def ips(**how):
        found = estimate(queries, shown, k=d.k, **how)
        return found.ips, found.per_query

    def snips(**how):
        each = {query.qid: estimate([query], shown, k=d.k, **how).snips for query in queries}
        return float(np.mean(list(each.values()))), each

    def asked(compute, metric, note="", times=1.0):
        return Measure(compute, metric, note, times=times, propensity="place")

    alone = "computed per query and averaged; for all queries at once, it normalises over all of them"
    return {
        "ips(dcg)": asked(lambda: ips(weight="dcg"), f"ips(metric=dcg@{d.k})"),
        "ips(dcg, clip=0.4)": asked(lambda: ips(weight="dcg", clip=0.4), f"ips(metric=dcg@{d.k}, clip=0.4)"),
        "ips(recall)": asked(
            lambda: ips(weight="recall"), f"ips(metric=p@{d.k})", "hits, not divided by k", times=1 / d.k
        ),
        "snips(dcg)": asked(lambda: snips(weight="dcg"), f"snips(metric=dcg@{d.k})", alone),
        "snips(dcg, clip=0.4)": asked(
            lambda: snips(weight="dcg", clip=0.4), f"snips(metric=dcg@{d.k}, clip=0.4)", alone
        ),
        "snips(recall)": asked(lambda: snips(weight="recall"), f"snips(metric=r@{d.k})", alone),
    }


def obp(d, _):
    root = next(file for file in files("obp") if str(file) == "obp/version.py").locate().parent
    stand_in("torch", Tensor=type("Tensor", (), {}))
    stand_in("obp", "obp.ope")
    sys.modules["obp"].__path__, sys.modules["obp.ope"].__path__ = [str(root)], [str(root / "ope")]
    estimators = importlib.import_module("obp.ope.estimators")

    def value(name, weight):
        """Each judged item of a user is a round, its reward what the list makes of it; the one action is always taken."""
        each = {}
        for user, row in d.test.items():
            items, listed = sorted(row), d.lists.get(user, [])[: d.k]
            reward = [weight(listed.index(item) + 1) if item in listed else 0.0 for item in items]
            each[user] = getattr(estimators, name)().estimate_policy_value(
                reward=np.array(reward), action=np.zeros(len(items), int), pscore=1 / np.arange(1.0, len(items) + 1),
                action_dist=np.ones((len(items), 1, 1)), position=np.zeros(len(items), int),
            )  # fmt: skip
        return float(np.mean(list(each.values()))), each

    def asked(name, metric, weight):
        note = "the rounds are the judged items of a user, the reward is 1 (or the discount) for a listed one; the mean over users"
        return Measure(lambda: value(name, weight), metric, note, propensity="place")

    def one(_):
        return 1.0

    def discount(rank):
        return 1 / math.log2(rank + 1)

    ipw, snipw = "InverseProbabilityWeighting", "SelfNormalizedInverseProbabilityWeighting"
    return {
        ipw: asked(ipw, f"ips(metric=r@{d.k})", one),
        snipw: asked(snipw, f"snips(metric=r@{d.k})", one),
        f"{snipw}, discounted": asked(snipw, f"snips(metric=dcg@{d.k})", discount),
    }


def news_recommender_metrics(d, _):
    from news_recommender_metrics.RADio.calibration import Calibration
    from news_recommender_metrics.RADio.divergence_metrics import DivergenceMetricAbstract

    DivergenceMetricAbstract.NEAR_ZERO_VALUE = 1e-13

    def value(**how):
        metric = Calibration(**how)
        each = {
            user: metric([d.first[i] for i in d.train[user]], [d.first[i] for i in row[: d.k]])
            for user, row in d.lists.items()
            if d.train.get(user)
        }
        return float(np.mean(list(each.values()))), each

    note = "the first topic of an item is its category; its smoothing of 1e-4 is set to 1e-13"
    js = "features=first, divergence=js"
    return {
        "Calibration(is_rank_aware=False)": Measure(
            lambda: value(is_rank_aware=False), f"calibration({js})@{d.k}", note
        ),
        "Calibration(nDCG)": Measure(
            lambda: value(rank_weight_method="nDCG"), f"calibration({js}, discount=log2p1)@{d.k}", note
        ),
        "Calibration(MMR)": Measure(
            lambda: value(rank_weight_method="MMR"), None, f"ranks are weighted by 1 ÷ rank; {note}"
        ),
    }


TOOLS = {
    "rectools": rectools, "recmetrics": recmetrics, "replay": replay, "microsoft": microsoft, "jurity": jurity,
    "rexmex": rexmex, "rs_metrics": rs_metrics, "recpack": recpack, "cornac": cornac, "recbole": recbole,
    "warprec": warprec, "lenskit": lenskit, "clayrs": clayrs, "evidently": evidently,
    "fairranktune": fairranktune, "rankkit": rankkit, "obp": obp, "news_recommender_metrics": news_recommender_metrics,
}  # fmt: skip
PACKAGES = {"microsoft": "recommenders", "replay": "replay-rec", "rs_metrics": "rs-metrics"}
PACKAGES |= {"news_recommender_metrics": "news-recommender-metrics"}
