"""The application with its commands, each loaded when it is asked for, and the exit codes."""

from __future__ import annotations

from cyclopts import App, Group

from rankwell import __version__

FOUND, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 3, 130
# each command by what it is for, and the module that holds it
GROUPS = {
    "Evaluate": {"evaluate": "evaluate", "demo": "demo"},
    "Understand": {
        "explain": "explain",
        "metrics": "explain",
        "rosetta": "explain",
        "axioms": "axioms",
        "lint": "lint",
    },
    "As other tools do": {"trec_eval": "other_tools", "ndeval": "other_tools"},
}
COMMANDS = {name: module for commands in GROUPS.values() for name, module in commands.items()}
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

OPTIONS = Group("Options", sort_key=9)

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
    group=Group("Prepare", sort_key=1.5),
)
for place, (title, commands) in enumerate(GROUPS.items()):
    group = Group(title, sort_key=place)
    for name, module in commands.items():
        app.command(f"rankwell.cli.{module}:{name}", name=name, group=group)
app.command(prepare)
for name, module in PREPARE.items():
    prepare.command(f"rankwell.cli.{module}:{name}", name=name)
app.register_install_completion_command(
    help="Let the shell complete commands and options; asks the shell in use, or say --shell bash|zsh|fish.",
    group="Options",
)
for flag in ("--help", "--version"):
    app[flag].group = OPTIONS
