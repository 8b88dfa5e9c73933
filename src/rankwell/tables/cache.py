"""Cache: Derived, the base of objects that keep values computed from them."""

from __future__ import annotations

from _thread import RLock  # as functools has it: loading threading takes longer
from collections.abc import Callable, Hashable
from functools import partial
from types import FunctionType, MethodType
from typing import Any, ClassVar, Self, TypeVar

from rankwell.errors import brief

T = TypeVar("T")
PLAIN = frozenset(
    {type(None), bool, int, float, str, tuple}
)  # kinds of objects that can be part of every key


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
                    f"{type(self).__name__}.once: {brief(part)} is a new object at each call or reads more than its arguments. "
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
