"""The kernel tests once more, on kernels that check every index of a typed view.

The released kernels are compiled without bounds checks, so an index past the end reads what lies there, and a test may
well not notice. Here all are built again with checks, in a copy of the source tree, and that the checks are on is shown
by a kernel with a planted fault.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "src" / "rankwell" / "kernels"

PLANTED = '''\
"""Reads an element wherever it is told to."""

import cython


def element(values: object, index: cython.Py_ssize_t) -> int:
    view: cython.longlong[::1] = values
    return view[index]


def element_without_gil(values: object, index: cython.Py_ssize_t) -> int:
    view: cython.longlong[::1] = values
    found: cython.longlong
    with cython.nogil:
        found = view[index]
    return found
'''

# Four elements of eight are shown, so element 5 lies past the end of the view and yet in memory of ours.
CALL = """
from array import array
from rankwell.kernels import planted
shown = memoryview(array("q", [10, 11, 12, 13, 14, 15, 16, 17]))[:4]
for read in (planted.element, planted.element_without_gil):
    assert read(shown, 3) == 13
    try:
        print(read(shown, 5))
    except IndexError:
        print("IndexError")
"""


def python(tree: Path, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the tree, which takes the place of the installed package."""
    env = os.environ | {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"} | variables
    return subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=env, capture_output=True, text=True, check=False
    )


def build(tree: Path, **variables: str) -> None:
    done = python(tree, "setup.py", "--quiet", "build_ext", "--inplace", **variables)
    assert done.returncode == 0, done.stdout + done.stderr


def copy_tree(target: Path) -> Path:
    """The sources without anything that was built, and with the planted kernel."""
    built = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.egg-info")
    shutil.copytree(ROOT / "src", target / "src", ignore=built)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, target)
    (target / "src/rankwell/kernels/planted.py").write_text(PLANTED, encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def checked(tmp_path_factory) -> Path:
    tree = copy_tree(tmp_path_factory.mktemp("checked"))
    build(tree, RANKWELL_BOUNDSCHECK="1")
    return tree


def test_an_index_past_the_end_is_caught_in_the_checked_build(checked):
    done = python(checked, "-c", CALL)
    assert done.stdout.split() == ["IndexError", "IndexError"], done.stderr


def test_the_same_index_goes_unnoticed_in_the_released_build(tmp_path):
    tree = copy_tree(tmp_path)
    for source in (tree / "src/rankwell/kernels").glob("*.py"):
        if source.stem not in {"__init__", "planted"}:
            source.unlink()
    views = Path("build/kernels/release/views")  # it is the same in every build, and takes long
    if (ROOT / views).is_dir():
        shutil.copytree(ROOT / views, tree / views)
    build(tree, RANKWELL_BOUNDSCHECK="0")
    done = python(tree, "-c", CALL)
    assert done.stdout.split() == ["15", "15"], done.stderr


@pytest.mark.parametrize("source", sorted(KERNELS.glob("*.py")), ids=lambda path: path.stem)
def test_no_kernel_chooses_its_own_bounds_checks(source):
    # A directive in a file or on a function would win over those of the build, and the checks be off unseen; and memory that a kernel
    # asks for itself has no view whose indexes could be checked.
    found = re.search(
        r"boundscheck|wraparound|initializedcheck|[mc]alloc", source.read_text(encoding="utf-8")
    )
    assert found is None


def test_the_kernel_tests_pass_with_bounds_checks(checked):
    where = python(checked, "-c", "import rankwell.kernels as kernels; print(kernels.__file__)")
    assert Path(where.stdout.strip()).is_relative_to(checked), where.stderr

    options = ("-p", "no:cacheprovider", "--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"))
    folders = (str(ROOT / "tests" / "kernels"), str(ROOT / "tests" / "readers" / "test_any_value.py"))
    others = (*folders, "--ignore", __file__, "-m", "not slow")
    done = python(checked, "-m", "pytest", "-q", *options, *others)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ passed", done.stdout), done.stdout


@pytest.mark.parametrize(("what", "corpus"), [("--atheris", "readers"), ("--kernels", "kernels")])
def test_fuzzing_led_by_atheris_finds_nothing(checked, tmp_path, what, corpus):
    kept = tmp_path / "corpus"
    shutil.copytree(ROOT / "tests" / "corpus" / corpus, kept)
    done = python(checked, ROOT / "tools" / "fuzz.py", "--inputs", "1000", "--broken", tmp_path, what, kept)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert re.search(r"Done [0-9]{3,} runs", done.stderr), done.stderr[-2000:]
