"""Metric: a frozen value whose fields are the parameters of a definition; what it is called and how it is written."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from typing import Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

import numpy as np

from rankwell.errors import UsageError, one_of
from rankwell.judge.context import Context
from rankwell.judge.judged import Judged
from rankwell.metrics.parameters import UNFIT, described, fitted, parameter_kinds, value_text
from rankwell.tables.states import Average, Diagnostics, Mean, State, WeightedMean

Better = Literal["higher", "lower", "neither"]

REGISTRY: dict[str, type[Metric]] = {}
M = TypeVar("M", bound=type)
NEEDS = (
    "shown", "item", "score", "ties", "catalogue", "features", "history", "counts", "grade_max", "collection_size",
    "topics", "judgement", "propensity", "users", "grade_min",
)  # fmt: skip


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False)
def definition(cls: M) -> M:
    """Make a metric class from its annotated fields: a frozen dataclass, compared by its parameters."""
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)  # type: ignore[return-value]


class MetricType(ABCMeta):
    """Lets a class stand for its default parameters: ``P @ 5`` is ``P(k=5)``."""

    def __matmul__(cls, k: int) -> Any:
        return cls() @ k


@definition
class Metric(metaclass=MetricType):
    """A definition with all its parameters, as a value: equal, hashable, picklable, and written as text.

    Subclass ``QueryMetric`` or ``CorpusMetric``, not this class. ``cut`` says whether ``@k`` is required,
    optional or refused; ``needs`` names the tables that are built for it; ``judgements`` whether it reads qrels;
    ``sampled`` says of any metric of judgements that the lists rank so many candidates drawn at random beside the relevant
    ones: the values are those of the lists as they are, under a name that keeps them apart from values over all items.
    ``sliceable`` whether it has a meaning where only some items' judgements count (``slices=``); ``sees_missing`` whether
    a metric of lists has a value for judged queries that the run lacks, and for users that only ``users=`` holds; ``told``
    are parameters that are written even at their default.
    """

    name: ClassVar[str] = ""
    aliases: ClassVar[tuple[str, ...]] = ()
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    better: ClassVar[Better] = "higher"
    needs: ClassVar[frozenset[str]] = frozenset()
    cut: ClassVar[Literal["required", "optional", "none"]] = "optional"
    judgements: ClassVar[bool] = True
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "judgements"
    sliceable: ClassVar[bool] = False
    sees_missing: ClassVar[bool] = False
    told: ClassVar[frozenset[str]] = frozenset()

    k: int | None = None
    sampled: int | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls.__dict__.get("name"):
            return
        cls.needs = frozenset(cls.needs)
        if unknown := cls.needs - set(NEEDS):
            raise UsageError(f"{cls.__name__}: needs={sorted(unknown)}: a metric can need {one_of(NEEDS)}.")
        for name in (cls.name, *cls.aliases):
            known = REGISTRY.get(name)
            if known and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
                raise UsageError(f"{cls.__name__}: the name {name!r} belongs to {known.__name__} already.")
            REGISTRY[name] = cls

    def __post_init__(self) -> None:
        for name, kinds in parameter_kinds(type(self)):
            object.__setattr__(self, name, self._fit(name, getattr(self, name), kinds))
        if self.k is not None and self.cut == "none":
            raise UsageError(f"{self.name} takes no cut-off; write {self.name}.")
        if self.k is not None and self.k < 1:
            raise UsageError(f"{self.name}@{self.k}: a cut-off is a whole number from 1.")

    def _fit(self, name: str, value: Any, kinds: tuple[Any, ...]) -> Any:
        for kind in kinds:
            normal = fitted(value, kind)
            if normal is not UNFIT:
                return normal
        raise UsageError(f"{type(self).__name__}({name}={value!r}): {name} is {described(kinds)}.")

    def __matmul__(self, k: int) -> Self:
        if self.k is not None:
            raise UsageError(f"{self} has a cut-off already; {self} @ {k} makes no sense.")
        return replace(self, k=k)

    def resolved(self) -> dict[str, Any]:
        """Return the parameters but k, with defaults that depend on others filled in."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in ("k", "sampled")
        }

    def in_force(self, parameter: str) -> bool:
        """Whether a parameter has an effect, given the others; those without are left out of the signature."""
        return True

    def check(self) -> None:
        """Raise UsageError if the metric cannot be computed as it stands, or a parameter would do nothing."""
        if self.cut == "required" and self.k is None:
            raise UsageError(f"{self.name} needs a cut-off: write {self.name}@10.")
        if self.sampled is not None and (self.sampled < 1 or not self.judgements):
            raise UsageError(
                f"{self}: sampled is a number of candidates from 1, for metrics that need judgements."
            )
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default and not self.in_force(field.name):
                raise UsageError(
                    f"{self}: {field.name}={value_text(value)} has no effect beside the other parameters. "
                    f"Leave it out, or see `rankwell explain {self.name}` for what it belongs to."
                )

    def needed(self) -> frozenset[str]:
        """The tables that this metric cannot do without, given its parameters."""
        return self.needs

    def check_tables(self, context: Context) -> None:
        """Raise an error if a table that was given lacks what this metric needs of it."""

    def expects(self) -> bool:
        """Whether the metric has an exact mean over all orders of equal scores (``Policy(ties="expected")``)."""
        return False

    def breaks(self) -> dict[str, str]:
        """The laws of ``rankwell.testing`` that do not hold for these parameters, each with the reason."""
        return {}

    def counts(self, judged: Judged, context: Context) -> dict[str, int]:
        """What a reader of the value should know of a batch, by what is counted; shown with the result."""
        return {}

    def diagnostics(self, judged: Judged) -> Diagnostics | None:
        """What is kept of a batch to tell how far the value can be trusted; it adds up like a state."""
        return None

    def caution(self) -> str:
        """What stands beside every value of this metric, as it is easily misread; mostly nothing."""
        return ""

    def depends_on_k(self) -> frozenset[str]:
        """The parameters whose default depends on k: always written out where there is a k."""
        return frozenset()

    @property
    def signature(self) -> str:
        """The definition with every switch that is in force, as text that parses back."""
        shown = {name: value for name, value in self.resolved().items() if self.in_force(name)}
        return self._text(
            shown, lambda value: value.signature if isinstance(value, Metric) else value_text(value)
        )

    @cached_property
    def _shortest(self) -> str:
        resolved, plain = self.resolved(), _defaults(type(self))
        always = self.told | (self.depends_on_k() if self.k is not None else frozenset())
        return self._text({n: v for n, v in resolved.items() if n in always or v != plain[n]})

    def __str__(self) -> str:
        return self._shortest

    def _text(self, shown: Mapping[str, Any], written: Callable[[Any], str] = value_text) -> str:
        shown = {**shown, "sampled": self.sampled}
        inside = ",".join(f"{name}={written(value)}" for name, value in shown.items() if value is not None)
        cut = "" if self.k is None else f"@{self.k}"
        return f"{self.name}({inside}){cut}" if inside else f"{self.name}{cut}"

    def __repr__(self) -> str:
        return str(self)

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        return (type(self), self.k, self.sampled, *self.resolved().values())

    @cached_property
    def _hash(self) -> int:
        return hash(self._identity)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Metric) and self._identity == other._identity)

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        # a hash holds for one process only
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @abstractmethod
    def state(self, judged: Judged, context: Context) -> State:
        """Return what is kept of a batch."""

    @abstractmethod
    def value(self, state: Any) -> float:
        """Return the number of a state, or of a sum of states; NaN where it is undefined."""

    def left_out(self, state: Any) -> dict[str, int]:
        """What of all lists together does not count in the value of a state, by what is counted."""
        return {}


