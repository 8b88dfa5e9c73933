"""List the functions whose tests still pass when the function does nothing: each public one in turn returns None at its first line.

    python tools/empty_functions.py prepare                     all of src/rankwell/prepare, with tests/prepare and its doctests
    python tools/empty_functions.py metrics tests/definitions   the same with further tests
    python tools/empty_functions.py judging --only sheets/      functions whose module or name has ``sheets/`` in it

A copy of the package asks at the start of every function whether that one is empty. Its tests run once, to see which of them call
what. Then a process per function runs those tests, quickest first, until one fails; if none does, all tests of these files and of
files that name the function. A few minutes of one core for a room. Compiled kernels are left alone.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import importlib
import os
import pkgutil
import re
import resource
import shutil
import sys
from collections import defaultdict
from collections.abc import Generator
from itertools import accumulate
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COPY = ROOT / "build" / "emptied"
CALLS = COPY / "calls"
MOST = 60  # seconds of tests that are tried once those that call a function have passed
QUIET = ("-q", "-p", "no:cacheprovider", "-m", "not slow and not exhaustive and not browser")
PROBE = f"""
import atexit, builtins, os
empty, called = int(os.environ.get("RANKWELL_EMPTY", -1)), set()

def is_empty(number):
    called.add(number)
    return number == empty

builtins.__empty__ = is_empty
if "RANKWELL_EMPTY" in os.environ:  # a process that a test started says at its end what it called
    atexit.register(lambda: open(f"{CALLS}/{{os.getpid()}}", "w").write(" ".join(map(str, called))))
"""


def public_functions(module: ast.Module) -> list[tuple[str, ast.FunctionDef]]:
    """Return the public functions and methods of a module that do something, with their names."""
    owners = [("", module), *((f"{c.name}.", c) for c in module.body if isinstance(c, ast.ClassDef))]
    named = [(f"{o}{f.name}", f) for o, owner in owners for f in owner.body if isinstance(f, ast.FunctionDef)]
    return [(name, f) for name, f in named if "_" not in {name[0], f.name[0]} and first_line(f)]


def first_line(function: ast.FunctionDef) -> int:
    """Return the line of the first statement after the docstring; 0 if the function does nothing."""
    body = function.body[ast.get_docstring(function) is not None :]
    idle = all(
        isinstance(s, ast.Pass | ast.Raise) or ast.unparse(s) in {"...", "return None", "return False"}
        for s in body
    )
    return 0 if idle else min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", ()))])


def copy(room: str) -> list[str]:
    """Make the copy of the package, and return the names of the functions of a room by their numbers."""
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(ROOT / "src", COPY / "src", ignore=shutil.ignore_patterns("__pycache__"))
    CALLS.mkdir()
    (COPY / "sitecustomize.py").write_text(PROBE)
    names: list[str] = []
    folder = COPY / "src" / "rankwell" / room
    for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        functions = public_functions(ast.parse("".join(lines)))
        for name, function in sorted(functions, key=lambda pair: -pair[1].lineno):
            indent = " " * function.body[0].col_offset
            lines.insert(first_line(function) - 1, f"{indent}if __empty__({len(names)}): return None\n")
            names.append(f"{path.relative_to(COPY / 'src' / 'rankwell')}:{function.lineno} {name}")
        path.write_text("".join(lines), encoding="utf-8")
    return names


class Run:
    """What the tests of a process call, and how long they take; or only the tests of it that are wanted."""

    def __init__(self, only: dict[str, float] | None = None) -> None:
        self.only, self.calls, self.failed = only, {}, set()

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        settings.register_profile(
            "once", deadline=None, phases=[Phase.explicit, Phase.generate], database=None
        )
        settings.load_profile("once")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.only is not None:
            items[:] = sorted(
                (item for item in items if item.nodeid in self.only), key=lambda item: self.only[item.nodeid]
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        import sitecustomize

        before = seconds()
        sitecustomize.called.clear()
        result = yield
        for file in CALLS.iterdir() if self.only is None else ():
            sitecustomize.called.update(map(int, file.read_text().split()))
            file.unlink()
        self.calls[item.nodeid] = (seconds() - before, set(sitecustomize.called))
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)


def seconds() -> float:
    """CPU time of this process and of those that it waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def pytest_run(run: Run, *paths: str) -> int:
    """Run tests, or the doctests of modules."""
    own = ("--doctest-modules", "-p", "tests.conftest", "-o", "norecursedirs=.*")
    given = own if paths[0].startswith("build/") else ()
    return pytest.main([*QUIET, *given, *paths], plugins=[run])


