"""Finds metrics by name: the module of a built-in is imported when the metric is asked for."""

from __future__ import annotations

import importlib
import os
from collections.abc import Collection, Iterable
from functools import cache

from rankwell.errors import UsageError, brief
from rankwell.metrics.metric import REGISTRY, Metric
from rankwell.metrics.names import METRICS, MODULES

# what other libraries call a metric or a function, beyond the names that are read here: for hints alone; "" is none of them
ELSEWHERE = {
    **dict.fromkeys(("average_precision", "mean_average_precision", "mapk", "apk"), "ap"),
    **dict.fromkeys(("reciprocal_rank", "mean_reciprocal_rank"), "rr"),
    **dict.fromkeys(("normalized_dcg", "normalized_discounted_cumulative_gain"), "ndcg"),
    **dict.fromkeys(("hits_at_k", "hit_ratio", "top_k_accuracy"), "hit"),
    **dict.fromkeys(("f1", "f1_beta", "fbeta", "f_beta"), "f"),
    **dict.fromkeys(("roc_auc", "auroc"), "auc"),
    **dict.fromkeys(("gini_index", "gini_coefficient"), "gini"),
    **dict.fromkeys(("parse_run", "load_run", "read_trec_run"), "read_run"),
    **dict.fromkeys(("parse_qrel", "parse_qrels", "load_qrels", "read_trec_qrels"), "read_qrels"),
    "recommender_precision": "p", "recommender_recall": "r", "discounted_cumulative_gain": "dcg",
    "rank_biased_precision": "rbp", "expected_reciprocal_rank": "err", "binary_preference": "bpref", "rank_biased_overlap": "rbo",
    "fall_out": "fallout", "partial_auc": "pauc", "matthews_corrcoef": "mcc", "num_retrieved": "num_ret",
    "mean_squared_error": "mse", "root_mean_squared_error": "rmse", "mean_absolute_error": "mae",
    "intra_list_similarity": "ils", "intra_list_diversity": "ild", "mean_inv_user_freq": "msi", "avg_rec_popularity": "arp",
    "item_coverage": "coverage", "covered_users": "user_coverage",
    # ranx counts the relevant items; SDCG divides by the highest gain that the scale allows
    "hits": "", "sdcg": "",
}  # fmt: skip


@cache
def _load() -> None:
    import pkgutil

    for family in pkgutil.iter_modules([os.path.dirname(__file__)]):  # noqa: PTH120 - pathlib takes longer to load than all else here
        if family.ispkg:
            package = importlib.import_module(f"{__package__}.{family.name}")
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{package.__name__}.{module.name}")


def registry() -> dict[str, type[Metric]]:
    """Return every metric class by name and alias, including those defined by users."""
    _load()
    return REGISTRY


def classes() -> list[type[Metric]]:
    """Return every metric class once, sorted by name."""
    return sorted(set(registry().values()), key=lambda cls: cls.name)


def is_metric(name: str) -> bool:
    """Whether a metric has this name or alias, in upper or lower case."""
    text = name.lower()
    return text in REGISTRY or text in MODULES or text in registry()


def unknown(name: str, hint: str = "") -> UsageError:
    """Return the error that no metric has a name; ``hint`` says what was meant, if that is known."""
    near = hint or usual_name(name, registry())
    hint = f" Did you mean {near}?" if near and not hint else hint
    return UsageError(f"There is no metric {brief(name)}.{hint} `rankwell metrics` lists all.")


def find(name: str) -> type[Metric]:
    """Return the class with this name or alias, in upper or lower case."""
    text = name.lower()
    if text not in REGISTRY and text in MODULES:
        importlib.import_module(f"{__package__}.{MODULES[text]}")
    # a metric that tools/make_names.py has not seen yet is found by loading all
    found = REGISTRY.get(text) or registry().get(text)
    if found is None:
        raise unknown(name)
    return found


def class_named(name: str, *, module: str, others: Iterable[str] = ()) -> type[Metric]:
    """Return the built-in metric class that is an attribute of ``module``, beside ``others``.

    Raises
    ------
    AttributeError
        With the nearest name, if there is none.
    """
    if name in METRICS:
        found: type[Metric] = getattr(importlib.import_module(f"{__package__}.{METRICS[name][0]}"), name)
        return found
    if name.startswith("_"):
        raise AttributeError(f"module {brief(module)} has no attribute {brief(name)}", name=name)
    built_in = {text: cls for text, cls in registry().items() if cls.__module__.startswith(f"{__package__}.")}
    by_class = {cls.__name__: cls for cls in built_in.values()}
    if name in by_class:
        return by_class[name]
    meant = {text: cls.__name__ for text, cls in built_in.items()}
    meant |= {each.lower(): each for each in (*by_class, *others)}
    near = meant.get(usual_name(name, meant), "")
    hint = f"Did you mean {near}?" if near else "dir(rankwell.metrics) lists the metrics."
    # name= keeps Python from adding a guess of its own
    raise AttributeError(f"module {brief(module)} has no attribute {brief(name)}. {hint}", name=name)


def usual_name(name: str, names: Collection[str]) -> str:
    """Return which of these names another library's is, or one typed by mistake; "" if none, as what it resembles may be another metric.

    Examples
    --------
    >>> usual_name("RetrievalNormalizedDCG", MODULES), usual_name("average_precision_score", MODULES), usual_name("ndgc", MODULES)
    ('ndcg', 'ap', 'ndcg')
    >>> usual_name("coverage_error", MODULES)
    ''
    """
    import difflib
    import re

    text = name.lower()
    words = re.sub("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    bare = re.sub(r"_score$|_at_?(k|\d+)$", "", words.removeprefix("retrieval_"))
    for each in (text, words, bare):
        meant = each if each in names else ELSEWHERE.get(each)
        if meant is not None:
            return meant if meant in names else ""
    near = difflib.get_close_matches(text, names, n=1, cutoff=0.75)
    is_typo = near and (sorted(near[0]) == sorted(text) or difflib.get_close_matches(text, near, cutoff=0.85))
    return near[0] if is_typo else ""
