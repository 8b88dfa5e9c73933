"""The shape of the source tree."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sysconfig
from collections import Counter
from dataclasses import fields
from pathlib import Path

import rankwell as rw
from rankwell.evaluation.request import READING, Request

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "rankwell"
MODULES = sorted(path for path in PACKAGE.rglob("*.py*") if path.suffix in {".py", ".pyi"})


def test_the_source_tree_is_found():
    assert PACKAGE / "__init__.py" in MODULES


def test_values_of_users_are_shortened_in_messages():
    """``{value!r}`` writes a value of any length, or fails halfway; ``brief`` and slices of text do not."""
    whole = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {ast.unparse(node.value)}"
        for path in MODULES
        if path.parent.name != "kernels"
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and function.name not in ("__repr__", "__getattr__")
        for node in ast.walk(function)
        if isinstance(node, ast.FormattedValue) and node.conversion == ord("r")
        if not (isinstance(node.value, ast.Subscript) and isinstance(node.value.slice, ast.Slice))
    ]
    assert whole == []


FEW = {  # where np.unique is given fractions, which it sorts, or a few whole numbers
    "compat/trec_eval/measures.py", "comparison/agreement/judgements.py",
    "evaluation/bounds.py", "matching/pool.py", "judging/sampled_ranks.py", "judging/estimates.py", "metrics/graded/ndcg.py",
    "reporting/plots/long_tail.py", "reporting/plots/rel_sweep.py", "statistics/growth.py",
    "statistics/mixtures.py", "results/redaction.py", "tables/states.py",
}  # fmt: skip


def test_distinct_whole_numbers_are_sorted_out_and_not_hashed():
    """``np.unique`` of whole numbers takes a hundred times as long as ``distinct``, unless it returns more than them."""
    bare = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.unique" and not node.keywords
    }
    assert bare == FEW


def is_lazy_loading(node: ast.stmt) -> bool:
    """Whether a statement defines __getattr__ or __dir__ of a module, by a guard and one more, or imports for type checkers."""
    if isinstance(node, ast.If):
        is_import = [isinstance(each, ast.ImportFrom) for each in [*node.body, *node.orelse]]
        return ast.unparse(node.test) == "TYPE_CHECKING" and all(is_import)
    if not isinstance(node, ast.FunctionDef) or node.name not in ("__getattr__", "__dir__"):
        return False
    return len([each for each in node.body if not isinstance(each, ast.If)]) == 1 and len(node.body) <= 2


def test_a_face_imports_and_names_and_does_nothing_else():
    faces = [
        path
        for path in MODULES
        if path.name == "__init__.py" and path.parent not in (PACKAGE, PACKAGE / "kernels")
    ]
    for path in faces:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = [node for node in tree.body[1:] if not is_lazy_loading(node)]
        assert {type(node) for node in nodes} <= {ast.Import, ast.ImportFrom, ast.Assign}, path
        assert len(path.read_text(encoding="utf-8").splitlines()) < 40, path


def test_there_is_no_drawer_for_odds_and_ends():
    assert not {path.stem for path in MODULES} & {"util", "utils", "helper", "helpers", "common", "misc"}


def test_no_room_has_the_name_of_a_public_function():
    functions = {name for name in rw.__all__ if inspect.isroutine(getattr(rw, name))}
    assert "evaluate" in functions
    rooms = {path.stem for path in PACKAGE.iterdir()}
    assert not functions & rooms
    modules = {name for name in rw.__all__ if inspect.ismodule(getattr(rw, name))}
    assert modules == {"clicks", "efficiency", "extend", "judging", "metrics", "plot", "prepare"}


def test_a_layer_imports_only_what_is_below_it():
    program = Path(sysconfig.get_path("scripts"), "lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 kept, 0 broken" in done.stdout


def repeats_a_request(function):
    """Whether a function takes five or more words of a request, each by itself."""
    asked = {each.name for each in fields(Request)} | {*READING, "read", "rules"}
    given = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return len(asked & {each.arg for each in given}) >= 5


def test_only_faces_take_the_words_of_a_request_one_by_one():
    """Below them it is one record. A face documents its words: in its docstring, that of its class, or as options of a command."""
    found = []
    for path in MODULES:
        if path.suffix != ".py" or path.is_relative_to(PACKAGE / "cli"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for each in getattr(node, "body", []) if isinstance(node, (ast.Module, ast.ClassDef)) else []:
                if not isinstance(each, ast.FunctionDef) or not repeats_a_request(each):
                    continue
                owner = node if each.name == "__init__" and isinstance(node, ast.ClassDef) else each
                is_face = "Parameters\n" in (ast.get_docstring(owner) or "")
                if not is_face and "overload" not in map(ast.unparse, each.decorator_list):
                    found.append(f"{path.relative_to(PACKAGE)}: {each.name}")
    assert found == []


def test_every_constant_is_used():
    """A bound that nothing reads bounds nothing."""
    used = Counter(
        name
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            else [node.attr] if isinstance(node, ast.Attribute)
            else [each.name for each in node.names] if isinstance(node, ast.ImportFrom)
            else [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
        )
    )  # fmt: skip
    unused = {
        f"{path.relative_to(PACKAGE).as_posix()}: {target.id}"
        for path in MODULES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets  # not of a tuple, whose names are the codes of a list
        if isinstance(target, ast.Name) and target.id.isupper() and not used[target.id]
    }
    assert unused == set()
