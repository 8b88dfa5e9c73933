"""The public names are written in three places that must agree: the table of lazy names, __all__, and the stub."""

from __future__ import annotations

import ast
import importlib.metadata
from pathlib import Path

import pytest

import rankwell as rw

STUB = Path(rw.__file__).with_suffix(".pyi")


def names_in_stub() -> set[str]:
    """What a type checker takes for public: definitions, and imports of the form `X as X`."""
    names: set[str] = set()
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            names.update(alias.asname for alias in node.names if alias.asname == alias.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
    return {name for name in names if not name.startswith("_")}


def test_the_stub_has_the_public_names():
    assert names_in_stub() == {name for name in rw.__all__ if not name.startswith("_")}


def test_no_public_name_is_listed_twice():
    assert len(rw.__all__) == len(set(rw.__all__))


@pytest.mark.parametrize("name", rw.__all__)
def test_a_public_name_resolves(name):
    assert getattr(rw, name) is not None
    assert name in dir(rw)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        rw.no_such_name  # noqa: B018 - looking it up is the test


def test_the_version_is_that_of_the_distribution():
    assert rw.__version__ == importlib.metadata.version("rankwell")
