"""Write rectools.json: what RecTools says of the first random lists of test_outside.py.

RecTools wants an older NumPy than rankwell, so its values are stored; run this in an environment of its own:

    python -m venv rectools-env && rectools-env/bin/pip install rectools
    rectools-env/bin/python tests/definitions/stored/make_rectools.py
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import random
import sys
from pathlib import Path

import pandas as pd
from rectools import Columns
from rectools import metrics as rt

HERE = Path(__file__).parent
CASES = 120
SIZE = 40


def cases() -> list:
    """The lists of test_outside.py."""
    spec = importlib.util.spec_from_file_location("programs", HERE.parent / "programs.py")
    programs = importlib.util.module_from_spec(spec)
    sys.modules["programs"] = programs
    spec.loader.exec_module(programs)
    return [programs.Case.random(random.Random(seed), ties=False) for seed in range(CASES)]


METRICS = {
    "pauc@3": rt.PartialAUC(k=3),
    "pauc@10": rt.PartialAUC(k=10),
    "pap@3": rt.PAP(k=3),
    "pap@10": rt.PAP(k=10),
    "ap(denom=R)@5": rt.MAP(k=5),
    "ap(denom=k)@5": rt.MAP(k=5, divide_by_k=True),
    "p@5": rt.Precision(k=5),
    "r@5": rt.Recall(k=5),
    "hit@5": rt.HitRate(k=5),
    "rr@5": rt.MRR(k=5),
    "f@5": rt.F1Beta(k=5),
    "f(beta=2)@5": rt.F1Beta(k=5, beta=2),
    "ndcg(gain={1:1,2:1,3:1})@5": rt.NDCG(k=5, divide_by_achievable=True),
}


def main() -> None:
    reco, truth = [], []
    for number, case in enumerate(cases()):
        reco += [(number, f"i{99 - place}", place + 1) for place in range(len(case.listed))]
        truth += [(number, item) for item, grade in case.qrels.items() if grade > 0]
    reco = pd.DataFrame(reco, columns=[Columns.User, Columns.Item, Columns.Rank])
    truth = pd.DataFrame(truth, columns=[Columns.User, Columns.Item])
    values = {
        name: {str(user): float(value) for user, value in metric.calc_per_user(reco, truth).items()}
        for name, metric in METRICS.items()
    }
    version = importlib.metadata.version("rectools")
    (HERE / "rectools.json").write_text(
        json.dumps({"program": f"RecTools {version}", "values": values}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
