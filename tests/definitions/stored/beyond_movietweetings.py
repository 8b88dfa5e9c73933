"""Print what other tools say beyond accuracy of the bundled MovieTweetings lists, and of a small ragged example.

    python beyond_movietweetings.py LISTS TRAIN [STORED [TOOL ...]] > beyond_movietweetings.json

LISTS is the folder with popular, itemknn, als, random, test and items as Parquet; TRAIN the CSV of the part of
MovieTweetings that came before the test (user_id, item_id, rating). `beyond_tools.py` beside this names the
tools, and the files that it imports call them.

The tools are installed with --no-deps beside NumPy, pandas 2, SciPy, scikit-learn, Polars and tqdm; WarpRec and ClayRS
beside torch, torchmetrics and LensKit with what it wants; Evidently with what it wants and pandas 2;
news-recommender-metrics beside pydantic, obp beside nothing more (its estimators alone are asked). No environment
holds all of them: a tool that is not there is left out, or keeps what STORED, an earlier output, has of it; with
TOOL ... only these are asked again.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import sys
import warnings
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pandas as pd
from beyond_tools import PACKAGES, TOOLS

warnings.simplefilter("ignore")
SYSTEMS = ("popular", "itemknn", "als", "random")
RAGGED = {
    "k": 5,
    "lists": {"u1": "cdhfj", "u2": "a", "u3": "bc", "u4": "fga", "u5": "abcdi", "u6": "ijgdh"},
    "train": {
        "u1": "ab",
        "u2": "bd",
        "u3": "ad",
        "u4": "ce",
        "u6": "abc",
        "u7": "ac",
        "u8": "abcde",
        "u9": "abf",
    },
    "test": {"u1": "cf", "u2": "a", "u3": "ac", "u4": "a", "u5": "be", "u6": "d", "u7": "b"},
    "items": {
        "a": ["Drama"],
        "b": ["Comedy", "Drama"],
        "c": ["Comedy"],
        "d": ["Action"],
        "e": ["Action", "Drama"],
        "f": [],
        "g": [],
        "h": ["Horror"],
        "i": ["Comedy", "Horror"],
        "j": ["Action"],
        "k": ["Drama", "War"],
    },
}


@dataclass
class Data:
    """Lists in rank order, train and test as items of each user, and the topics of each item of the catalogue."""

    k: int
    lists: dict[str, list[str]]
    train: dict[str, list[str]]
    test: dict[str, list[str]]
    topics: dict[str, list[str]]

    @property
    def full(self) -> bool:
        """Whether all lists have k items."""
        return all(len(items) == self.k for items in self.lists.values())

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many users have each item of train."""
        return pairs(self.train)["item"].value_counts().to_dict()

    @property
    def catalogue(self) -> list[str]:
        return sorted(self.topics)

    @cached_property
    def features(self) -> pd.DataFrame:
        """A row of zeros and ones for each item."""
        names = sorted({topic for topics in self.topics.values() for topic in topics})
        rows = [[int(name in self.topics[item]) for name in names] for item in self.catalogue]
        return pd.DataFrame(rows, index=pd.Index(self.catalogue, name="item"), columns=names)

    @property
    def first(self) -> dict[str, str]:
        """The first topic of each item, or none."""
        return {item: (topics or ["none"])[0] for item, topics in self.topics.items()}

    def head(self, least: float) -> tuple[float, list[str]]:
        """The most popular items up to the end of one count, and a share of the volume that cuts just there.

        The cut is the first such place from the share `least` on, so that it falls between different counts and every
        order of equal items gives the same head.
        """
        ranked = sorted(self.counts.items(), key=lambda pair: -pair[1])
        total, seen = sum(self.counts.values()), 0
        for (item, count), (_, after) in zip(ranked, [*ranked[1:], ("", 0)], strict=True):
            seen += count
            if seen / total >= least and count > after:
                place = [name for name, _ in ranked].index(item)
                return round((seen - 0.5) / total, 6), [name for name, _ in ranked[: place + 1]]
        raise ValueError(least)

    def popular(self, top: int) -> list[str]:
        """The items with most train users; equal ones by id."""
        return sorted(self.counts, key=lambda item: (-self.counts[item], item))[:top]


def pairs(rows: dict[str, list[str]]) -> pd.DataFrame:
    """A table of user, item, rank and a rating that falls with the rank."""
    cells = [(user, item, n, 101.0 - n) for user, row in rows.items() for n, item in enumerate(row, 1)]
    return pd.DataFrame(cells, columns=["user", "item", "rank", "rating"])


