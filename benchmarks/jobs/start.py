"""Small commands: what they cost beyond the import of NumPy, which is the least that they must do."""

from __future__ import annotations

from dataclasses import replace
from tempfile import gettempdir

from harness import HERE, Command, nothing
from workload import Bar, Maker, Setting, Workload, at_most

from jobs.commands import TREC_EVAL, as_trec_eval_prints, evaluate, import_numpy, trec_eval

SAMPLE = HERE.parent / "src" / "rankwell" / "data" / "trec_eval"  # NIST's sample, which rankwell carries
FILES = (str(SAMPLE / "qrels.test"), str(SAMPLE / "results.test"))
DICTS = (
    'import rankwell as rw; rw.evaluate({"q": {"a": 1.0, "b": 0.5}}, {"q": {"b": 1}}, ["ap", "ndcg@10"]).mean'
)
TURNS = 20


def on_sample(command: Command) -> Command:
    """The same command on NIST's sample."""
    words = (word.replace("{data}/qrels", FILES[0]).replace("{data}/run", FILES[1]) for word in command.argv)
    return replace(command, argv=tuple(words))


def small_evaluate(setting: Setting) -> Workload:
    return Workload(
        "`rankwell evaluate`, 3 queries × 500 rows",
        on_sample(evaluate(setting, "qrels", ["run"])),
        (
            setting.peer("pytrec_eval", "peer_text.py", *FILES),
            *(on_sample(peer) for peer in trec_eval(setting, "qrels", "run")),
        ),
        import_numpy(setting),
        bars=(at_most("above", 0.06),),
        repeats=TURNS,
    )


def small_trec_eval(setting: Setting) -> Workload:
    peers = tuple(on_sample(peer) for peer in trec_eval(setting, "qrels", "run"))
    ours = (str(setting.rankwell), "trec_eval", *TREC_EVAL.split(), *FILES)
    return Workload(
        "`rankwell trec_eval`, 3 queries × 500 rows",
        Command("rankwell trec_eval", ours, as_trec_eval_prints, digits=4),
        peers,
        import_numpy(setting),
        (replace(on_sample(evaluate(setting, "qrels", ["run"])), digits=4),),
        bars=(at_most("above", 0.06),),
        repeats=TURNS,
    )


def small_report(setting: Setting) -> Workload:
    pages = ("-m", "ap", "-m", "ndcg@10", "-o", f"{gettempdir()}/rankwell_report.html")
    ours = (str(setting.rankwell), "report", FILES[0], f"one={FILES[1]}", f"same={FILES[1]}", *pages)
    command = Command("rankwell report", ours, nothing)
    return Workload(
        "`rankwell report` of two runs, 3 queries × 500 rows", command, bars=(at_most("seconds", 1.5),)
    )


def alone(title: str, words: tuple[str, ...], least: str, *bars: Bar) -> Maker:
    """A program without files beside the least that it must do; {python} and {rankwell} are ours."""

    def make(setting: Setting) -> Workload:
        def of(*given: str) -> tuple[str, ...]:
            ours = {"{python}": setting.python, "{rankwell}": str(setting.rankwell)}
            return tuple(ours.get(word, word) for word in given)

        label = "bare Python" if least == "pass" else least
        limit = Command(label, of("{python}", "-c", least), nothing)
        return Workload(title, Command("rankwell", of(*words), nothing), (), limit, bars=bars, repeats=TURNS)

    return make


def help_of(*words: str) -> Maker:
    """The help of a command."""
    title = " ".join(["rankwell", *words, "--help"])
    return alone(f"`{title}`", ("{rankwell}", *words, "--help"), "pass", at_most("seconds", 0.15))


WORKLOADS: dict[str, Maker] = {
    "small_evaluate": small_evaluate,
    "small_trec_eval": small_trec_eval,
    "small_report": small_report,
    "small_dicts": alone(
        "`import rankwell; rw.evaluate(dict, dict)`",
        ("{python}", "-c", DICTS),
        "import numpy",
        at_most("above", 0.05),
    ),
    "import": alone(
        "`import rankwell`", ("{python}", "-c", "import rankwell"), "pass", at_most("above", 0.03)
    ),
    "version": alone("`rankwell --version`", ("{rankwell}", "--version"), "pass"),
    "help": help_of(),
    "help_evaluate": help_of("evaluate"),
    "help_compare": help_of("compare"),
    "help_report": help_of("report"),
    "help_plot": help_of("plot"),
}
