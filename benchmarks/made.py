"""What makers of data share: sizes, seeds, ids, scores, and files that are always whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Size:
    """How large the three shapes are."""

    w1_queries: int = 6_980
    w2_queries: int = 250
    w2_runs: int = 20
    text_depth: int = 1_000
    w3_users: int = 1_000_000
    graded_queries: int = 100_000
    format_rows: int = 2_000_000
    seed: int = 1

    def draws(self, number: int) -> np.random.Generator:
        """The random numbers of one maker; another seed gives other data of the same shape."""
        return np.random.default_rng(number + 10_000 * (self.seed - 1))


FULL = Size()
QUICK = Size(
    w1_queries=300, w2_queries=20, w2_runs=3, w3_users=20_000, graded_queries=1_000, format_rows=100_000
)


def distinct_lists(rng: np.random.Generator, rows: int, width: int, below: int) -> Ints:
    """A row of `width` different whole numbers under `below` for each list."""
    return np.stack([rng.choice(below, size=width, replace=False) for _ in range(rows)])


def falling_scores(rng: np.random.Generator, rows: int, width: int) -> npt.NDArray[np.float64]:
    """Scores with four decimals that fall along each row, every hundredth equal to the one before it."""
    # Whole ten-thousandths: a tie in the numbers is then a tie in the text, and nothing else is.
    steps = 1 + rng.exponential(200, size=(rows, width)).astype(np.int64)
    steps[rng.random((rows, width)) < 0.01] = 0
    first = rng.integers(300_000, 400_000, size=(rows, 1))
    return (first - np.cumsum(steps, axis=1)) / 10_000


def prefixed(numbers: Ints, prefixes: list[str]) -> pl.Series:
    """Ids such as D1234567; the number chooses among the prefixes."""
    flat = pl.Series(numbers.ravel())
    heads = pl.Series(prefixes).gather(flat % len(prefixes))
    return pl.select(pl.concat_str(heads, flat.cast(pl.String))).to_series()


def write_table(frame: pl.DataFrame, path: Path) -> Path:
    """Write under another name first, so that a file in the cache is always whole."""
    partial = path.with_name(path.name + ".partial")
    if path.suffix == ".parquet":
        frame.write_parquet(partial)
    else:
        frame.write_csv(partial, separator=" ", include_header=False, float_precision=4)
    partial.replace(path)
    return path