@cache
def _defaults(cls: type[Metric]) -> dict[str, Any]:
    """The parameters but k where none is given."""
    return cls().resolved()


@definition
class QueryMetric(Metric):
    """A metric with one value per query; the mean is taken over the queries where it is defined."""

    @abstractmethod
    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Return one value per query of the batch, NaN where the metric is undefined."""

    def summary(self, values: np.ndarray) -> Average:
        """Return the state of defined values: an arithmetic mean."""
        return Mean.of(values)

    def weighted(self, values: np.ndarray, weights: np.ndarray) -> Average | None:
        """Return the state of defined values with a weight each; None for a metric that cannot be weighted."""
        return WeightedMean.of(values, weights)

    def state(self, judged: Judged, context: Context) -> Average:
        """Return the state of the queries where the metric is defined."""
        values = self.per_query(judged, context)
        return self.summary(values[~np.isnan(values)])

    def value(self, state: Average) -> float:
        """Return the mean, or what ``summary`` has in its place."""
        return state.value


@definition
class ListMetric(QueryMetric):
    """A metric of each list by itself, judged or not; undefined where the list is too short for it."""

    judgements: ClassVar[bool] = False
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "list"
    better: ClassVar[Better] = "neither"
    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item"})


@definition
class CorpusMetric(Metric):
    """A metric of all lists together: ``state`` keeps of a batch what adds up, ``value`` makes the number of the sum.

    ``grows`` says that the value grows with the number of lists, so that only runs of equally many can be compared.

    >>> from dataclasses import dataclass
    >>> import rankwell as rw
    >>> @dataclass(frozen=True)
    ... class Found:
    ...     found: int
    ...     relevant: int
    ...     n: int  # the number of queries
    ...     def __add__(self, other):
    ...         return Found(self.found + other.found, self.relevant + other.relevant, self.n + other.n)
    >>> @definition
    ... class PooledRecall(CorpusMetric):
    ...     name = "pooled_recall"
    ...     judgements = True  # only lists of judged queries count
    ...     sees_missing = True  # and judged queries without a list
    ...     def state(self, judged, context):
    ...         found = judged.relevant().top(self.k).count().sum()
    ...         return Found(int(found), int(judged.n_relevant().sum()), len(judged))
    ...     def value(self, state):
    ...         return state.found / state.relevant if state.relevant else np.nan
    >>> run, qrels = {"q": ["a", "b"], "r": ["a"]}, {"q": {"a": 1, "b": 1}, "r": {"b": 1, "c": 1}}
    >>> rw.evaluate(run, qrels, ["pooled_recall", PooledRecall @ 1, "set_r"]).mean
    {'pooled_recall': 0.5, 'pooled_recall@1': 0.25, 'set_r': 0.5}
    """

    judgements: ClassVar[bool] = False
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"
    grows: ClassVar[bool] = False