def record(*paths: str) -> tuple[dict[str, tuple[float, set[int]]], set[str]]:
    """Run tests in a process of their own, and return what each calls and which fail."""
    out = COPY / "record"
    if os.fork() == 0:
        run = Run()
        os.environ["RANKWELL_EMPTY"] = "-1"
        pytest_run(run, *paths)
        out.write_text(repr((run.calls, run.failed)))
        os._exit(0)
    os.wait()
    return ast.literal_eval(out.read_text()) if out.exists() else ({}, set())


def passes(number: int, tests: dict[str, dict[str, float]]) -> bool:
    """Whether tests, by their files, pass while a function is empty. Without end, or out of memory, is no pass."""
    if (child := os.fork()) == 0:
        import sitecustomize

        os.environ["RANKWELL_EMPTY"] = str(number)
        sitecustomize.empty = number
        limit = int(seconds() + 20 + 4 * sum(sum(each.values()) for each in tests.values()))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os._exit(any(pytest_run(Run(only), path, "-x") != 0 for path, only in tests.items()))
    return os.waitpid(child, 0)[1] == 0


def main() -> None:
    """Print the functions of a room without which its tests pass."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("room", help="a folder or module of src/rankwell")
    parser.add_argument("tests", nargs="*", help="tests beside tests/ROOM")
    parser.add_argument("--only", default="", help="a part of the names of functions to empty")
    asked = parser.parse_args()
    os.chdir(ROOT)
    os.environ |= {"RANKWELL_SEED": "1", "OPENBLAS_NUM_THREADS": "1"}
    names = copy(asked.room)
    paths = [path for path in (f"tests/{asked.room}", *asked.tests) if Path(path).exists()]
    docs = (COPY / "src/rankwell" / asked.room).relative_to(ROOT)
    docs = docs if docs.is_dir() else docs.with_suffix(".py")
    folders = [str(COPY), str(COPY / "src"), str(ROOT)]
    os.environ["PYTHONPATH"] = os.pathsep.join(folders)
    sys.path[:0] = folders
    importlib.import_module("sitecustomize")  # which this process started without
    import_all(asked.room)
    pytest.main([*QUIET, "--collect-only", "tests/conftest.py"])  # loads what every process needs

    calls, failed = record(str(docs))
    more, others = record(*paths) if paths else ({}, set())
    calls |= more
    failed |= others
    gc.collect()
    gc.freeze()  # each process would copy what its search for garbage touches
    print(
        f"{len(names)} functions, {len(calls)} tests, {sum(s for s, _ in calls.values()):.0f} s; without {sorted(failed)}"
    )
    files: dict[str, dict[str, float]] = defaultdict(dict)  # by file, the tests that can be counted on
    for test, (time, _) in calls.items():
        if test not in failed:
            files[test.partition("::")[0]][test] = time
    if not passes(-1, files):
        sys.exit("these tests fail with no function empty, in the order of their time")
    for number, name in enumerate(names):
        if asked.only not in name:
            continue
        callers = {test for test, (_, called) in calls.items() if number in called}
        if not callers:
            print(name, "(no test calls it)", flush=True)
            continue
        direct = {f: {t: s for t, s in tests.items() if t in callers} for f, tests in files.items()}
        direct = {
            f: direct[f]
            for f in sorted(direct, key=lambda f: min(direct[f].values(), default=0))
            if direct[f]
        }
        if not passes(number, direct):
            continue
        word = re.compile(rf"\b{name.rpartition(' ')[2].rpartition('.')[2]}\b")
        near = {f: files[f] for f in files if f in direct or word.search(Path(f).read_text(encoding="utf-8"))}
        quick = sorted(near, key=lambda file: sum(near[file].values()))
        spent = accumulate(sum(near[file].values()) for file in quick)
        near = {file: near[file] for file, total in zip(quick, spent, strict=True) if total < MOST}
        if passes(number, near):
            print(name, f"({len(callers)} tests call it)", flush=True)


def import_all(room: str) -> None:
    """Import the modules of a room once, for all processes."""
    package = importlib.import_module(f"rankwell.{room.removesuffix('.py').replace('/', '.')}")
    for module in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{package.__name__}."):
        with contextlib.suppress(ImportError):  # what is not installed here
            importlib.import_module(module.name)


if __name__ == "__main__":
    main()
