"""Metric: a frozen value whose fields are the parameters of a definition; what it is called and how it is written."""

from __future__ import annotations

import math
import types
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar, Literal, Self, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

import numpy as np

from rankwell.errors import UsageError, nearest, one_of
from rankwell.hits import Context, Judged
from rankwell.states import Mean, State

Better = Literal["higher", "lower", "neither"]
Function = Callable[[Judged, Context], np.ndarray]
Numbers = tuple[float, ...]
Pairs = tuple[tuple[float, float], ...]

REGISTRY: dict[str, type[Metric]] = {}
M = TypeVar("M", bound=type)
NEEDS = ("shown", "item", "score", "ties", "catalogue", "grade_max")


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False)
def definition(cls: M) -> M:
    """Make a metric class from its annotated fields: a frozen dataclass, compared by its parameters."""
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)


class MetricType(ABCMeta):
    """Lets a class stand for its default parameters: ``P @ 5`` is ``P(k=5)``."""

    def __matmul__(cls, k: int) -> Any:
        return cls() @ k


@definition
class Metric(metaclass=MetricType):
    """A definition with all its parameters, as a value: equal, hashable, picklable, and written as text.

    Subclass :class:`QueryMetric` or :class:`CorpusMetric`, not this class. ``cut`` says whether ``@k`` is required,
    optional or refused; ``needs`` names the tables that are built for it; ``judgements`` whether it reads qrels.
    """

    name: ClassVar[str] = ""
    aliases: ClassVar[tuple[str, ...]] = ()
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    better: ClassVar[Better] = "higher"
    needs: ClassVar[frozenset[str]] = frozenset()
    cut: ClassVar[Literal["required", "optional", "none"]] = "optional"
    judgements: ClassVar[bool] = True
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "judgements"

    k: int | None = None

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
        for name, hint in parameter_types(type(self)).items():
            object.__setattr__(self, name, self._fit(name, getattr(self, name), hint))
        if self.k is not None and self.cut == "none":
            raise UsageError(f"{self.name} takes no cut-off; write {self.name}.")
        if self.k is not None and self.k < 1:
            raise UsageError(f"{self.name}@{self.k}: a cut-off is a whole number from 1.")

    def _fit(self, name: str, value: Any, hint: Any) -> Any:
        for kind in get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,):
            fitted = _fitted(value, kind)
            if fitted is not _UNFIT:
                return fitted
        raise UsageError(f"{type(self).__name__}({name}={value!r}): {name} is {_described(hint)}.")

    def __matmul__(self, k: int) -> Self:
        if self.k is not None:
            raise UsageError(f"{self} has a cut-off already; {self} @ {k} makes no sense.")
        return replace(self, k=k)

    def resolved(self) -> dict[str, Any]:
        """Return the parameters but k, with defaults that depend on others filled in."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "k"}

    def in_force(self, parameter: str) -> bool:  # noqa: ARG002 - a subclass decides by the name
        """Whether a parameter has an effect, given the others; those without are left out of the signature."""
        return True

    def check(self) -> None:
        """Raise UsageError if the metric cannot be computed as it stands, such as P without a cut-off."""
        if self.cut == "required" and self.k is None:
            raise UsageError(f"{self.name} needs a cut-off: write {self.name}@10.")

    def depends_on_k(self) -> frozenset[str]:
        """The parameters whose default depends on k: always written out where there is a k."""
        return frozenset()

    @property
    def signature(self) -> str:
        """The definition with every switch that is in force, as text that parses back."""
        return self._text({name: value for name, value in self.resolved().items() if self.in_force(name)})

    def __str__(self) -> str:
        resolved, defaults = self.resolved(), {field.name: field.default for field in fields(self)}
        always = self.depends_on_k() if self.k is not None else frozenset()
        plain = type(self)().resolved() if self.depends_on_k() else defaults
        return self._text({n: v for n, v in resolved.items() if n in always or v != plain[n]})

    def _text(self, shown: Mapping[str, Any]) -> str:
        inside = ",".join(f"{name}={value_text(value)}" for name, value in shown.items() if value is not None)
        cut = "" if self.k is None else f"@{self.k}"
        return f"{self.name}({inside}){cut}" if inside else f"{self.name}{cut}"

    def __repr__(self) -> str:
        return str(self)

    def _identity(self) -> tuple[Any, ...]:
        return (type(self), self.k, *self.resolved().values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    @abstractmethod
    def state(self, judged: Judged, context: Context) -> State:
        """Return what is kept of a batch."""


@definition
class QueryMetric(Metric):
    """A metric with one value per query; the mean is taken over the queries where it is defined."""

    @abstractmethod
    def per_query(self, judged: Judged, context: Context) -> np.ndarray:
        """Return one value per query of the batch, NaN where the metric is undefined."""

    def summary(self, values: np.ndarray) -> State:
        """Return the state of defined values: an arithmetic mean."""
        return Mean.of(values)

    def state(self, judged: Judged, context: Context) -> State:
        """Return the state of the queries where the metric is defined."""
        values = self.per_query(judged, context)
        return self.summary(values[~np.isnan(values)])


@definition
class CorpusMetric(Metric):
    """A metric of all lists together: it gives a state, and states add."""

    judgements: ClassVar[bool] = False
    undefined: ClassVar[Literal["judgements", "list", "never"]] = "never"


def metric(
    *, name: str, range: tuple[float, float] = (0.0, 1.0), better: Better = "higher", needs: Iterable[str] = ()
) -> Callable[[Function], QueryMetric]:
    """Make a metric without parameters of a module-level function ``(judged, context) -> one value per query``.

    Parameters
    ----------
    name
        How the metric is written, in lower case; it must not be taken.
    range
        The lowest and the highest value.
    better
        ``higher``, ``lower`` or ``neither``.
    needs
        Tables beyond the judged hits: ``shown``, ``item``, ``score``, ``ties``, ``catalogue``, ``grade_max``.

    Returns
    -------
    The metric, which works wherever a built-in does, also by its name.

    Raises
    ------
    UsageError
        If the name is taken or a need is unknown.

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
        return definition(MetricType(function.__name__, (QueryMetric,), body))()  # type: ignore[no-any-return]

    return make


