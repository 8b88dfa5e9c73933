"""Metric: a frozen value whose fields are the parameters of a definition, with its name and text form; QueryMetric has a value per query,
CorpusMetric one of all lists together. Its cut-off is a rank or a Budget; the ``metric`` decorator makes one from a function.
"""

from __future__ import annotations

import math
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

import numpy as np

from rankwell.errors import UsageError, brief, nearest, one_of
from rankwell.matching.batch import Context, Judged
from rankwell.metrics.bounds import HasBounds
from rankwell.metrics.names import MODULES
from rankwell.metrics.parameters import check_cut, describe_kinds, fit_parameter, parameter_kinds, value_text
from rankwell.records import SetOnce, cached_property, plain_dataclass, record
from rankwell.tables.arguments import LARGEST, UNFIT, fit_kind
from rankwell.tables.columns import COLUMNS
from rankwell.tables.states import Average, Diagnostics, Mean, State, WeightedMean

TAKERS = (
    "p", "judged", "r", "f", "hit", "rr", "ap", "cg", "dcg", "size_p", "used", "span_r", "span_p", "span_iou", "span_f",
)  # fmt: skip
IN_PART = ("r", "cg", "dcg", "size_p", "used")  # metrics of which a row can count by the part of it that fits
DENOMS = {"r": ("R",), "ap": ("R", "hits", None)}  # the divisors that need no number of rows
OF_BUDGETS = frozenset({"shown", "sizes"})


@record
class Budget(SetOnce):
    """A cut-off by what the items of a list cost together, such as tokens: ``rw.R @ rw.Budget(2000)`` is ``r@2000t``.

    Parameters
    ----------
    size
        The budget, above 0; the policy's ``sizes`` names the column with the size of each item.

    Raises
    ------
    UsageError
        If it is no number above 0.

    Examples
    --------
    >>> import rankwell as rw
    >>> rw.R @ rw.Budget(2000), rw.Budget(0.5)
    (r@2000t, Budget(0.5))
    """

    size: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", fit_budget(self.size, "Budget"))

    @property
    def cut(self) -> dict[str, float]:
        """The parameter of a metric that it is."""
        return {"budget": self.size}

    def __repr__(self) -> str:
        return f"Budget({value_text(self.size)})"


def fit_budget(size: Any, of: str) -> float:
    """Return a budget as a number; UsageError if it is none above 0."""
    # infinity, which no other parameter can be, is the budget that cuts nothing
    number = size if isinstance(size, float) and math.isinf(size) else fit_kind(size, float)
    if number is UNFIT or not number > 0:
        raise UsageError(
            f"{of}: a budget is a number above 0, such as @2000t, not {brief(size) if number is UNFIT else value_text(number)}."
        )
    return float(number)


def cut_text(budget: float) -> str:
    """Return a budget as it stands in the text of a metric.

    >>> cut_text(2000.0), cut_text(0.5)
    ('@2000t', '@0.5t')
    """
    return f"@{value_text(budget) if math.isfinite(budget) else 'inf'}t"


def refuse_budget(metric: Any) -> None:
    """Raise UsageError for a metric that cannot be computed at its budget."""
    written = f"{metric.name}{cut_text(metric.budget)}"
    if metric.name not in TAKERS:
        why = ", for what is ideal within one is a knapsack" if hasattr(metric, "ideal") else ""
        raise UsageError(f"{written}: {metric.name} takes no budget{why}; {', '.join(TAKERS)} do.")
    if metric.k is not None:
        raise UsageError(f"{written}: a metric has one cut-off, a rank such as @10 or a budget.")
    allowed = DENOMS.get(metric.name, (getattr(metric, "denom", None),))
    if (denom := getattr(metric, "denom", None)) not in allowed:
        raise UsageError(
            f"{metric.name}(denom={denom}){cut_text(metric.budget)}: a budget names no rank to divide by; use "
            f"{one_of([f'denom={each}' for each in allowed if each])}."
        )


Better = Literal["higher", "lower", "neither"]

OF_ALL = frozenset({"k", "sampled", "budget"})  # parameters of every metric
MOST_NESTED = 10  # metrics of metrics
METHODS = frozenset({"update", "compute", "evaluate", "calc", "iter_calc", "score"})  # of metrics elsewhere
NO_CUT = "{name} needs a cut-off: write {name}@10."
REGISTRY: dict[str, type[Metric]] = {}
PARSED: dict[str, Metric] = {}  # metrics by the texts read so far
ASKED: dict[str, tuple[Metric, ...]] = {}  # the complete metrics that a text asks for


