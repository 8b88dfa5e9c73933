"""Whether the slow definition of a metric beyond accuracy notices a mutant."""

from __future__ import annotations

from tests.definitions.beyond import agree, evaluated, filled, text_of
from tests.definitions.reference_beyond import CORPUS, PER_LIST
from tests.definitions.reference_case import judged_users

from rankwell.metrics import metric_of

SEEDS = range(12)


def caught(name, parameters):
    """Whether the values differ from those of the slow definition."""
    text = text_of(name, parameters, None)
    for seed in SEEDS:
        case = filled(seed)
        res = evaluated(case, text)
        if name in CORPUS:
            if not agree(res[text], CORPUS[name](case, None, **parameters)):
                return True
            continue
        ours = dict(res.per_query.iter_rows())
        known = set(judged_users(case)) if metric_of(text).judgements else set(case.lists)
        values = PER_LIST[name](case, None, **parameters)
        if any(not agree(ours.get(user), value) for user, value in values.items() if user in known):
            return True
    return False
