# Made by tools/make_names.py; do not edit.
# ruff: noqa: A004, I001, RUF022, RUF100
from rankwell.metrics.additive import Additive as Additive
from rankwell.readers.memory.answers import Answer as Answer
from rankwell.judging.method import Bandit as Bandit
from rankwell.metrics.bounds import Bounded as Bounded
from rankwell.judging.method import ByRun as ByRun
from rankwell.judging.method import Choice as Choice
from rankwell.comparison.compare.comparison import Comparison as Comparison
from rankwell.reporting.section import Content as Content
from rankwell.matching.batch import Context as Context
from rankwell.metrics.metric import CorpusMetric as CorpusMetric
from rankwell.errors import DataError as DataError
from rankwell.evaluation.engine import Engine as Engine
from rankwell.readers.bytes.files import File as File
from rankwell.tables.states import GeometricMean as GeometricMean
from rankwell.judging.method import InTurn as InTurn
from rankwell.tables.items_users import Items as Items
from rankwell.matching.batch import Judged as Judged
from rankwell.reporting.material import Material as Material
from rankwell.tables.states import Mean as Mean
from rankwell.judging.method import Method as Method
from rankwell.metrics.metric import Metric as Metric
from rankwell.results.part import Part as Part
from rankwell.reporting.chart.charts import Picture as Picture
from rankwell.matching.pool import Pool as Pool
from rankwell.tables.run_qrels import Qrels as Qrels
from rankwell.metrics.metric import QueryMetric as QueryMetric
from rankwell.metrics.additive import RankWeighted as RankWeighted
from rankwell.tables.lists import Ranked as Ranked
from rankwell.results import Results as Results
from rankwell.tables.series import RowOf as RowOf
from rankwell.tables.run_qrels import Run as Run
from rankwell.readers.memory.answers import Shape as Shape
from rankwell.tables.states import State as State
from rankwell.readers.frames.tables import TableReader as TableReader
from rankwell.evaluation.task import Task as Task
from rankwell.metrics.additive import Terms as Terms
from rankwell.judging.method import Told as Told
from rankwell.tables.states import Total as Total
from rankwell.readers.memory.answers import Unread as Unread
from rankwell.errors import UsageError as UsageError
from rankwell.tables.items_users import Users as Users
from rankwell.tables.states import WeightedMean as WeightedMean
from rankwell.reporting.chart.charts import altair as altair
from rankwell.errors import brief as brief
from rankwell.tables.arguments import checked as checked
from rankwell.reporting.chart.charts import data as data
from rankwell.metrics.metric import definition as definition
from rankwell.reporting.chart.charts import drawing as drawing
from rankwell.reporting.chart.charts import finish as finish
from rankwell.readers.memory.answers import is_object as is_object
from rankwell.metrics.metric import metric as metric
from rankwell.metrics.grammar import metric_of as metric_of
from rankwell.tables.lists import ratio as ratio
from rankwell.readers import read_qrels as read_qrels
from rankwell.readers import read_run as read_run
from rankwell.records import record as record
from rankwell.reporting.section import report_section as report_section
from rankwell.readers.bytes.text import require_text as require_text
from rankwell.reporting.chart.charts import spec_of as spec_of
from rankwell.display.page import words_of as words_of

__all__ = [
    "Additive",
    "Answer",
    "Bandit",
    "Bounded",
    "ByRun",
    "Choice",
    "Comparison",
    "Content",
    "Context",
    "CorpusMetric",
    "DataError",
    "Engine",
    "File",
    "GeometricMean",
    "InTurn",
    "Items",
    "Judged",
    "Material",
    "Mean",
    "Method",
    "Metric",
    "Part",
    "Picture",
    "Pool",
    "Qrels",
    "QueryMetric",
    "RankWeighted",
    "Ranked",
    "Results",
    "RowOf",
    "Run",
    "Shape",
    "State",
    "TableReader",
    "Task",
    "Terms",
    "Told",
    "Total",
    "Unread",
    "UsageError",
    "Users",
    "WeightedMean",
    "altair",
    "brief",
    "checked",
    "data",
    "definition",
    "drawing",
    "finish",
    "is_object",
    "metric",
    "metric_of",
    "ratio",
    "read_qrels",
    "read_run",
    "record",
    "report_section",
    "require_text",
    "spec_of",
    "words_of",
]