def forget_texts() -> None:
    """Read texts anew: a name that they hold means something else, as its class was defined again."""
    PARSED.clear()
    ASKED.clear()


M = TypeVar("M", bound=type)
NEEDS = (
    "shown", "item", "score", "ties", "catalogue", "features", "history", "counts", "grade_max", "collection_size",
    "topics", "judgement", "propensity", "users", "grade_min",
    *dict.fromkeys(column.need for column in COLUMNS.values() if column.need),
)  # fmt: skip


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False)
def definition(cls: M) -> M:
    """Make a metric class from annotated fields: a dataclass that is frozen (by ``SetOnce``) and compares by its parameters."""
    return plain_dataclass(cls, kw_only=True)


class MetricType(ABCMeta):
    """Lets a class stand for its defaults: ``P @ 5`` is ``P(k=5)``."""

    def __matmul__(cls, k: int | Budget) -> Any:
        return cls() @ k

    if not TYPE_CHECKING:  # which takes the parameters from __init__, as does inspect

        def __call__(cls, *data: Any, **parameters: Any) -> Any:
            """Make a metric, and say what to write if it is called with data, or with what is no parameter of it."""
            if not data:
                try:
                    return super().__call__(**parameters)
                except TypeError:
                    own = [field.name for field in fields(cls) if field.name not in ("sampled", "budget")]
                    unknown = [name for name in parameters if name not in (*own, "sampled", "budget")]
                    if not unknown:
                        raise
                    message = f"{cls.__name__} has no parameter {brief(unknown[0])}; it has {one_of(own)}.{nearest(unknown[0], own)}"
                    raise UsageError(message) from None
            if isinstance(data[0], int):
                raise UsageError(f"{cls.__name__} takes its parameters by name: {cls.__name__}(k={data[0]}).")
            raise UsageError(f"{cls.__name__} is a definition and takes no data. {_evaluating(cls())}")

        @property
        def __signature__(cls) -> Any:
            import inspect

            own = inspect.signature(cls.__init__)
            return own.replace(parameters=[*own.parameters.values()][1:])


