"""The wheel as people get it: built with pip, installed and run where there is no compiler. And the source distribution."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import rankwell as rw

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KERNELS = sorted(
    path.stem for path in (ROOT / "src/rankwell/kernels").glob("*.py") if path.stem != "__init__"
)


def run(*command: str | Path, **options) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def files(wheel) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_one_wheel_serves_every_python_from_3_11(wheel):
    assert wheel.name.startswith(f"rankwell-{rw.__version__}-cp311-abi3-")


def test_the_wheel_holds_every_kernel_compiled_and_none_as_source(files):
    inside = {name.rpartition("/")[2] for name in files if name.startswith("rankwell/kernels/")}
    assert KERNELS
    # views: the code of typed views, which Cython makes once for all kernels
    assert {name.partition(".")[0] for name in inside} == {"__init__", "views", *KERNELS}
    assert {name for name in inside if name.endswith((".py", ".c"))} == {"__init__.py"}


def test_the_wheel_holds_exactly_the_modules_and_data_of_the_source_tree(files):
    package = ROOT / "src" / "rankwell"
    wanted = {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.parent.name != "kernels"
    }
    held = {name for name in files if name.startswith("rankwell/") and "/kernels/" not in name}
    assert held == wanted
    assert {name for name in files if "/" not in name} == {"pytest_rankwell.py"}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs a program of an environment that has the wheel and no compiler, in a folder of its own."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", folder / "venv")
    programs = folder / "venv" / "bin"
    dropped = {"PYTHONPATH", "CC", "CXX", "LDSHARED"}
    env = {name: value for name, value in os.environ.items() if name not in dropped} | {"PATH": str(programs)}
    assert not [name for name in ("cc", "gcc", "clang", "tcc") if shutil.which(name, path=env["PATH"])]

    def run_there(program: str, *arguments: str | Path) -> str:
        return run(programs / program, *arguments, env=env, cwd=folder)

    run_there("python", "-m", "pip", "install", "--only-binary", ":all:", wheel)
    return run_there


def test_the_wheel_installs_and_runs_without_a_compiler(installed):
    assert rw.__version__ in installed("rankwell", "--version")
    assert len(installed("rankwell", "demo").splitlines()) > 10
    where = installed("python", "-c", "import os, rankwell; print(os.path.relpath(rankwell.__file__))")
    assert where.startswith("venv")


def test_pytest_finds_the_plugin_of_the_wheel(installed, tmp_path):
    installed("python", "-m", "pip", "install", "--only-binary", ":all:", "pytest")
    suite = tmp_path / "test_it.py"
    suite.write_text(
        "def test_it(ranking_baseline):\n"
        "    qrels = {str(query): {'d': 1} for query in range(9)}\n"
        "    ranking_baseline({query: ['d'] for query in qrels}, qrels, ['rr'])\n"
    )
    for option, shown in (
        ("--ranking-baseline-update", "1.0000, accepted"),
        ("-v", "the values are identical"),
    ):
        assert shown in installed(
            "python", "-W", "error", "-m", "pytest", "--rootdir", tmp_path, option, suite
        )


def test_the_source_distribution_holds_no_collection_and_says_where_they_are(tmp_path):
    options = ["egg_info", "--egg-base", tmp_path, "sdist", "--dist-dir", tmp_path]
    run(sys.executable, "setup.py", "--quiet", *options, cwd=ROOT)
    [built] = tmp_path.glob("*.tar.gz")
    with tarfile.open(built) as archive:
        names = [name for name in archive.getnames() if "/tests/data/" in name]
    assert any(name.endswith("tests/data/README.md") for name in names)
    assert not [name for name in names if name.endswith(".xz")]
