"""What the short programs that evaluate tables share: the words of the command line, the names of the five means, and the ideal gains."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable

NAMES = "ap(denom=R)@10", "ndcg@10", "p@10", "r@10", "rr@10"
# the DCG of a list of so many relevant items and no others
IDEAL = [math.fsum(1 / math.log2(place + 1) for place in range(1, many + 1)) for many in range(11)]


def main(measure: Callable[..., Iterable[float]]) -> None:
    """Print what a function makes of two files, TRUTH REC, and of flags such as --checked."""
    files = [word for word in sys.argv[1:] if not word.startswith("--")]
    flags = {word.removeprefix("--"): True for word in sys.argv[1:] if word.startswith("--")}
    print(json.dumps({"values": dict(zip(NAMES, map(float, measure(*files, **flags)), strict=True))}))
