"""The commands: the module of each, and what the list of commands says of it; and the exit codes."""

from __future__ import annotations

import importlib
from collections.abc import Callable

FOUND, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 3, 130
# by what they are for: each command with its module and the first sentence of its docstring
GROUPS = {
    "Evaluate": {
        "evaluate": ("evaluate", "Evaluate runs against judgements."),
        "merge": (
            "evaluate",
            "Add saved results of disjoint sets of queries, such as days, and print the result of evaluating them together.",
        ),
        "demo": ("demo", "Evaluate bundled real data and print tables worth reading."),
    },
    "Compare": {
        "compare": (
            "compare",
            "Compare runs: means with intervals, and tests of their differences, corrected for their number.",
        ),
        "report": (
            "report",
            "Write one HTML page of an evaluation: the answer in a sentence, leaderboard, pictures, queries, definitions.",
        ),
        "diff": (
            "compare",
            "Show the queries on which two runs differ most; with --query both lists of one, and what each rank contributed.",
        ),
        "gate": (
            "gate",
            "Decide whether a new run may replace the accepted one: pass, fail or inconclusive; exit 1 to stop it.",
        ),
        "fuse": (
            "compare",
            "Make one run of several, by their scores or ranks, with weights that are given or learned from judgements.",
        ),
        "agreement": (
            "compare",
            "Say how far judgements agree, and the orders of runs under metrics and judgements.",
        ),
    },
    "Understand": {
        "explain": (
            "explain",
            "Print the definition of a metric; with judgements and a run, how its value for one query is computed.",
        ),
        "metrics": ("explain", "List all metrics, or those that have some words in common."),
        "rosetta": (
            "other_tools",
            "Show the value that each tool would print for these data under one name, and how its definition differs.",
        ),
        "axioms": (
            "explain",
            "Check which axioms a metric satisfies, with a small pair of lists where it fails; several metrics make a table.",
        ),
        "lint": (
            "lint",
            "Find problems in runs, judgements and test collections, their effect on a metric, and the remedy; exit 1 if anything is wrong.",
        ),
    },
    "Measure cost": {
        "bench": (
            "bench",
            "Measure what systems cost in time and space: indexing, latency, throughput and memory, beside what they find.",
        ),
    },
    "As other tools do": {
        "trec_eval": ("other_tools", "Print what NIST's trec_eval prints for the same arguments."),
        "ndeval": ("other_tools", "Print what NIST's ndeval prints for the same arguments."),
    },
}
PREPARE = {
    "popularity": ("prepare", "Drop, cap, relabel or mark the rows of popular items."),
    "split": ("prepare", "Split a log into training and test data, and report what leaks."),
    "folds": (
        "prepare",
        "Split a log at random into parts, each of which is the test data once.",
    ),
    "core": ("prepare", "Keep the users and items whose number of rows is within limits."),
    "check": (
        "prepare",
        "Check training data, test data and lists before they are scored; exit 1 if there is an error.",
    ),
    "tiers": ("prepare", "Weight, repeat or sample interactions by the tier of their user."),
    "impute": ("prepare", "Give the unrated items of lists a grade, and mark these rows."),
    "baselines": (
        "prepare",
        "Make reference lists, the floor and the ceiling of every comparison: random, popular, recently popular, ideal.",
    ),
}
# each with its module, whose function has the name of the module
JUDGING = {
    "next": (
        "judging_next",
        "Choose the unjudged items whose judgements tell most about a comparison of runs.",
    ),
    "simulate": (
        "judging_simulate",
        "Judge again what is judged, in the order of each method, and show how soon the order of the runs is right.",
    ),
    "sample": (
        "judging_sample",
        "Draw items to judge at random from the lists of runs, so that metrics can be estimated from their judgements.",
    ),
    "estimate": (
        "judging_estimate",
        "Estimate AP and nDCG from judgements of a random sample of items, with two variances: of the sample, and over queries.",
    ),
    "correct": (
        "judging_correct",
        "Estimate values over all candidates from lists of one relevant item among sampled negatives, with the worst-case bias.",
    ),
    "sheet": (
        "judging_sheet",
        "Write a page on which a person grades pairs of query and item, offline, in any browser.",
    ),
    "merge": (
        "judging_merge",
        "Join what judges exported from their sheets into one grade per pair, and show how far each agrees with themselves.",
    ),
    "prompts": (
        "judging_prompts",
        "Write requests to a model that judges pairs of query and item, which you send; rankwell calls no model.",
    ),
    "answers": (
        "judging_answers",
        "Read what a model answered to requests as judgements; refusals, grades outside the scale and ties are counted, and never 0.",
    ),
}
PLOT = "Draw a picture of an evaluation as .svg, .png, .pdf, .html or .json: a kind, then QRELS and RUN."
COMMANDS = {name: entry for commands in GROUPS.values() for name, entry in commands.items()}
MODULES = {name: module for name, (module, _) in (COMMANDS | PREPARE).items()}
MODULES |= {module: module for module, _ in JUDGING.values()}


def command(name: str) -> Callable[..., int | None]:
    """Return the function of a command, whose module is imported now."""
    module = importlib.import_module(f"{__package__}.{MODULES[name]}")
    found: Callable[..., int | None] = getattr(module, name)
    return found
