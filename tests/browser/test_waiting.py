"""Tests of pages wait for what they look for: what is read once is there or not, as the machine is quick or busy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

# `expect` of Playwright and `wait_for_function` ask again until it is so; what these find depends on the moment.
READ_ONCE = re.compile(r"assert .*\.is_(visible|hidden|checked|enabled)\(\)|wait_for_timeout")
# An expression is asked again by eval, which the policy of our pages blocks; a function is not.
BLOCKED = re.compile(r"wait_for_function\(\s*f?\"(?!\(\) =>)")
FOR_NOTHING = {"test_charts.py": 1}  # that charts far below are not drawn: too short a wait fails nothing


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("*.py")), ids=lambda path: path.name)
def test_nothing_of_a_page_is_read_only_once(path):
    text = "" if path == Path(__file__) else path.read_text(encoding="utf-8")
    found = [line for line in text.splitlines() if READ_ONCE.search(line)]
    assert len(found) <= FOR_NOTHING.get(path.name, 0), found
    assert not BLOCKED.search(text)
