"""Records beside dataclasses(frozen=True), which they stand for: the same texts, comparisons, hashes, copies and errors."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import pkgutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, field, is_dataclass
from importlib import import_module

import pytest

import rankwell as rw
from rankwell.errors import NotInstalledError
from rankwell.records import SetOnce, cached_property, record


class Fields:
    """What both are made of."""

    first: int
    second: str = "x"
    third: list[int] = field(default_factory=list)
    kept: int = field(default=0, repr=False, compare=False)
    made: dict[str, int] = field(default_factory=dict, init=False)
    factory: int = 5


class Mine:
    number: int

    def __repr__(self) -> str:
        return "mine"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7


class Unhashed:  # noqa: PLW1641 - what is tested
    number: int

    def __eq__(self, other: object) -> bool:
        return True


def both(body, **options):
    """Return a record and the dataclass that it stands for, made of the same class body."""
    made = []
    for decorate in (record(**options), dataclasses.dataclass(frozen=True, **options)):
        kept = {k: v for k, v in vars(body).items() if k not in ("__dict__", "__weakref__")}
        made.append(decorate(type(body)(body.__name__, body.__bases__, kept)))
    return made


OPTIONS = [
    {},
    {"eq": False},
    {"repr": False},
    {"kw_only": True},
    {"slots": True},
    {"eq": False, "repr": False},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_record_does_what_a_frozen_dataclass_does(options):
    ours, theirs = both(Fields, **options)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__init__.__qualname__ == theirs.__init__.__qualname__
    assert [each.name for each in dataclasses.fields(ours)] == [
        each.name for each in dataclasses.fields(theirs)
    ]
    values = [
        {"first": 1},
        {"first": 1, "kept": 3},
        {"first": 2},
        {"first": 1, "second": "y"},
        {"first": 1, "third": [4]},
    ]
    mine, others = [ours(**each) for each in values], [theirs(**each) for each in values]
    if options.get("repr", True):
        assert [*map(repr, mine)] == [*map(repr, others)]
    else:
        assert repr(mine[0]).startswith("<")
        assert repr(others[0]).startswith("<")
    assert [[a == b for a in mine] for b in mine] == [[a == b for a in others] for b in others]
    assert mine[0] != others[0]
    assert [copy.copy(each) == each for each in mine] == [copy.copy(each) == each for each in others]
    assert dataclasses.asdict(mine[4]) == dataclasses.asdict(others[4])
    assert dataclasses.replace(mine[0], first=9).first == 9
    assert hasattr(mine[0], "__dict__") == hasattr(others[0], "__dict__")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_what_is_equal_has_one_hash(options):
    class Plain:
        first: int
        second: tuple[int, ...] = ()

    ours, theirs = both(Plain, **options)
    for made in (ours, theirs):
        same, other = {made(first=1), made(first=1)}, {made(first=1), made(first=2)}
        assert (len(same), len(other)) == ((1, 2) if options.get("eq", True) else (2, 2))


@pytest.mark.parametrize("body", [Mine, Unhashed])
def test_what_a_class_defines_itself_stays(body):
    ours, theirs = (made(1) for made in both(body))
    assert (repr(ours) == "mine") == (repr(theirs) == "mine")
    assert ours == 3
    assert theirs == 3
    assert [type(each).__hash__ is None for each in (ours, theirs)] == [False, False]
    if body is Mine:
        assert hash(ours) == hash(theirs) == 7


@record
class Kept(SetOnce):
    first: int
    second: list[int] = field(default_factory=list)


def test_what_refuses_to_be_changed_is_pickled_copied_and_replaced():
    kept = Kept(1, [2])
    for same in (pickle.loads(pickle.dumps(kept)), copy.deepcopy(kept), dataclasses.replace(kept)):
        assert same == kept
    with pytest.raises(FrozenInstanceError, match="Kept cannot be changed; make another one"):
        kept.first = 2
    with pytest.raises(FrozenInstanceError):
        kept.third = 2
    with pytest.raises(FrozenInstanceError):
        del kept.first


def test_a_class_is_made_a_dataclass_when_it_is_first_looked_at():
    @record
    class Base:
        first: int = field(compare=False)

    @record
    class Deeper(Base):
        second: list[int] = field(default_factory=list)

    empty = object.__new__(Deeper)  # as pickle makes it
    vars(empty).update(first=1, second=[2])
    same = Deeper.__replace__(empty, first=3)  # what copy.replace of Python 3.13 calls
    assert (same.first, same.second) == (3, [2])
    assert [each.name for each in dataclasses.fields(empty)] == ["first", "second"]
    assert Deeper(3) == Deeper(4)
    assert Deeper(3).second is not Deeper(3).second
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'first'"):
        Deeper()


def test_threads_that_look_at_a_class_at_once_see_one_class():
    for _ in range(20):
        ours, _ = both(Fields)
        started = threading.Barrier(4)

        def look(number, ours=ours, started=started):
            started.wait(30)
            return ours(number, third=[number]), ours(number)

        with ThreadPoolExecutor(4) as threads:
            made = [*threads.map(look, range(4))]
        assert [(one.first, one.third, other.third) for one, other in made] == [
            (n, [n], []) for n in range(4)
        ]
        assert [each.name for each in dataclasses.fields(ours)][:3] == ["first", "second", "third"]


def held():
    """The dataclasses that users hold: those that rankwell exports, and those that show themselves in a notebook."""
    found = [
        getattr(each, name) for each in (rw, rw.efficiency, rw.judging, rw.prepare) for name in each.__all__
    ]
    for module in pkgutil.walk_packages(rw.__path__, "rankwell."):
        if module.name == "rankwell.__main__":
            continue
        try:
            names = vars(import_module(module.name))
        except NotInstalledError:  # a callback of a framework; CI has all of them
            continue
        found += [each for each in names.values() if hasattr(each, "_repr_html_")]
    kinds = {
        each
        for each in found
        if isinstance(each, type) and is_dataclass(each) and each.__module__.startswith("rankwell.")
    }
    return sorted(kinds, key=lambda cls: cls.__qualname__)


@pytest.mark.parametrize("cls", held(), ids=lambda cls: cls.__qualname__)
def test_what_users_hold_refuses_to_be_changed(cls):
    one = object.__new__(type(cls.__name__, (cls,), {"__abstractmethods__": frozenset()}))
    name = dataclasses.fields(cls)[0].name
    object.__setattr__(one, name, 1)
    with pytest.raises(FrozenInstanceError):
        setattr(one, name, 2)
    with pytest.raises(FrozenInstanceError):
        delattr(one, name)
    assert getattr(one, name) == 1


def test_two_threads_whose_values_ask_for_each_other_s_do_not_wait_for_ever():
    class Side:
        @cached_property
        def value(self):
            both.wait(30)  # each is at work on its own value before it asks for the other's
            return self.other.plain + 1

        @cached_property
        def plain(self):
            return 1

    both, left, right = threading.Barrier(2), Side(), Side()
    left.other, right.other = right, left
    with ThreadPoolExecutor(2) as threads:
        found = [threads.submit(lambda each=each: each.value) for each in (left, right)]
        assert [each.result(timeout=60) for each in found] == [2, 2]


def test_what_two_threads_work_out_at_once_is_one_value():
    class Once:
        @cached_property
        def value(self):
            both.wait(30)
            return object()

    both, once = threading.Barrier(2), Once()
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda _: once.value, range(2))
    assert first is second is once.value
