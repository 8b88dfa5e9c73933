"""Frameworks whose modules are loaded one by one, without the rest of the package."""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
import types
from importlib.metadata import files

import numpy as np
from beyond_measure import Measure, module_of, stand_in


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