class _Elsewhere:
    """A method that metrics elsewhere have; with ``__getattr__`` in its place, each attribute of a metric would take three times as long."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, metric: Metric | None, owner: type[Metric]) -> Any:
        hint = "" if metric is None else f". A metric is a definition. {_evaluating(metric)}"
        raise AttributeError(
            f"{brief(owner.__name__)} object has no attribute {brief(self.name)}{hint}",
            name=self.name,
            obj=metric,
        )


def _evaluating(metric: Metric) -> str:
    """What to write instead of calling a metric."""
    cut = "" if metric.cut != "required" or metric.k or metric.budget else "@10"
    return f"Write rw.evaluate(run, qrels, ['{metric}{cut}'])."


@definition
class Metric(SetOnce, metaclass=MetricType):
    """A definition with all its parameters, as a value: comparable, hashable, picklable, and written as text.

    Subclass ``QueryMetric`` or ``CorpusMetric``, not this class. ``cut`` says whether ``@k`` is required, optional or
    refused; ``needs`` names the tables that the metric reads; ``judgements`` says whether it reads qrels. ``budget`` cuts lists by the
    sizes of their items, in place of ``k``. ``sampled``
    (metrics of judgements only) states that the lists rank this many randomly drawn candidates beside the relevant items;
    values are computed from the lists as they are, under a name that keeps them apart from values over all items.
    ``sliceable``: the metric is meaningful when only some items' judgements count (``slices=``). ``sees_missing``: a list
    metric has a value for judged queries missing from the run, and for users found only in ``users=``. ``copies``: an item that a
    list repeats can count each time (``duplicates=each``). ``always_shown``: parameters that are written even at their default.
    ``plain``: what it measures for somebody who knows no metric, with ``{top}`` for the first k and ``{are}`` behind it; without it
    pages show the first sentence of the docstring.
    ``only_grades`` and ``only_scores``: the only numbers that the metric takes, if others have no meaning for it; the data of tests
    are then made of these.
    """

    name: ClassVar[str] = ""
    plain: ClassVar[str] = ""
    aliases: ClassVar[tuple[str, ...]] = ()
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    better: ClassVar[Better] = "higher"
    needs: ClassVar[frozenset[str]] = frozenset()
    cut: ClassVar[Literal["required", "optional", "none"]] = "optional"
    judgements: ClassVar[bool] = True
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "judgements"
    sliceable: ClassVar[bool] = False
    sees_missing: ClassVar[bool] = False
    copies: ClassVar[bool] = False
    always_shown: ClassVar[frozenset[str]] = frozenset()
    only_grades: ClassVar[tuple[float, ...]] = ()
    only_scores: ClassVar[tuple[float, ...]] = ()

    k: int | None = None
    sampled: int | None = None
    budget: float | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls.__dict__.get("name"):
            return
        cls.needs = frozenset(cls.needs)
        if unknown := cls.needs - set(NEEDS):
            raise UsageError(
                f"{cls.__name__}: unknown needs={sorted(unknown)}; a metric can need {one_of(NEEDS)}."
            )
        for name in (cls.name, *cls.aliases):
            known = REGISTRY.get(name)
            if known and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
                raise UsageError(
                    f"{cls.__name__}: the name {brief(name)} belongs to {known.__name__} already."
                )
            # a built-in that is not imported yet keeps its name too
            if name in MODULES and not cls.__module__.startswith(f"{__package__}."):
                raise UsageError(f"{cls.__name__}: the name {brief(name)} belongs to a built-in metric.")
            if known:  # as a notebook defines a class again; a new name is in no text that was read
                forget_texts()
            REGISTRY[name] = cls

    def __post_init__(self) -> None:
        for name, kinds in parameter_kinds(type(self)):
            if name == "budget":
                continue
            # in one normal form, so that k=5 and k=5.0 are the same metric, to the letter of its text
            object.__setattr__(self, name, self._fit(name, getattr(self, name), kinds))
            self._refuse_nesting(getattr(self, name))
        if self.k is not None:
            check_cut(self.name, self.k, self.cut)
        if self.budget is not None:
            object.__setattr__(self, "budget", fit_budget(self.budget, self.name))
            refuse_budget(self)

    def _refuse_nesting(self, value: Any) -> None:
        """Refuse metrics of metrics of metrics … before something that follows them down runs out of stack."""
        depth = 1
        while isinstance(value, Metric):
            if value.budget is not None:
                raise UsageError(
                    f"{value}: a metric at a budget cannot be part of another metric; ask for it by itself."
                )
            depth += 1
            if depth > MOST_NESTED:
                raise UsageError(f"{self.name}: metrics are nested more than {MOST_NESTED} deep.")
            value = next((each for each in vars(value).values() if isinstance(each, Metric)), None)

    def _fit(self, name: str, value: Any, kinds: tuple[Any, ...]) -> Any:
        for kind in kinds:
            normal = fit_parameter(value, kind)
            if normal is not UNFIT:
                return normal
        limit = " up to 2**53" if isinstance(value, int) and abs(value) > LARGEST else ""
        raise UsageError(
            f"{type(self).__name__}({name}={brief(value)}): {name} must be {describe_kinds(kinds)}{limit}."
        )

    if not TYPE_CHECKING:  # to which a metric has no such attributes

        def __call__(self, *data: Any, **parameters: Any) -> Any:
            """Raise UsageError, which says what to write."""
            raise UsageError(f"{self} is a definition and takes no data. {_evaluating(self)}")

    def __matmul__(self, k: int | Budget) -> Self:
        if self.k is not None or self.budget is not None:
            raise UsageError(f"{self} already has a cut-off; {self} @ {k} gives a second one.")
        cut: dict[str, Any] = getattr(k, "cut", {"k": k})
        return replace(self, **cut)

    @property
    def last_rank(self) -> int:
        """The cut-off, or a rank beyond that of every row."""
        return LARGEST if self.k is None else self.k

    def resolved(self) -> dict[str, Any]:
        """Return the parameters except those of every metric, with defaults that depend on other parameters filled in."""
        names = [field.name for field in fields(self) if field.name not in OF_ALL]
        return {name: getattr(self, name) for name in names}

    def applies(self, parameter: str) -> bool:
        """Whether a parameter has an effect, given the others; those without effect are left out of the signature."""
        return True

    def check(self) -> None:
        """Raise UsageError if the metric cannot be computed as written, or a parameter has no effect."""
        if self.cut == "required" and self.k is None and self.budget is None:
            raise UsageError(NO_CUT.format(name=self.name))
        if self.sampled is not None and (self.sampled < 1 or not self.judgements):
            raise UsageError(
                f"{self}: sampled must be a whole number of at least 1, on a metric that needs judgements."
            )
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default and not self.applies(field.name):
                raise UsageError(
                    f"{self}: {field.name}={value_text(value)} has no effect with the other parameters. "
                    f"Leave it out; `rankwell explain {self.name}` says when it applies."
                )

    def needed(self) -> frozenset[str]:
        """The tables that this metric requires, given its parameters."""
        return self.needs if self.budget is None else self.needs | OF_BUDGETS

    def check_tables(self, context: Context) -> None:
        """Raise an error if a given table lacks a column that this metric needs."""

    def has_expected_value(self) -> bool:
        """Whether the metric has an exact mean over all orders of tied scores (``Policy(ties="expected")``)."""
        return False

    def reads_all_judgements(self) -> bool:
        """Whether the metric also looks at judgements of other queries than the lists are of."""
        return False

    def broken_laws(self) -> dict[str, str]:
        """The laws of ``rankwell.testing`` that do not hold for these parameters, each with its reason."""
        return {}

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """Counts from a batch that help to read the value, by name; shown with the result."""
        return {}

    def diagnostics(self, judged: Judged) -> Diagnostics | None:
        """Return what a batch contributes to the metric's diagnostics, which add up like states."""
        return None

    def caution(self) -> str:
        """A caveat printed with the value; empty for most metrics."""
        return ""

    def depends_on_k(self) -> frozenset[str]:
        """The parameters whose default depends on k: always written out if there is a k."""
        return frozenset()

    @cached_property
    def signature(self) -> str:
        """The definition with every parameter that applies, as text that parses back."""
        shown = {name: value for name, value in self.resolved().items() if self.applies(name)}
        return self._text(
            shown, lambda value: value.signature if isinstance(value, Metric) else value_text(value)
        )

    @cached_property
    def _shortest(self) -> str:
        resolved, plain = self.resolved(), _defaults(type(self))
        always = self.always_shown | (self.depends_on_k() if self.k is not None else frozenset())
        return self._text({n: v for n, v in resolved.items() if n in always or v != plain[n]})

    def __str__(self) -> str:
        return self._shortest

    def _text(self, shown: Mapping[str, Any], written: Callable[[Any], str] = value_text) -> str:
        shown = {**shown, "sampled": self.sampled}
        inside = ",".join(f"{name}={written(value)}" for name, value in shown.items() if value is not None)
        cut = "" if self.k is None else f"@{self.k}"
        cut = cut if self.budget is None else cut_text(self.budget)
        return f"{self.name}({inside}){cut}" if inside else f"{self.name}{cut}"

    def __repr__(self) -> str:
        return str(self)

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        return (type(self), self.k, self.sampled, self.budget, *self.resolved().values())

    @cached_property
    def _hash(self) -> int:
        return hash(self._identity)

    def __eq__(self, other: object) -> bool:
        # by type first: to ask an abstract class for its instances takes longer than all else here
        return self is other or (type(self) is type(other) and self._identity == other._identity)

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        # string hashes differ between processes
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @abstractmethod
    def state(self, judged: Judged, context: Context) -> State:
        """Return the state of a batch."""

    @abstractmethod
    def value(self, state: Any) -> float:
        """Return the number of a state, or of a sum of states; NaN where it is undefined."""

    def left_out(self, state: Any) -> dict[str, int]:
        """What of all lists together does not count in the value of a state, by what is counted."""
        return {}


