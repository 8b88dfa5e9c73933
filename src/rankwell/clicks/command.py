"""The commands ``clicks …``: each calls the function of its name in ``rankwell.clicks``."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from rankwell.cli.arguments import OUTPUT, READING, STATISTICS, Option
from rankwell.cli.commands import FOUND
from rankwell.cli.options import Format, Output, form_of, refuse_files, write_found
from rankwell.cli.words import numbers, pairs, split
from rankwell.display.output import print_note, write
from rankwell.errors import UsageError, brief
from rankwell.records import record

FORMS = "text", "markdown", "latex", "html", "json"
NONE = "none"
LogFile = Annotated[str, Option(help="the log: a table (.csv, .parquet …), or events of UBI (.ndjson)")]
Searches = Annotated[str, Option(help="more files of UBI, such as the searches of the events")]
Cluster = Annotated[
    str, Option(group=STATISTICS, help="the column of what comes back, such as user or session; ``none`` counts each row alone")
]  # fmt: skip
Bias = Annotated[
    str, Option(help="how likely each rank is looked at: what ``rankwell clicks positions -o`` saved, or ``1,0.5,0.3``")
]  # fmt: skip
Credit = Annotated[
    Literal["clicks", "items"], Option(help="what wins an impression: more ``clicks``, or more ``items`` clicked")
]  # fmt: skip
Means = Annotated[
    Literal["swap", "harvest"], Option(help="``swap`` needs a log whose ranks were swapped or shuffled at random, ``harvest`` one of several rankers")
]  # fmt: skip
AtLeast = Annotated[
    float, Option(help="the expected looks that a query and item needs; others are left out")
]  # fmt: skip
Levels = Annotated[
    str | None, Option(help="the click rates from which a grade of 1, 2, … begins: ``0.05,0.2``; default: the rate itself")
]  # fmt: skip
GradesFile = Annotated[
    str | None, Option(name=("--output", "-o"), group=OUTPUT, help="the file for the judgements: ``.csv``, ``.parquet`` …; else they are printed")
]  # fmt: skip
Discount = Annotated[
    Literal["log2p1", "reciprocal", "none"], Option(help="what a click is worth at a rank of the new lists")
]  # fmt: skip
Estimator = Annotated[
    Literal["snips", "ips", "dr"], Option(help="the estimator; ``dr`` needs the columns q and v of a model")
]  # fmt: skip
Target = Annotated[
    str | None, Option(help="the column of the new policy's probability, or two columns to compare: ``new,old``; or a .json of Open Bandit Pipeline")
]  # fmt: skip


@record(kw_only=True)
class LogReading:
    """How the log is read."""

    GROUP: ClassVar = READING

    columns: Annotated[
        list[str] | None, Option(help="columns and their meaning, if the names do not tell: ``seen_by=user,pos=rank``")
    ] = None  # fmt: skip
    rank_base: Annotated[
        Literal[0, 1] | None, Option(help="whether the first rank is 0 or 1; default: the lowest one of the log")
    ] = None  # fmt: skip

    def read(self, output: str | None, log: str, *more: str) -> Any:
        """Return the log; a path that would be overwritten is refused."""
        from rankwell.clicks import read_log

        refuse_files([log, *more], [output])
        if more and (self.columns or self.rank_base is not None):
            raise UsageError("--columns and --rank-base are for a table, which is one file.")
        columns = pairs(self.columns, "--columns")
        return read_log([log, *more] if more else log, columns=columns, rank_base=self.rank_base)


@record(kw_only=True)
class Asking(LogReading):
    """How the log is read, and how the answer is written."""

    output: Output = None
    format: Format = None

    def answer(self, verb: str, logs: tuple[str, ...], *given: Any, cluster: str, **options: Any) -> Any:
        """Return what a function says of a log, after it was written."""
        from rankwell import clicks

        form = form_of(self.format, self.output, FORMS)
        options["cluster"] = None if cluster == NONE else cluster
        found = getattr(clicks, verb)(self.read(self.output, *logs), *given, **options)
        write_found(found, form, self.output)
        return found


def clicks_interleaved(
    log: LogFile,
    /,
    *searches: Searches,
    credit: Credit = "clicks",
    cluster: Cluster = "user",
    asked: Asking = Asking(),
) -> None:
    """Compare rankers whose items were interleaved in one list, by the clicks on each, with intervals over users.

    Example: ``rankwell clicks interleaved team_draft.csv -o interleaving.json``
    """
    asked.answer("interleaved", (log, *searches), cluster=cluster, credit=credit)


def clicks_positions(
    log: LogFile,
    /,
    *searches: Searches,
    how: Means = "swap",
    cluster: Cluster = "user",
    asked: Asking = Asking(),
) -> None:
    """Find how likely users look at each rank, relative to the first: the position bias.

    Example: ``rankwell clicks positions swapped.csv -o positions.json``
    """
    asked.answer("positions", (log, *searches), cluster=cluster, how=how)


def clicks_judgements(
    log: LogFile,
    /,
    *searches: Searches,
    positions: Bias,
    at_least: AtLeast = 20.0,
    levels: Levels = None,
    shape: LogReading = LogReading(),
    output: GradesFile = None,
) -> None:
    """Make judgements of clicks: for each query and item its clicks over those that its ranks would bring.

    Example: ``rankwell clicks judgements log.csv --positions positions.json --levels 0.05,0.2 -o grades.csv``
    """
    from rankwell.clicks import judgements
    from rankwell.display.output import refuse_format, save
    from rankwell.readers.frames.in_memory import frame_of_qrels

    if output is not None:
        refuse_format(output)
    own, steps = shape.read(output, log, *searches), numbers(levels, "--levels")
    made = judgements(own, _bias(positions), at_least=at_least, levels=steps)
    frame = frame_of_qrels(made)
    if output is None:
        write(frame.write_csv(), None)
    else:
        save(frame, output)
    for what, n in made.counts.items():
        print_note(f"{what}: {n:,}")
    print_note(f"{len(frame):,} judgements, judged by {made.assessor}")


def clicks_counterfactual(
    log: LogFile,
    run: Annotated[str, Option(help="the new lists: any run that ``evaluate`` reads")],
    /,
    *,
    positions: Bias,
    discount: Discount = "log2p1",
    cluster: Cluster = "user",
    asked: Asking = Asking(),
) -> None:
    """Estimate what a new order would have earned, from clicks that are weighed by how likely their rank is looked at.

    Example: ``rankwell clicks counterfactual log.csv new.run --positions positions.json``
    """
    asked.answer("counterfactual", (log,), run, _bias(positions), cluster=cluster, discount=discount)


def clicks_off_policy(
    log: LogFile,
    /,
    *,
    how: Estimator = "snips",
    target: Target = None,
    clip: Annotated[float | None, Option(help="the largest weight; it biases the value")] = None,
    force: Annotated[bool, Option(help="give a value also where it is refused", negative="")] = False,
    cluster: Cluster = NONE,
    asked: Asking = Asking(),
) -> int:
    """Estimate what another policy would have earned on this log, with what says how far it can be trusted; exit 1 if not.

    Example: ``rankwell clicks off-policy choices.csv --target new``
    """
    to = _targets(target)
    found = asked.answer("off_policy", (log,), cluster=cluster, how=how, target=to, clip=clip, force=force)
    return FOUND if any(each.refused for each in found.policies) and not force else 0


def _bias(given: str) -> Any:
    """Theta by rank, or the path of a file of it."""
    return given if given.lower().endswith(".json") else numbers(given, "--positions")


def _targets(given: str | None) -> Any:
    """The columns of the targets, or the probabilities that a file of JSON holds."""
    if given is None:
        return None
    if not given.lower().endswith(".json"):
        return split(given)
    import json
    from pathlib import Path

    try:
        return json.loads(Path(given).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"--target {given}: cannot be read as JSON ({brief(str(error))}).") from error
