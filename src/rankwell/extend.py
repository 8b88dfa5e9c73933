"""What authors import: of a metric, a reader, an engine, a judging method, a picture, a section of the report. These names stay.

A metric of rankwell's own imports it as yours does. Each name is loaded when it is asked for, so importing this module loads nothing.

>>> from rankwell.extend import QueryMetric, definition, ratio
>>> ratio.__module__
'rankwell.tables.lists'
"""

from __future__ import annotations

from rankwell.faces import face

# names, and the modules that they are imported from on first use
HOMES = {
    # any file
    "DataError": "rankwell.errors",
    "UsageError": "rankwell.errors",
    "brief": "rankwell.errors",
    "record": "rankwell.records",
    # a metric: what it derives from, and what it says of itself
    "Additive": "rankwell.metrics.additive",
    "Bounded": "rankwell.metrics.bounds",
    "CorpusMetric": "rankwell.metrics.metric",
    "Metric": "rankwell.metrics.metric",
    "QueryMetric": "rankwell.metrics.metric",
    "RankWeighted": "rankwell.metrics.additive",
    "Terms": "rankwell.metrics.additive",
    "definition": "rankwell.metrics.metric",
    "metric": "rankwell.metrics.metric",
    "metric_of": "rankwell.metrics.grammar",
    # what a metric is given, and what it returns
    "Context": "rankwell.matching.batch",
    "GeometricMean": "rankwell.tables.states",
    "Judged": "rankwell.matching.batch",
    "Mean": "rankwell.tables.states",
    "Pool": "rankwell.matching.pool",
    "Ranked": "rankwell.tables.lists",
    "State": "rankwell.tables.states",
    "Total": "rankwell.tables.states",
    "WeightedMean": "rankwell.tables.states",
    "ratio": "rankwell.tables.lists",
    # a reader: a file, and the shapes of JSON and of tables
    "Answer": "rankwell.readers.memory.answers",
    "File": "rankwell.readers.bytes.files",
    "Items": "rankwell.tables.items_users",
    "Qrels": "rankwell.tables.run_qrels",
    "RowOf": "rankwell.tables.series",
    "Run": "rankwell.tables.run_qrels",
    "Shape": "rankwell.readers.memory.answers",
    "TableReader": "rankwell.readers.frames.tables",
    "Unread": "rankwell.readers.memory.answers",
    "Users": "rankwell.tables.items_users",
    "is_object": "rankwell.readers.memory.answers",
    "read_qrels": "rankwell.readers",
    "read_run": "rankwell.readers",
    "require_text": "rankwell.readers.bytes.text",
    # an engine
    "Engine": "rankwell.evaluation.engine",
    "Part": "rankwell.results.part",
    "Task": "rankwell.evaluation.task",
    # a judging method
    "Bandit": "rankwell.judging.method",
    "ByRun": "rankwell.judging.method",
    "Choice": "rankwell.judging.method",
    "InTurn": "rankwell.judging.method",
    "Method": "rankwell.judging.method",
    "Told": "rankwell.judging.method",
    # a picture, and a section of the report
    "Comparison": "rankwell.comparison.compare.comparison",
    "Content": "rankwell.reporting.section",
    "Material": "rankwell.reporting.material",
    "Picture": "rankwell.reporting.chart.charts",
    "Results": "rankwell.results",
    "altair": "rankwell.reporting.chart.charts",
    "checked": "rankwell.tables.arguments",
    "data": "rankwell.reporting.chart.charts",
    "drawing": "rankwell.reporting.chart.charts",
    "finish": "rankwell.reporting.chart.charts",
    "report_section": "rankwell.reporting.section",
    "spec_of": "rankwell.reporting.chart.charts",
    "words_of": "rankwell.display.page",
}

__all__ = sorted(HOMES)  # noqa: PLE0605 - names of a table
__getattr__, __dir__ = face(__name__, HOMES)
