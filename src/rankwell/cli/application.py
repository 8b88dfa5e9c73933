"""The application with its commands, each loaded when it is asked for, and the exit codes."""

from __future__ import annotations

from cyclopts import App

from rankwell import __version__

FOUND, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 3, 130
COMMANDS = {
    "axioms": "axioms",
    "demo": "demo",
    "evaluate": "evaluate",
    "explain": "explain",
    "lint": "lint",
    "metrics": "explain",
    "ndeval": "other_tools",
    "rosetta": "explain",
    "trec_eval": "other_tools",
}
PREPARE = {
    "popularity": "prepare_rows",
    "split": "prepare_rows",
    "folds": "prepare_rows",
    "core": "prepare_rows",
    "check": "prepare_judgements",
    "tiers": "prepare_judgements",
    "impute": "prepare_judgements",
    "baselines": "prepare_judgements",
}

app = App(
    name="rankwell",
    help="Evaluate how well a system ranks: a recommender's lists or a search engine's runs.",
    version=f"rankwell {__version__}",
    version_flags=["--version", "-V"],
    help_format="rst",
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
prepare = App(
    name="prepare",
    help=f"Prepare the data of a recommender, with a report: {', '.join(PREPARE)}.",
    help_format="rst",
)
app.command(prepare)
for name, module in COMMANDS.items():
    app.command(f"rankwell.cli.{module}:{name}", name=name)
for name, module in PREPARE.items():
    prepare.command(f"rankwell.cli.{module}:{name}", name=name)
