"""Identity of a streamed evaluation: the data, metrics, rules and version that what is kept of it belongs to."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from rankwell import __version__
from rankwell.errors import UsageError
from rankwell.evaluation.streaming.joined import Tables
from rankwell.results.conditions import digest_of_tables
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    from rankwell.evaluation.streaming.plan import StreamPlan


def identity_of(plan: StreamPlan, run: Run, tables: Tables) -> str:
    """Return a digest of all that the values depend on; UsageError if a table is not in files, which alone are known to be the same later."""
    inputs, division = plan.inputs, None if plan.segments is None else plan.segments.division
    said: list[Any] = [
        __version__,
        run.name,
        [metric.signature for metric in plan.metrics],
        inputs.asked.policy.to_dict(),
        plan.engine.part_rows,
        str(plan.engine.memory),
        plan.per_query if isinstance(plan.per_query, bool) else "file",
        plan.tie_ranges,
        None if division is None else (division.by, division.weights),
        None if inputs.prepare is None else repr(inputs.prepare),
    ]
    for name, pieces in tables.items():
        paths = [file.path for file in pieces.files if file.path is not None]
        if not paths or len(paths) < len(pieces.files):
            raise UsageError(
                f"resume= is for tables in files, and {name} is not in one; give the path, or leave out resume=."
            )
        stamps = [file.stamp for file in pieces.files]
        said.append([name, [str(path.resolve()) for path in paths], stamps])
    slices = inputs.slices if isinstance(inputs.slices, dict) else {"": repr(inputs.slices)}
    said.append(
        {
            name: items if isinstance(items, str) else digest_of_tables(items, None)
            for name, items in slices.items()
        }
    )
    said.append(digest_of_tables(inputs.items, inputs.users))
    return hashlib.sha256(repr(said).encode()).hexdigest()
