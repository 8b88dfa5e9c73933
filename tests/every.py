"""Loops of tests: one promise, checked for many cases as one test."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from tests.cases import drawn

Test = Callable[..., None]


def every(names: str | tuple[str, ...], cases: Iterable[Any], share: int = 1) -> Callable[[Test], Test]:
    """Run a test for each case, as ``pytest.mark.parametrize`` does but as one test. A failure names its case.

    The cases share what fixtures give, such as a folder. Use it for cases that differ in data alone; what has a meaning of
    its own gets a test of its own. With ``share`` one of so many cases is drawn each time (``tests/cases.py``), others beside each
    case of an outer loop.
    """
    names = (names,) if isinstance(names, str) else names
    rows = [(case,) if len(names) == 1 else tuple(case) for case in cases]
    if not rows:
        raise ValueError(f"there is no case of {', '.join(names)}")

    def loop(test: Test) -> Test:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def all_cases(**given: Any) -> None:
            beside = {name: value for name, value in given.items() if isinstance(value, str | int | float)}
            for row in drawn(rows, f"{test.__name__} {beside}", share) if share > 1 else rows:
                case = dict(zip(names, row, strict=True))
                try:
                    test(**given, **case)
                except Exception as error:
                    error.add_note(f"with {', '.join(f'{name} = {value!r}' for name, value in case.items())}")
                    raise

        rest = [each for name, each in signature.parameters.items() if name not in names]
        all_cases.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return all_cases

    return loop
