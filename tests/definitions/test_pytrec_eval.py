"""2,000 random cases against pytrec_eval-terrier, which runs the C code of trec_eval 9."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from tests.every import every

import rankwell as rw

from .both import values_of
from .programs import program
from .test_reference import ASKED, MEASURES, random_case


# random_case makes no empty lists and no query with negative grades only: on both that program crashes
@every("block", range(20))  # what other programs confirm is counted in docs/metrics.md, so all of them
def test_random_runs_have_the_values_of_pytrec_eval(block, confirm):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    compared: Counter[str] = Counter()
    for level in (1, 2):
        run, qrels = {}, {}  # topics do not see each other, so that many cases are one evaluation
        for seed in range(1000 + block * 100 + level - 1, 1000 + block * 100 + 100, 2):
            lists, judgements = random_case(seed)
            run |= {f"{seed}/{query}": row for query, row in lists.items()}
            qrels |= {f"{seed}/{query}": row for query, row in judgements.items()}
        policy = rw.Policy(
            grades="judgements",
            scores="single",
            missing="skip",
            undefined="zero",
            rel=None if level == 1 else level,
        )
        theirs = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=level).evaluate(run)
        ours = rw.evaluate(run, qrels, list(MEASURES.values()), policy=policy)
        for measure, metric in MEASURES.items():
            values = values_of(ours, metric)
            assert set(values) == set(theirs)
            for query, value in values.items():
                assert math.isclose(value, theirs[query][measure], rel_tol=1e-6, abs_tol=1e-12), (
                    measure,
                    query,
                )
                compared[measure] += 1
    assert compared.total() > 1000
    for measure, values in compared.items():
        confirm(MEASURES[measure], f"{program('pytrec_eval-terrier')} {measure}, random lists", values)
