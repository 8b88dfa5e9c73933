"""Every method chooses what its rule says, written a second time in plain loops."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest
from tests.judging import slow

from rankwell.judging.method import method_named, methods


def plain_of(method: str) -> type[slow.Turns]:
    """The rule of a method in plain loops, which its test holds."""
    name = f"test_{method}"
    there = (Path(__file__).parent / f"{name}.py").exists()
    module = importlib.import_module(f"{__package__ or 'tests.judging.methods'}.{name}") if there else None
    assert hasattr(module, "Plain"), (
        f"write tests/judging/methods/{name}.py with a class Plain(slow.Turns) whose weights() gives each item that the rule of "
        f"{method} allows next, and its weight, in plain loops; see Add a judging method in CONTRIBUTING.md"
    )
    return module.Plain


@pytest.mark.parametrize("method", methods())
def test_a_method_chooses_as_its_rule_says(method):
    assert slow.compare_choices(method, plain_of(method)) > 100


def test_a_method_without_a_plain_rule_is_told_what_to_write():
    with pytest.raises(AssertionError, match=r"write tests/judging/methods/test_nope\.py with a class Plain"):
        plain_of("nope")


@pytest.mark.parametrize("method", methods())
def test_a_file_is_named_after_its_method_and_says_its_rule_and_source(method):
    found = method_named(method)
    assert found.__module__ == f"rankwell.judging.methods.{method}"
    assert found.rule
    assert "Source: " in inspect.getdoc(found) or re.search(r"\(.+ \d{4}\)", inspect.getdoc(found))
