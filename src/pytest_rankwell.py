"""The pytest plugin of rankwell: ``ranking_baseline`` checks a run against the accepted values that a file holds (docs/ci.md).

pytest loads this module wherever rankwell is installed, also for tests that ask nothing of it. So it stands outside the package, and
imports rankwell only once a test calls the fixture.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from rankwell.comparison.gate import Gate

# how the names of properties begin and end, which go from the processes of pytest-xdist to the report, and into JUnit XML
FIRST, LAST = "ranking ", " verdict"
UPDATE = "--ranking-baseline-update"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("rankwell", "rankings against their accepted values")
    group.addoption(
        "--ranking-baseline",
        metavar="DIR",
        default="ranking_baselines",
        help="the folder of accepted values, with a file for each test; default: ranking_baselines in the root directory",
    )
    group.addoption(
        UPDATE,
        action="store_true",
        help="accept what is measured now: write these files instead of checking against them",
    )


@pytest.fixture
def ranking_baseline(
    request: pytest.FixtureRequest,
) -> Callable[..., Gate]:
    """A function that fails the test if a run became worse than what was accepted for this test.

    ``ranking_baseline(run, qrels, metrics, max_drop="1%")`` takes what ``rankwell.gate`` takes but its baseline, or ``Results``
    alone, and returns the verdict. A test that calls it more than once gives each call a ``name``.
    """
    called: set[str] = set()

    def check(run: Any, qrels: Any = None, metrics: Any = None, *, name: str = "", **options: Any) -> Gate:
        import rankwell as rw

        if name in called:
            pytest.fail(
                "ranking_baseline is called twice; give each call a name of its own: name='dense'.",
                pytrace=False,
            )
        called.add(name)
        path, is_update = _path(request, name), request.config.getoption(UPDATE)
        if not is_update and not path.is_file():
            pytest.fail(
                f"{path}: there are no accepted values. Write them by pytest {UPDATE}, and commit the file.",
                pytrace=False,
            )
        try:
            # compared with itself, a run passes with the values that are accepted
            verdict = rw.gate(run, qrels, metrics, baseline=run if is_update else path, **options)
            if is_update:
                path.parent.mkdir(parents=True, exist_ok=True)
                verdict.new.save(path)
        except rw.RankwellError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        for row, value in _properties(verdict, is_update):
            # not by the fixture record_property, which warns of xunit2, pytest's own default
            request.node.user_properties.append((f"{FIRST}{name} {row}" if name else f"{FIRST}{row}", value))
        if verdict.exit_code:
            found = [(check.status, check.why) for check in verdict.checks]
            found += [(limit.status, limit.why) for limit in verdict.limits]
            why = dict.fromkeys(why for status, why in found if status == verdict.status)
            text = f"{verdict.headline()}: {'; '.join(why)}\n\n{verdict}"
            remedy = f"\n\nIf this is meant, pytest {UPDATE} accepts it, and writes {path}."
            pytest.fail(text if is_update else text + remedy, pytrace=False)
        return verdict

    return check


def _path(request: pytest.FixtureRequest, name: str) -> Path:
    """The file of accepted values: the path of the test's file, and its name, in which no two tests are alike."""
    node, root = request.node, request.config.rootpath
    # no node id, to which pytest-xdist adds the name of a group
    test = node.getmodpath(stopatmodule=True) + (f"-{name}" if name else "")
    folder = root / request.config.getoption("--ranking-baseline")
    module = Path(os.path.relpath(node.path, root)).with_suffix("")
    return folder / module / f"{quote(test, safe='[]')}.json"


def _properties(verdict: Gate, is_update: bool) -> Iterator[tuple[str, Any]]:
    """The numbers of each check by name, and a sentence of it for the report."""
    from rankwell.display.table import number

    for check in verdict.checks:
        name, old, new = check.check.name, check.found.old, check.found.new
        yield name, new
        if is_update:
            yield f"{name}{LAST}", f"{number(new)}, accepted"
        else:
            yield f"{name} baseline", old
            yield f"{name}{LAST}", f"{number(old)} → {number(new)}, {check.status}: {check.why}"
    for limit in verdict.limits:
        yield limit.name, limit.value
        if limit.status != "pass":
            yield f"{limit.name}{LAST}", f"{limit.status}: {limit.why}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the numbers of all tests that asked for a verdict."""
    lines = [
        f"{report.nodeid}  {name.removeprefix(FIRST).removesuffix(LAST)}  {value}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name.startswith(FIRST) and name.endswith(LAST)
    ]
    if lines:
        terminalreporter.section("rankings against their accepted values")
        for line in lines:
            terminalreporter.write_line(line)