@cache
def parameter_types(cls: type[Metric]) -> dict[str, Any]:
    """Return the annotated type of each parameter of a metric class, k among them."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


_UNFIT = object()


def _fitted(value: Any, kind: Any) -> Any:
    """Return ``value`` in the normal form of one kind of parameter, or _UNFIT."""
    if get_origin(kind) is Literal:
        if value is None and "none" in get_args(kind):
            return "none"
        return value if value in get_args(kind) and isinstance(value, str) else _UNFIT
    if kind is type(None):
        return None if value is None else _UNFIT
    if kind is bool:
        return value if isinstance(value, bool) else _UNFIT
    if kind in (int, float):
        is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or (kind is int and value != int(value)):
            return _UNFIT
        return kind(value)
    if kind == Numbers:
        listed = isinstance(value, (list, tuple, np.ndarray)) and len(value) > 0
        numbers = [_fitted(each, float) for each in value] if listed else [_UNFIT]
        return _UNFIT if _UNFIT in numbers else tuple(numbers)
    if kind == Pairs:
        pairs = value.items() if isinstance(value, Mapping) else value if isinstance(value, tuple) else ()
        numbers = [_fitted(tuple(pair), Numbers) for pair in pairs]
        return _UNFIT if _UNFIT in numbers or not numbers else tuple(sorted(numbers))
    return value if isinstance(value, kind) else _UNFIT


def _described(hint: Any) -> str:
    kinds = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    words: list[str] = []
    for kind in kinds:
        if get_origin(kind) is Literal:
            words += get_args(kind)
        elif kind is not type(None):
            plain = {int: "a whole number", float: "a number", bool: "true or false"}
            special = {Numbers: "a list of numbers", Pairs: "{number: number, …}"}
            words.append(special.get(kind) or plain.get(kind) or "a metric")
    return ("one of " if len(words) > 2 or get_origin(kinds[0]) is Literal else "") + ", ".join(words)


def value_text(value: Any) -> str:
    """Return a parameter's value as it is written in a metric's text.

    >>> value_text(((1.0, 3.0), (2.0, 7.5)))
    '{1:3,2:7.5}'
    """
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ",".join(f"{value_text(a)}:{value_text(b)}" for a, b in value) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(value_text, value)) + "]"
    return str(value)


def unknown_metric(name: str) -> UsageError:
    """Return the error for a name that no metric has."""
    return UsageError(f"There is no metric {name!r}.{nearest(name, REGISTRY)} `rankwell metrics` lists all.")
