"""Tools for fairness, biased logs and calibration: how each is called, and which of our metrics its numbers are."""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
from importlib.metadata import files

import numpy as np
import pandas as pd
from beyond_measure import Measure, stand_in


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
            lambda: value(rank_weight_method="MMR"), f"calibration({js}, discount=reciprocal)@{d.k}", note
        ),
    }