def movietweetings(folder: Path, train: Path) -> tuple[dict[str, Data], dict]:
    """The data of each system, and the test ratings beside a prediction."""
    text = {"user_id": str, "item_id": str}
    log = pd.read_csv(train, dtype=text)
    test = pd.read_parquet(folder / "test.parquet")
    items = pd.read_parquet(folder / "items.parquet")
    topics = dict(zip(items["item_id"], items["genres"].str.split("|"), strict=True))

    def of_each(rows: pd.DataFrame) -> dict[str, list[str]]:
        return rows.groupby("user_id")["item_id"].apply(list).to_dict()

    cases = {}
    for name in SYSTEMS:
        rows = pd.read_parquet(folder / f"{name}.parquet").sort_values(["user_id", "rank"])
        cases[name] = Data(10, of_each(rows), of_each(log), of_each(test), topics)
    guess = test["item_id"].map(log.groupby("item_id")["rating"].mean()).fillna(log["rating"].mean())
    return cases, {"user": test["user_id"], "item": test["item_id"], "truth": test["rating"], "guess": guess}


def ragged() -> Data:
    parts = ({user: list(row) for user, row in RAGGED[name].items()} for name in ("lists", "train", "test"))
    return Data(RAGGED["k"], *parts, RAGGED["items"])


def plain(value):
    """A number for JSON; NaN is null."""
    if isinstance(value, (dict, pd.Series)):
        return {str(key): plain(inner) for key, inner in sorted(value.items())}
    return None if math.isnan(value) else float(value)


def compute(tool: str, *data) -> dict[str, dict]:
    """Each measure of a tool; one that raises is stored with the name of its error."""
    np.random.seed(0)  # noqa: NPY002  (what the tools use)
    out = {}
    for name, measure in TOOLS[tool](*data).items():
        entry = measure.says()
        try:
            value = measure.compute()
        except Exception as error:  # noqa: BLE001  (whatever another tool raises is its answer)
            entry |= {"metric": None, "raises": type(error).__name__}
        else:
            mean, each = value if isinstance(value, tuple) else (value, None)
            entry["value"] = plain(mean)
            if each is not None and len(each) < 20:
                entry["per_list"] = plain(each)
        out[name] = entry
    return out


def compute_all(tool: str, cases: dict, ratings: dict, small: Data) -> tuple[dict, dict]:
    found = {name: compute(tool, case, ratings) for name, case in cases.items()}
    return found, compute(tool, small, None)


def alone(*asked) -> tuple[dict, dict]:
    """In a process of its own: what one tool stands in for, another may need."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(compute_all, asked)


def by_system(found: dict[str, dict[str, dict]]) -> dict[str, dict]:
    """One entry per measure, with the values of all systems."""
    first = next(iter(found.values()))
    out = {}
    for name, entry in first.items():
        if entry.get("of") == "ratings":
            out[name] = entry
            continue
        wording = {key: text for key, text in entry.items() if key != "value"}
        values = {system: measures[name].get("value") for system, measures in found.items()}
        factors = {system: measures[name].get("times", 1) for system, measures in found.items()}
        if len(set(factors.values())) > 1:
            wording["times"] = factors
        out[name] = wording | {"values": values}
    return out


def main() -> None:
    folder, train = Path(sys.argv[1]), Path(sys.argv[2])
    stored = json.loads(Path(sys.argv[3]).read_text())["tools"] if len(sys.argv) > 3 else {}
    asked = sys.argv[4:] or list(TOOLS)
    cases, ratings = movietweetings(folder, train)
    small = ragged()
    tools = {}
    for tool in TOOLS:
        try:
            installed = version(PACKAGES.get(tool, tool)) if tool in asked else None
        except PackageNotFoundError:
            installed = None
        if installed is None:
            if tool in stored:
                tools[tool] = stored[tool]
            print(f"{tool}: {'as stored' if tool in stored else 'left out'}", file=sys.stderr)
            continue
        print(f"{tool} {installed}", file=sys.stderr)
        lists, of_small = alone(tool, cases, ratings, small)
        tools[tool] = {"version": installed, "lists": by_system(lists), "ragged": of_small}
    any_case = cases[SYSTEMS[0]]
    at, head = any_case.head(0.8)
    sizes = {
        "k": 10,
        "lists": len(any_case.lists),
        "catalogue": len(any_case.topics),
        "train_users": len(any_case.train),
        "train_items": len(any_case.counts),
        "train_pairs": sum(any_case.counts.values()),
        "head": {"at": at, "items": len(head)},
    }
    document = {
        "script": "tests/definitions/stored/beyond_movietweetings.py",
        "data": sizes,
        "ragged": RAGGED,
    }
    print(json.dumps(document | {"tools": tools}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
