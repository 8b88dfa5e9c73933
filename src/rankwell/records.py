"""Records: dataclasses that nobody changes, made in less than half of the time that ``dataclass(frozen=True)`` takes.

That decorator writes and compiles six functions for each class, half a millisecond; a command loads seventy classes before it reads
a line, and uses a third of them. Here one is compiled, ``__init__``, when an object is first made; all records share the others. What
has an ``InitVar`` cannot be a record. That a field is set a second time is found by the type checker; what users hold (a policy,
results, a metric) also refuses it while the program runs, by ``SetOnce``.
"""

from __future__ import annotations

from _thread import RLock  # as functools has it: loading threading takes longer
from collections.abc import Callable, Hashable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields, replace
from functools import cache, partial
from operator import attrgetter
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform, overload

T = TypeVar("T")
PLAIN = frozenset(
    {type(None), bool, int, float, str, tuple}
)  # kinds of objects that can be part of every key


if TYPE_CHECKING:
    import functools

    cached_property = functools.cached_property
else:

    class cached_property:
        """What an object works out once, at the first look; two threads that look at once see one value.

        Before Python 3.12 functools' has a lock that all objects of a class share while one is worked out: two threads whose
        values ask for each other's would wait for ever.
        """

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self.function, self.__doc__ = function, function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.name, self.function(instance))


@overload
def record(cls: type[T], /) -> type[T]: ...
@overload
def record(
    *, eq: bool = True, repr: bool = True, kw_only: bool = False, slots: bool = False
) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(
    cls: Any = None,
    /,
    *,
    eq: bool = True,
    repr: bool = True,  # noqa: A002 - dataclass says it so
    kw_only: bool = False,
    slots: bool = False,
) -> Any:
    """Make a class a dataclass that is not changed; the options are those of ``dataclass``.

    What the class itself defines stays, as with ``dataclass``.
    """

    def made(cls: Any) -> Any:
        own = cls.__dict__
        shared: dict[str, Any] = {"__repr__": _shown} if repr else {}
        if eq:
            shared |= {"__eq__": _equal, "__hash__": _hashed}
        # a class that defines __eq__ alone has None for __hash__
        shared = {name: function for name, function in shared.items() if own.get(name) is None}
        cls = plain_dataclass(cls, kw_only=kw_only, slots=slots)
        for name, function in shared.items():
            setattr(cls, name, function)
        return cls

    return made if cls is None else made(cls)


def plain_dataclass(cls: Any, *, kw_only: bool = False, slots: bool = False) -> Any:
    """Make a class a dataclass without functions but ``__init__``: when somebody looks at its fields, or makes an object."""
    if slots:  # another class, which has to be made at once
        cls = dataclass(init=False, eq=False, repr=False, kw_only=kw_only, slots=True)(cls)
    else:
        cls.__dataclass_fields__ = _Fields(cls, kw_only)
        cls.__replace__ = replace  # copy.replace asks for it, and not for the fields
    if "__init__" not in cls.__dict__:
        cls.__init__ = _Init(cls)
    return cls


LOCK = RLock()  # the fields of a class ask for those of its bases


class _Fields:
    """The fields of a class at the first look: most of the classes that a command loads it does not use."""

    def __init__(self, cls: Any, kw_only: bool) -> None:
        self.cls, self.kw_only = cls, kw_only

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        with LOCK:
            if self.cls.__dict__["__dataclass_fields__"] is self:
                dataclass(init=False, eq=False, repr=False, kw_only=self.kw_only)(self.cls)
        return self.cls.__dataclass_fields__


class _Init:
    """The ``__init__`` of a class at the first look."""

    def __init__(self, cls: Any) -> None:
        self.cls = cls

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        self.cls.__init__ = _init_of(self.cls)
        return self.cls.__init__.__get__(instance, owner)


class _Factory:
    """The default of what is made anew for each object."""

    def __repr__(self) -> str:
        return "<factory>"


FACTORY = _Factory()


