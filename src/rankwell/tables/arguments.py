"""Plain arguments of public functions (numbers, words, flags), checked against what the signature says."""

from __future__ import annotations

import functools
import inspect
import math
import types
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, ParamSpec, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from rankwell.errors import UsageError, brief, nearest, one_of

P = ParamSpec("P")
R = TypeVar("R")
UNFIT = object()
LARGEST = 2**53  # doubles hold every whole number up to here
WORDS = {
    int: "a whole number",
    float: "a finite number",
    bool: "true or false",
    str: "text",
    type(None): "None",
}


FEW = 16  # arguments that a message lists


class UnknownArgument(UsageError):
    """An argument that is none of the ``known`` ones; a function that hands on its options adds its own to these."""

    name: str
    known: tuple[str, ...]
    more: str

    @classmethod
    def of(cls, name: str, known: Iterable[str], more: str = "") -> Self:
        """Return the error, with the nearest known one; ``more`` says what else there is to know."""
        known = tuple(known)
        error = cls(f"there is no argument {name}=.{nearest(name, known)}{more}")
        error.name, error.known, error.more = name, known, more
        return error


def kinds_of(hint: Any) -> tuple[Any, ...]:
    """Return the kinds of value a type allows: the members of a union, or the type itself."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def fit_kind(value: Any, kind: Any) -> Any:
    """Return ``value`` in the normal form of one plain kind, or UNFIT if it does not fit.

    Plain are None, bool, int, float, str, Literal, and Mapping, of which the contents are not looked at. Numbers and truth values of NumPy are such; whole floats are whole numbers; NaN and
    infinity, and whole numbers above 2**53, are none.
    """
    if getattr(kind, "__origin__", None) is Literal:  # what get_origin says, which takes ten times as long
        # compared one by one: a word never equals an array or a frame
        return value if type(value) in (str, int) and value in get_args(kind) else UNFIT
    if kind in (int, float):
        if isinstance(value, bool) or not (isinstance(value, int | float) or _is_number_of_numpy(value)):
            return UNFIT
        if isinstance(value, int) and abs(value) > LARGEST and kind is int:
            return UNFIT
        try:
            number = float(value)
        except OverflowError:
            return UNFIT
        if not math.isfinite(number) or (
            kind is int and not (number.is_integer() and abs(number) <= LARGEST)
        ):
            return UNFIT
        return kind(value)
    if kind is bool and not isinstance(value, bool) and _is_truth_of_numpy(value):
        return bool(value)
    return value if isinstance(value, getattr(kind, "__origin__", kind)) else UNFIT


def _is_truth_of_numpy(value: Any) -> bool:
    import numpy as np

    return isinstance(value, np.bool_)


def _is_number_of_numpy(value: Any) -> bool:
    import numpy as np

    return isinstance(value, np.integer | np.floating)


def plain(word: str, value: Any, *kinds: Any) -> Any:
    """Return an argument in the normal form of one of the plain kinds; UsageError if it fits none of them.

    Examples
    --------
    >>> plain("threads", 2.0, int, None)
    2
    """
    if value is None and (None in kinds or type(None) in kinds):
        return None
    for kind in kinds:
        if kind is not None and (fit := fit_kind(value, kind)) is not UNFIT:
            return fit
    kinds = tuple(type(None) if kind is None else kind for kind in kinds)
    words = [str(each) for kind in kinds if get_origin(kind) is Literal for each in get_args(kind)]
    near = nearest(value, words) if isinstance(value, str) else ""
    words += [WORDS.get(kind, "a mapping") for kind in kinds if get_origin(kind) is not Literal]
    limit = " up to 2**53" if isinstance(value, int) and abs(value) > LARGEST else ""
    raise UsageError(f"{word}={brief(value)}: must be {one_of(words)}{limit}.{near}")


def as_path(word: str, value: Any) -> Path:
    """Return the path of a file or folder; UsageError for what is none.

    >>> as_path("path", "days/ledger.jsonl").name
    'ledger.jsonl'
    """
    try:
        return Path(value)
    except TypeError:
        raise UsageError(f"{word}= is the path of a file or folder, not {brief(value)}.") from None


def as_list(word: str, value: Any) -> list[Any]:
    """Return what an argument lists, or the one text that it is; nothing for None.

    Raises
    ------
    UsageError
        If it lists nothing.

    Examples
    --------
    >>> as_list("highlight", "bm25"), as_list("highlight", ("a", "b")), as_list("highlight", None)
    (['bm25'], ['a', 'b'], [])
    """
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    try:
        return list(value.tolist() if hasattr(value, "tolist") else value)
    except TypeError:
        raise UsageError(f"{word}={brief(value)}: must be text, or several in a list.") from None


def checked(function: Callable[P, R], order: str = "", never: frozenset[str] = frozenset()) -> Callable[P, R]:
    """Let a function refuse plain arguments that are not what its signature says, and arguments that it lacks, before anything is read.

    ``order`` and ``never`` are those of ``ordered``.

    Examples
    --------
    >>> @checked
    ... def shown(what: object, k: int = 3, how: Literal["up", "down"] = "up") -> tuple[object, int, str]:
    ...     return what, k, how
    >>> shown([1], k=2.0)
    ([1], 2, 'up')
    >>> shown([1], k="many")
    Traceback (most recent call last):
    rankwell.errors.UsageError: k='many': must be a whole number.
    >>> shown([1], hov="up")
    Traceback (most recent call last):
    rankwell.tables.arguments.UnknownArgument: there is no argument hov=. Did you mean how?
    """
    parameters = inspect.signature(function).parameters.values()
    names = [
        each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]

    every = [each.name for each in parameters]
    kinds_of_parameters = {each.kind for each in parameters}
    is_closed = inspect.Parameter.VAR_KEYWORD not in kinds_of_parameters
    has_places = inspect.Parameter.VAR_POSITIONAL not in kinds_of_parameters

    @functools.cache
    def of_signature() -> dict[str, tuple[Any, ...]]:
        # at the first call: types are looked up where they are needed; what is returned may be known to type checkers alone
        hints = {word: hint for word, hint in function.__annotations__.items() if word != "return"}
        return _plain_kinds(
            get_type_hints(types.SimpleNamespace(__annotations__=hints), function.__globals__)
        )

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if order and (len(args) > len(names) or not never.union(names[: len(args)]).isdisjoint(kwargs)):
            raise UsageError(order)
        if has_places and len(args) > len(names):
            raise UsageError(
                f"{function.__name__} takes {len(names)} arguments without a name, {', '.join(names)}; give others by name."
            )
        kinds, values = of_signature(), list(args)
        # loops, as this stands before each small call
        for place, word in enumerate(names[: len(args)]):
            if word in kinds:
                values[place] = plain(word, args[place], *kinds[word])
        named: dict[str, Any] = {**kwargs}
        for word, value in kwargs.items():
            if word in kinds:
                named[word] = plain(word, value, *kinds[word])
            elif is_closed and word not in every:
                takes = f" {function.__name__} takes {', '.join(every)}."
                raise UnknownArgument.of(
                    word, every, "" if nearest(word, every) or len(every) > FEW else takes
                )
        try:
            return cast("Any", function)(*values, **named)
        except UnknownArgument as error:
            raise UnknownArgument.of(error.name, [*every, *error.known], error.more) from None

    return call


def ordered(order: str, *never: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """As ``checked``, for a function that people call with its arguments in another order; ``order`` is the sentence that they read then.

    They read it for more arguments than have a place, for one that is given twice, and for the words ``never``, of a call in another order.

    Examples
    --------
    >>> @ordered("shown takes the run first: shown(run, path=...).", "what")
    ... def shown(run: object, *, path: str) -> object:
    ...     return run
    >>> shown([1], "page.html")
    Traceback (most recent call last):
    rankwell.errors.UsageError: shown takes the run first: shown(run, path=...).
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        return checked(function, order, frozenset(never))

    return decorated


def _plain_kinds(hints: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The kinds of the arguments that are plain."""
    kinds = {word: kinds_of(hint) for word, hint in hints.items() if word != "return"}
    return {
        word: several
        for word, several in kinds.items()
        if all(kind in WORDS or get_origin(kind) in (Literal, Mapping) for kind in several)
    }


def refuse_level(level: float) -> None:
    """Refuse the level of an interval that is no share.

    Raises
    ------
    UsageError
        If it is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise UsageError(f"level={level:g}: must be between 0 and 1, such as 0.95.")
