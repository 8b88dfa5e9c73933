"""Modules for frameworks of training, imported where these are not installed: one error that says what to type."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
sys.modules.update(dict.fromkeys({absent}))
try:
    import rankwell.compat.{module}
except ImportError as error:
    from rankwell import RankwellError
    assert isinstance(error, RankwellError)
    print(error)
"""


@pytest.mark.parametrize(
    ("module", "absent", "needs"),
    [
        ("torchmetrics", ["torch", "torchmetrics"], "PyTorch and torchmetrics"),
        ("lightning", ["lightning", "lightning.pytorch", "pytorch_lightning"], "Lightning"),
        ("transformers", ["torch", "transformers"], "PyTorch and Transformers"),
        ("sentence_transformers", ["sentence_transformers"], "sentence-transformers"),
        ("mteb", ["mteb"], "MTEB 2 or later"),
    ],
)
def test_the_error_names_the_packages_and_the_command(module, absent, needs):
    program = PROGRAM.format(absent=absent, module=module)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"rankwell.compat.{module} needs {needs} (")
    assert done.stdout.strip().endswith(f"): pip install 'rankwell[{module}]'.")


def test_nothing_else_loads_them():
    program = (
        "import rankwell as rw, sys; rw.evaluate(rw.top_k(__import__('numpy').eye(2), 1), {0: [0]}, 'rr');"
    )
    ending = (
        "print(sorted(name for name in ('torch', 'jax', 'lightning', 'transformers') if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{program} {ending}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