def _init_of(cls: Any) -> Any:
    """Compile the ``__init__`` that ``dataclass`` writes; for that it would look at all annotations a second time."""
    known: dict[str, Any] = {}
    parameters, lines = ["self"], []
    for each in sorted(fields(cls), key=attrgetter("kw_only")):
        name, has_factory = each.name, each.default_factory is not MISSING
        known |= {
            f"_default_{name}": FACTORY if has_factory else each.default,
            f"_make_{name}": each.default_factory,
        }
        if each.kw_only and "*" not in parameters:
            parameters.append("*")
        if each.init:
            is_required = each.default is MISSING and not has_factory
            parameters.append(name if is_required else f"{name}=_default_{name}")
        if has_factory:
            given = f" if {name} is _default_{name} else {name}" if each.init else ""
            lines.append(f"self.{name} = _make_{name}(){given}")
        elif each.init:
            lines.append(f"self.{name} = {name}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"]), known)  # noqa: S102 - names of fields
    made = known["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    made.__annotations__ = {each.name: each.type for each in fields(cls) if each.init} | {"return": None}
    return made


def _shown(self: Any) -> str:
    values = (f"{each.name}=" + repr(getattr(self, each.name)) for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(values)})"


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = _compared(self.__class__)
    return self is other or values(self) == values(other)


def _hashed(self: Any) -> int:
    return hash(_compared(self.__class__)(self))


@cache
def _compared(cls: Any) -> Callable[[Any], Any]:
    """Return what gives the values by which two records of a class are compared."""
    names = [each.name for each in fields(cls) if each.compare]
    return attrgetter("__class__", *names)


class SetOnce:
    """A base of records that refuse to be changed."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self) or name not in self.__dataclass_fields__:  # type: ignore[attr-defined]
            raise FrozenInstanceError(f"{type(self).__name__} cannot be changed; make another one.")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"{type(self).__name__} cannot be changed; make another one.")


class Derived:
    """An object that caches values computed from it and from other objects, each computed once.

    A value is cached by the shortest-lived object it is computed from: what depends on a run's own catalogue is cached by the
    context of that run, and freed with it. ``lifetime`` orders the classes; no object may cache a value keyed by one with a
    shorter lifetime.
    """

    __slots__ = ("_kept", "_lock")

    lifetime: ClassVar[int]

    _kept: dict[tuple[Any, ...], list[Any]]
    _lock: RLock

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Start with an empty cache, also after ``dataclasses.replace``, copying and unpickling."""
        self = super().__new__(cls)
        object.__setattr__(self, "_kept", {})
        object.__setattr__(self, "_lock", RLock())
        return self

    def once(self, function: Callable[..., T], *objects: Hashable) -> T:
        """Return ``function(self, *objects)``, computed at the first call; safe between threads.

        The key is the function and the objects themselves, so the function must read nothing but its arguments.

        TypeError if a function is new at each call, or an object has a shorter lifetime than this one.
        """
        key = (function, *objects)
        kept = self._kept.get(key)  # without the lock, which most calls need not wait for
        if not kept:
            self._check(function, *objects)
            with self._lock:
                # a list of the one value, so that what is long to hash is hashed no third time; empty until it is known
                kept = self._kept.setdefault(key, [])
                if not kept:
                    kept.append(function(self, *objects))
        value: T = kept[0]
        return value

    def _check(self, *key: Any) -> None:
        for part in key:
            if part.__class__ in PLAIN:
                continue
            if isinstance(part, FunctionType):
                # a lambda or closure is a new key at each call: nothing would be found again, and the cache would grow
                is_fixed = not part.__closure__ and ("<" not in part.__qualname__ or _is_of_class(part))
            else:
                is_fixed = not isinstance(part, (MethodType, partial))
            if not is_fixed:
                raise TypeError(
                    f"{type(self).__name__}.once: {repr(part)[:60]} is a new object at each call or reads more than its arguments. "
                    f"Pass a module-level function, or a method as Class.method."
                )
            if isinstance(part, Derived) and (part is self or part.lifetime < self.lifetime):
                raise TypeError(
                    f"{type(self).__name__}.once: the {type(part).__name__} in the key would be kept alive; use its own once."
                )

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__


def _is_of_class(function: FunctionType) -> bool:
    """Whether a function with a place inside of another one is the method of a class there."""
    place, _, name = function.__qualname__.rpartition(".")
    return name != "<lambda>" and not place.endswith("<locals>")
