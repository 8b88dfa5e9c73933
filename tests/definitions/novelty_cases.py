"""Lists of which some items are not in the training data."""

from __future__ import annotations

HEADS = [
    *(("volume", at) for at in (0, 0.5, 0.8, 1)),
    *(("top", at) for at in (0, 3, 100)),
    *(("fraction", at) for at in (0.25, 0.29)),
    *(("reach", at) for at in (0.29, 0.3, 0.4)),
    *(("count", at) for at in (0, 1)),
    *(("quantile", at) for at in (0.33, 0.5, 0.8)),
    *(("iqr", at) for at in (0, 0.5, 1.5)),
]
MIDS = [
    ("volume", 0.2, 0.8),
    ("volume", 0.5, 0.5),
    ("top", 2, 5),
    ("fraction", 0.1, 1),
    ("reach", 0.4, 0.2),
    ("count", 1, 0),
    ("quantile", 0.8, 0.33),
    ("iqr", 1.5, 0),
]
OF_HEAD = [{"head": head, "at": at} for head, at in HEADS]
OF_HEAD += [{"head": head, "at": at, "mid": mid} for head, at, mid in MIDS]


# --- items that train lacks, by hand --------------------------------------------------------------------------

# a: 4 of 4 users, b: 2, c: 1, d: 1; T = 8. x and y are in no training row
TRAIN = {
    "u": {"a": 1, "b": 1, "c": 1},
    "v": {"a": 1, "b": 1},
    "w": {"a": 1, "d": 1},
    "z": {"a": 1},
}
RUN = {"u": ["x", "b"], "new": ["a", "y"], "v": ["x", "y"]}
QRELS = {"u": {"x": 1, "b": 1}, "new": {"y": 1}, "v": {"c": 1}}
