"""Libraries of metrics: how each is called, and which of our metrics its numbers are."""

from __future__ import annotations

from beyond_measure import Measure, mean_and_each, module_of, stand_in, table


def rectools(d, _):
    from rectools import metrics as rt
    from rectools.metrics.distances import PairwiseHammingDistanceCalculator

    k = d.k
    names = {"user": "user_id", "item": "item_id"}
    lists, train, test = (table(rows).rename(columns=names) for rows in (d.lists, d.train, d.test))
    hamming = rt.IntraListDiversity(k=k, distance_calculator=PairwiseHammingDistanceCalculator(d.features))
    dense = "the popularity rank is dense; an item that is not in train has PM = 0; a mean over all lists (population=listed)"
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
            f"ild(features=topics, distance=sqeuclidean, single=zero)@{k}",
            "Hamming distance of zeros and ones is the squared Euclidean one",
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
