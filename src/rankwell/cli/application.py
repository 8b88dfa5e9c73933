"""The application with its commands, each loaded when it is asked for, and the exit codes."""

from __future__ import annotations

from cyclopts import App

from rankwell import __version__

FOUND, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 3, 130
# each command and the module that holds it
COMMANDS = {
    "evaluate": "evaluate",
    "explain": "explain",
    "metrics": "explain",
    "rosetta": "explain",
    "axioms": "axioms",
    "lint": "lint",
    "demo": "demo",
    "trec_eval": "other_tools",
    "ndeval": "other_tools",
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
for name, module in COMMANDS.items():
    app.command(f"rankwell.cli.{module}:{name}", name=name)
app.command(prepare)
for name, module in PREPARE.items():
    prepare.command(f"rankwell.cli.{module}:{name}", name=name)
