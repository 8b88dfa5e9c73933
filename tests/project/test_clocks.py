"""No test asserts how long something took, or lets a limit of time race against something else: a busy machine takes its time."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
WALL = {
    "monotonic",
    "perf_counter",
    "perf_counter_ns",
    "monotonic_ns",
    "time",
    "time_ns",
}  # of the module time
LIMITS = {"timeout", "index_timeout", "deadline"}
SUSPECT = re.compile(r"\btime\.|timeout=|deadline=|Timer|setitimer|alarm|efficiency")
MEASURED = {
    "wall",
    "overhead",
    "latencies",
    "quantile",
    "indexing",
    "achieved",
    "evaluation_share",
    "exponent",
}  # by rankwell
LONG = 30  # seconds that a limit has to be, to say only that something hangs
# what may stay: the function, and why it does not race
MAY_STAY = {
    "browser/test_sheet.py::open_again": "one of thirty tries, a minute in all, to say that it hangs",
    "browser/test_sheet.py::wait_for": "a minute, to say that it hangs",
    "calls/test_public_calls.py::answer": "processor time",
    "compat/test_lightning.py::test_each_validation_logs_the_values_of_the_lists_and_the_share_of_the_time": "a part is less than its whole",
    "display/test_output.py::test_a_killed_writer_leaves_the_old_file_whole": "any moment will do",
    "efficiency/test_failing.py::_no_process_is_left": "a minute, to say that it hangs",
    "efficiency/test_failing.py::test_a_batch_of_a_program_may_take_the_time_of_all_its_queries": "1.4 s against 70 s; a thousand against 2",
    "efficiency/test_failing.py::test_a_measuring_process_that_is_killed_leaves_none_behind": "any moment will do",
    "efficiency/test_failing.py::test_a_query_without_an_answer_ends_at_its_time_limit": "what hangs sleeps for longer than any limit",
    "efficiency/test_failing.py::test_every_failure_is_counted_for_its_query_and_the_rest_goes_on": "they are below infinity",
    "efficiency/test_measure.py::test_a_batch_is_one_call_of_many_queries": "from the least that a call takes",
    "efficiency/test_failing.py::test_ctrl_c_keeps_what_was_measured": "any moment of the ten minutes that follow will do",
    "efficiency/test_failing.py::test_an_answer_slower_than_the_limit_is_a_failure_though_nobody_looked_meanwhile": "what is late sleeps for longer than the limit",
    "efficiency/test_failing.py::tell": "any moment of the ten minutes that follow will do",
    "evaluation/engines/stream/test_resuming.py::test_an_evaluation_that_is_killed_leaves_no_file_but_what_is_kept": "any moment will do",
}


def is_clock(node: ast.AST, clocks: set[str]) -> bool:
    """Whether a node reads a clock of the wall: time.monotonic() and others, or a function of the same file that returns one."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func
    if isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name) and name.value.id == "time":
        return name.attr in WALL
    return isinstance(name, ast.Name) and name.id in clocks


def is_of_time(node: ast.AST, names: set[str], clocks: set[str]) -> bool:
    """Whether an expression depends on a clock."""
    return any(
        is_clock(each, clocks) or (isinstance(each, ast.Name) and each.id in names) for each in ast.walk(node)
    )


def tainted(function: ast.AST, clocks: set[str]) -> set[str]:
    """The names in a function that are assigned from a clock."""
    names: set[str] = set()
    while True:
        more = {
            target.id
            for each in ast.walk(function)
            if isinstance(each, ast.Assign) and is_of_time(each.value, names, clocks)
            for target in each.targets
            if isinstance(target, ast.Name)
        }
        more |= {  # a list of times
            each.func.value.id
            for each in ast.walk(function)
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == "append"
            and isinstance(each.func.value, ast.Name) and is_of_time(each, names, clocks)
        }  # fmt: skip
        if more <= names:
            return names
        names |= more