for _name in METHODS:
    setattr(Metric, _name, _Elsewhere(_name))


@cache
def _defaults(cls: type[Metric]) -> dict[str, Any]:
    """The default values of the parameters except k."""
    return cls().resolved()


@definition
class QueryMetric(HasBounds, Metric):
    """A metric with one value per query; the mean is taken over the queries for which it is defined."""

    @abstractmethod
    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Return one value per query of the batch, NaN where the metric is undefined."""

    def values(self, judged: Judged, context: Context) -> np.ndarray:
        """Return the values that ``per_query`` has of the rows that the budget keeps; without a budget, of all rows."""
        if self.budget is None:
            return self.per_query(judged, context)
        assert context.sizes is not None
        kept = context.sizes.kept(judged, self.budget)
        values = self.per_query(kept.lists, context)
        if kept.longer is kept.lists:
            return values
        # of a row that fits in part, that part counts: the values are sums over rows
        return values + kept.share * (self.per_query(kept.longer, context) - values)

    def undefined_lists(self, without: np.ndarray, judged: Judged) -> np.ndarray | None:
        """Return which of the queries without a value their lists leave so, of a metric that judgements leave undefined, too; None if none."""
        return None

    def summary(self, values: np.ndarray) -> Average:
        """Return the state of defined values: an arithmetic mean."""
        return Mean.of(values)

    def weighted(self, values: np.ndarray, weights: np.ndarray) -> Average | None:
        """Return the state of defined values with a weight each; None for a metric that cannot be weighted."""
        return WeightedMean.of(values, weights)

    def state(self, judged: Judged, context: Context) -> Average:
        """Return the state of the queries where the metric is defined."""
        values = self.values(judged, context)
        return self.summary(values[~np.isnan(values)])

    def value(self, state: Average) -> float:
        """Return the mean, or what ``summary`` has in its place."""
        return state.value


@definition
class ListMetric(QueryMetric):
    """A metric of each list on its own, judged or not; undefined for lists that are too short."""

    judgements: ClassVar[bool] = False
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"
    better: ClassVar[Better] = "neither"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item"})


@definition
class CorpusMetric(Metric):
    """A metric of all lists together: ``state`` keeps of a batch what adds up, ``value`` makes the number of the sum.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import rankwell as rw
    >>> @dataclass(frozen=True)
    ... class Found:
    ...     found: int
    ...     relevant: int
    ...     n: int  # the number of queries
    ...
    ...     def __add__(self, other):
    ...         return Found(self.found + other.found, self.relevant + other.relevant, self.n + other.n)
    >>> @definition
    ... class PooledRecall(CorpusMetric):
    ...     name = "pooled_recall"
    ...     judgements = True  # only lists of judged queries count
    ...     sees_missing = True  # and judged queries without a list
    ...
    ...     def state(self, judged, context):
    ...         found = judged.relevant().top(self.k).count().sum()
    ...         return Found(int(found), int(judged.n_relevant().sum()), len(judged))
    ...
    ...     def value(self, state):
    ...         return state.found / state.relevant if state.relevant else np.nan
    >>> run, qrels = {"q": ["a", "b"], "r": ["a"]}, {"q": {"a": 1, "b": 1}, "r": {"b": 1, "c": 1}}
    >>> rw.evaluate(run, qrels, ["pooled_recall", PooledRecall @ 1, "set_r"]).mean
    {'pooled_recall': 0.5, 'pooled_recall@1': 0.25, 'set_r': 0.5}
    """

    judgements: ClassVar[bool] = False
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"
    grows: ClassVar[bool] = (
        False  # with the number of lists, so that only runs of equally many can be compared
    )


Function = Callable[[Judged, Context], np.ndarray]


def metric(
    *,
    name: str,
    range: tuple[float, float] = (0.0, 1.0),
    better: Better = "higher",
    needs: Iterable[str] = (),
) -> Callable[[Function], QueryMetric]:
    """Make a metric without parameters from a module-level function ``(judged, context) -> one value per query``.

    Parameters
    ----------
    name
        The metric's name in lower case; it must not be in use.
    range
        The lowest and the highest value.
    better
        ``higher``, ``lower`` or ``neither``.
    needs
        Tables beyond the judged hits: ``shown``, ``item``, ``score``, ``ties``, ``catalogue``, ``features``, ``history``,
        ``counts``, ``grade_max``, ``topics``.

    Returns
    -------
    QueryMetric
        The metric. It works wherever a built-in metric does, and can be asked for by name.

    Raises
    ------
    UsageError
        If the name is in use or a need is unknown.

    Examples
    --------
    >>> @metric(name="last_hit", range=(1, float("inf")), better="lower")
    ... def last_hit(judged, context):
    ...     '''The rank of the last relevant item found.'''
    ...     hits = judged.relevant()
    ...     last = hits.where(hits.nth() == hits.count()[hits.query])
    ...     return np.where(last.count() > 0, last.sum(last.rank), np.nan)
    >>> last_hit
    last_hit
    """

    def make(function: Function) -> QueryMetric:
        body = {
            "__doc__": function.__doc__,
            "__module__": function.__module__,
            "__qualname__": function.__qualname__,
            "__reduce__": lambda _: function.__qualname__,
            "name": name,
            "range": range,
            "better": better,
            "needs": frozenset(needs),
            "cut": "none",
            "per_query": lambda _, judged, context: function(judged, context),
        }
        return definition(MetricType(function.__name__, (QueryMetric,), body))()

    return make
