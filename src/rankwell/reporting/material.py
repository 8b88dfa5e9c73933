"""Material: what a report is made from, read and evaluated once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankwell.comparison.comparison import Comparison
from rankwell.display.page import Words
from rankwell.metrics.metric import Metric
from rankwell.results import Results
from rankwell.tables.items_users import Items, Users
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    from rankwell.comparison.texts import Texts
    from rankwell.evaluation import Evaluator
    from rankwell.reporting.explorer.images import Images
    from rankwell.tables.redaction import Redaction


@dataclass(frozen=True, eq=False)
class Material:
    """What the sections of a report are made from.

    ``results`` are by system, in the order given. ``comparison`` is None for one system. ``evaluator`` and ``runs`` are there if
    runs were given, not saved results; a run in a file is read when its rows are looked at, so ask for few queries. A table is
    None if it was not given.
    """

    results: Mapping[str, Results]
    comparison: Comparison | None
    words: Words
    evaluator: Evaluator | None = None
    runs: Mapping[str, Run] = field(default_factory=dict)
    qrels: Qrels | None = None
    train: Qrels | None = None
    items: Items | None = None
    users: Users | None = None
    query_texts: Texts | None = None
    item_texts: Texts | None = None
    command: str = ""
    redaction: Redaction | None = None
    item_images: Images | None = None

    @property
    def names(self) -> list[str]:
        """The systems, in the order given."""
        return list(self.results)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics, in the order asked."""
        return next(iter(self.results.values())).metrics
