"""The packages of the extra ``report``, which everything that draws or writes a page needs."""

from __future__ import annotations

from importlib.util import find_spec

from rankwell.errors import UsageError

PACKAGES = {"altair": "altair", "vl_convert": "vl-convert-python", "jinja2": "jinja2"}


def require_extra() -> None:
    """Refuse, before the work, to draw without the packages for it.

    Raises
    ------
    UsageError
        If one of them is not installed.
    """
    missing = [package for module, package in PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise UsageError(
            f"pictures and reports need {' and '.join(missing)}: pip install 'rankwell[report]'."
        )
