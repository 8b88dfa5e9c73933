"""The command line that users type, and how its JSON is read. Standard library only."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from harness import Command, Output


def means_in(document: Any) -> dict[str, float] | None:
    """The first `mean` in a JSON document, wherever it lies."""
    if isinstance(document, dict):
        if isinstance(document.get("mean"), dict):
            return {name: float(value) for name, value in document["mean"].items()}
        document = list(document.values())
    if isinstance(document, list):
        for inner in document:
            found = means_in(inner)
            if found is not None:
                return found
    return None


def evaluate_command(options: Namespace, qrels: Path, run: Path, metrics: list[str]) -> Command:
    """`rankwell evaluate` with these metrics; its values carry the names that were asked for."""

    def read(text: str) -> Output:
        means = means_in(json.loads(text))
        if means is None or len(means) != len(metrics):
            raise SystemExit(f"no means of {metrics} in what rankwell printed:\n{text[:2000]}")
        return Output(dict(zip(metrics, means.values(), strict=True)))

    asked = [word for metric in metrics for word in ("-m", metric)]
    argv = [str(options.rankwell), "evaluate", str(qrels), str(run), *asked, "--format", "json"]
    return Command("rankwell evaluate", argv, read, ours=True)
