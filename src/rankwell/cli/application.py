"""The application that commands are registered with, and its exit codes."""

from __future__ import annotations

from cyclopts import App

from rankwell import __version__

FOUND, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 3, 130

app = App(
    name="rankwell",
    help="Evaluate how well a system ranks: a recommender's lists or a search engine's runs.",
    version=f"rankwell {__version__}",
    version_flags=["--version", "-V"],
    help_format="rst",
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