def is_bounded(node: ast.Assert) -> bool:
    """Whether an assertion bounds from above what was measured, or says what it is about."""
    return any(
        isinstance(each, ast.Compare)
        and any(
            word in MEASURED
            for inner in ast.walk(each.left)
            for word in (getattr(inner, "attr", None), getattr(inner, "value", None))
            if isinstance(word, str)
        )
        and any(isinstance(sign, ast.Lt | ast.LtE) for sign in each.ops)
        for each in ast.walk(node)
    )


def races(text: str) -> dict[str, str]:
    """The functions of a file that assert a time, or set a short limit or wait, and which of these."""
    if not SUSPECT.search(text):
        return {}
    tree = ast.parse(text)
    functions = [each for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
    clocks: set[str] = set()
    for _ in range(2):  # functions that return a time, and those that return what these do
        clocks |= {
            each.name
            for each in functions
            for back in ast.walk(each)
            if isinstance(back, ast.Return)
            and back.value
            and is_of_time(back.value, tainted(each, clocks), clocks)
        }
    found: dict[str, str] = {}
    is_measured = "efficiency.measure(" in text or "efficiency.growth(" in text
    for each in functions:
        names = tainted(each, clocks)
        for node in ast.walk(each):
            if isinstance(node, ast.Assert) and is_of_time(node.test, names, clocks):
                found[each.name] = "asserts a time"
            if is_measured and isinstance(node, ast.Assert) and is_bounded(node):
                found.setdefault(each.name, "asserts what was measured")
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("Timer", "setitimer", "alarm"):
                found.setdefault(each.name, "interrupts after some time")
            if called == "sleep" and each.name.startswith("test_"):
                found.setdefault(each.name, "waits for some time")
            for word in node.keywords:
                value = word.value.value if isinstance(word.value, ast.Constant) else None
                if word.arg not in LIMITS or not isinstance(value, int | float):
                    continue
                if 0 < (value / 1000 if value >= 1000 else value) < LONG:  # Playwright counts in milliseconds
                    found.setdefault(each.name, f"{word.arg}={value}")
    return found


def test_no_test_asserts_a_time_or_lets_a_limit_race():
    found = {}
    for file in sorted(TESTS.rglob("*.py")):
        if "stored" not in file.parts and "benchmarks" not in file.parts:
            place = file.relative_to(TESTS).as_posix()
            found |= {
                f"{place}::{name}": what for name, what in races(file.read_text(encoding="utf-8")).items()
            }
    new = {place: what for place, what in found.items() if place not in MAY_STAY}
    assert not new, "say in MAY_STAY why this does not race, or count something else than seconds"
    assert MAY_STAY.keys() <= found.keys(), "these are gone"
    assert all(MAY_STAY.values())


@pytest.mark.parametrize(
    "text",
    [
        "def test_x():\n    start = time.monotonic()\n    work()\n    assert time.monotonic() - start < 10",
        "def test_x():\n    start = time.perf_counter()\n    took = time.perf_counter() - start\n    assert took < 1",
        "def seconds():\n    start = time.perf_counter()\n    return time.perf_counter() - start\ndef test_x():\n    assert seconds() < 9",
        "def test_x():\n    best = []\n    best.append(time.perf_counter())\n    assert min(best) < 1",
        "def test_x():\n    measure(system, index_timeout=1, memory=400)",
        "def test_x():\n    threading.Timer(2.5, end).start()",
        "def test_x():\n    costs = rw.efficiency.measure(one, ['x'])\n    assert costs.overhead['call'] < 0.1",
        "def test_x():\n    time.sleep(0.5)\n    assert done",
    ],
)
def test_the_search_finds_each_kind(text):
    assert "test_x" in races(text)


@pytest.mark.parametrize(
    "text",
    [
        "def test_x():\n    subprocess.run(command, timeout=60)",
        "def test_x():\n    start = time.process_time()\n    assert time.process_time() - start < 9",
        "def slow(seconds):\n    time.sleep(seconds)",
    ],
)
def test_limits_that_only_say_that_something_hangs_are_none_of_it(text):
    assert not races(text)
