"""What the same judgements give without an estimator: the metric itself, condensed lists, bpref and infAP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rankwell.evaluation import Evaluator
from rankwell.judging.estimating.frame import Frame, Judged
from rankwell.judging.estimating.means import Other
from rankwell.judging.estimating.targets import Target
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.binary.precision import AP
from rankwell.tables.run_qrels import Qrels, Run


def beside_of(
    runs: Mapping[str, Run], frame: Frame, judged: Judged, targets: tuple[Target, ...], policy: Policy
) -> tuple[Other, ...]:
    """Return the means of each run: unjudged items not relevant, and left out (condensed); for AP also bpref and infAP.

    infAP reads items of the frame that were not drawn as pooled.
    """
    rule = replace(policy, grades="judgements") if policy.rel is None and policy.grades == "auto" else policy
    known = ~np.isnan(judged.grade)
    query, item = frame.queries[frame.query], frame.items
    sampled = Qrels(query[known], item[known], judged.grade[known], name="sampled")
    pooled = Qrels(query, item, np.where(known, judged.grade, -1.0), name="sampled")
    metrics = [target.metric for target in targets]
    asked = [
        ("not relevant", sampled, metrics, rule),
        ("condensed", sampled, metrics, replace(rule, unjudged="condense")),
    ]
    rels = dict.fromkeys(metric.rel for metric in metrics if type(metric) is AP)
    for rel in rels:
        field = "" if rel is None else f"(rel={rel:g})"
        asked.append(("bpref", sampled, [metric_of(f"bpref{field}")], rule))
        if judged.is_whole:
            own = replace(rule, negative="unjudged")
            asked.append(("infap", pooled, [metric_of(f"infap{field}")], own))
    found = []
    for how, qrels, wanted, own in asked:
        results = Evaluator(qrels, wanted, policy=own).results_of_sources(runs)
        for name in runs:
            for metric in wanted:
                values = results[name].per_query[str(metric)].drop_nulls().to_numpy()
                found.append(Other(name, str(metric), how, results[name].mean[str(metric)], len(values)))
    return tuple(found)
