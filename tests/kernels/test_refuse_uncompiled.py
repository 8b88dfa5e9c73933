"""A kernel never runs as plain Python, nor as an older build of itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import rankwell.kernels

SUFFIX = EXTENSION_SUFFIXES[0]


@pytest.fixture
def package(tmp_path) -> Path:
    """A package `rankwell` with nothing in it but an empty folder of kernels."""
    kernels = tmp_path / "rankwell" / "kernels"
    kernels.mkdir(parents=True)
    (tmp_path / "rankwell" / "__init__.py").touch()
    shutil.copy(rankwell.kernels.__file__, kernels)
    return kernels


def imported(kernels: Path) -> str:
    """What importing the package says on stderr; empty if it works."""
    command = [sys.executable, "-c", "import rankwell.kernels"]
    env = os.environ | {"PYTHONPATH": str(kernels.parents[1])}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False).stderr


def put(path: Path, changed: int) -> None:
    path.touch()
    os.utime(path, (changed, changed))


def test_a_kernel_without_a_compiled_module_is_refused_with_the_remedy(package):
    put(package / "match.py", 1000)
    message = imported(package)
    assert "ImportError: rankwell's kernel match is not compiled" in message
    assert "make build" in message
    assert "pip install ." in message


def test_a_kernel_edited_after_it_was_compiled_is_refused_with_the_remedy(package):
    put(package / f"match{SUFFIX}", 1000)
    put(package / "match.py", 1001)
    message = imported(package)
    assert "ImportError: rankwell's kernel match was edited after it was compiled" in message
    assert "make build" in message


def test_an_edit_of_what_kernels_share_counts_for_each_of_them(package):
    put(package / "match.py", 1000)
    put(package / f"match{SUFFIX}", 1000)
    put(package / "spans.pxd", 1001)
    assert "kernel match was edited after it was compiled" in imported(package)


def test_a_kernel_compiled_after_its_last_edit_is_accepted(package):
    put(package / "match.py", 1000)
    put(package / f"match{SUFFIX}", 1000)
    assert imported(package) == ""


def test_an_installed_package_needs_no_source(package):
    put(package / f"match{SUFFIX}", 1000)
    assert imported(package) == ""


def test_every_kernel_in_use_is_a_compiled_module():
    folder = Path(rankwell.kernels.__file__).parent
    for source in folder.glob("*.py"):
        if source.stem != "__init__":
            module = __import__(f"rankwell.kernels.{source.stem}", fromlist=["__file__"])
            assert module.__file__.endswith(tuple(EXTENSION_SUFFIXES))
