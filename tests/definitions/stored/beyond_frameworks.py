"""Frameworks for recommenders: how each is called, and which of our metrics its numbers are."""

from __future__ import annotations

import math
import types

import numpy as np
import pandas as pd
from beyond_measure import Measure, module_of, stand_in, table


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
        "serendipity(item_feature_vector)": Measure(
            serendipity,
            f"surprise@{d.k}",
            "; ".join(filter(None, ["a mean over all lists (population=listed)", without])),
        ),
    }
    if ratings:
        keys = {"user": ratings["user"], "item": ratings["item"]}
        truth = pd.DataFrame(keys | {"rating": ratings["truth"].astype(float)})
        guess = pd.DataFrame(keys | {"prediction": ratings["guess"]})
        how = names | {"col_rating": "rating", "col_prediction": "prediction"}
        found["rmse"] = Measure(lambda: ms.rmse(truth, guess, **how), "rmse", of="ratings")
        found["mae"] = Measure(lambda: ms.mae(truth, guess, **how), "mae", of="ratings")
        found["rsquared"] = Measure(lambda: ms.rsquared(truth, guess, **how), "r2", of="ratings")
        found["exp_var"] = Measure(
            lambda: ms.exp_var(truth, guess, **how), "explained_variance", of="ratings"
        )
    return found


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


def lenskit(d, _):
    import numpy as np
    import pandas as pd
    from lenskit.data import ItemList
    from lenskit.metrics import ListGini
    from lenskit.metrics.ranking import MeanPopRank
    from lenskit.metrics.ranking._entropy import matrix_column_entropy

    def value():
        metric = ListGini(d.k, items=len(d.topics))
        lists = [ItemList(item_ids=row, ordered=True) for row in d.lists.values()]
        return metric.global_aggregate([metric.compute_list_data(row, None) for row in lists])

    class Statistics:
        """The part of its data set that it asks for."""

        def item_stats(self):
            return pd.DataFrame({"user_count": pd.Series(d.counts)})

    def mean(one):
        return np.nanmean([one(row) for row in d.lists.values()])

    popularity = MeanPopRank(Statistics(), n=d.k)
    places = {item: place for place, item in enumerate(d.catalogue)}
    matrix = d.features.loc[list(d.catalogue)].to_numpy(float)
    added = "adds 0.000001 to the sum of every topic"
    return {
        "ListGini": Measure(value, f"gini@{d.k}"),
        "MeanPopRank": Measure(
            lambda: mean(lambda row: popularity.measure_list(ItemList(item_ids=row, ordered=True), None)),
            f"mean_pop_rank@{d.k}",
        ),
        "matrix_column_entropy": Measure(
            lambda: mean(lambda row: matrix_column_entropy(matrix[[places[i] for i in row[: d.k]]])),
            f"category_entropy(count=topic)@{d.k}",
            added,
            within=5e-4,
        ),
    }
