"""Sweeps over thresholds of relevance: the option ``--rel-sweep``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankwell.cli.words import split
from rankwell.display.output import in_form, width, write

if TYPE_CHECKING:
    from rankwell.cli.evaluate import Printed
    from rankwell.evaluation.inputs import Inputs
    from rankwell.evaluation.rel_sweep import Threshold
    from rankwell.tables.run_qrels import Run


def thresholds_in(names: Sequence[str], words: str) -> tuple[Threshold, ...]:
    """Return the thresholds that a word of the command line names."""
    from rankwell.evaluation.rel_sweep import thresholds_of
    from rankwell.metrics import metrics_of

    return thresholds_of(metrics_of(names), split(words))


def write_sweep(
    inputs: Inputs,
    runs: Mapping[str, Run],
    thresholds: tuple[Threshold, ...],
    threads: int | None,
    printed: Printed,
) -> None:
    """Print one table per metric: a row per threshold."""
    from rankwell.evaluation.rel_sweep import sweep_of

    sweep = sweep_of(inputs, runs, thresholds, threads=threads)
    if printed.form == "json":
        import json

        text = json.dumps(sweep.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
    else:
        tables = [sweep.to_table(metric) for metric in sweep.metrics]
        text = in_form(tables, printed.form, None if printed.output else width())
    write(text, printed.output)
