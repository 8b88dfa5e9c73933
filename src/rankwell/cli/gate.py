"""The commands ``gate`` and ``watch``, which say whether something got worse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from rankwell.cli.arguments import COSTS, OUTPUT, STATISTICS, Option
from rankwell.cli.commands import FOUND
from rankwell.cli.compare import Clusters, Weights, evaluated, is_run, systems_of, without_metrics
from rankwell.cli.options import (
    DatedResults,
    Form,
    Format,
    FromExperiment,
    IntoLedger,
    Metrics,
    Output,
    PolicyRules,
    Reading,
    Tables,
    form_of,
    refuse_among_days,
    refuse_files,
    write_found,
)
from rankwell.cli.words import bytes_of, named_texts, split, split_names
from rankwell.comparison.compare.methods import FailOn, Mode
from rankwell.display.output import in_form, print_note, whole_file, width, write
from rankwell.display.saved_files import kind_of, load_kind
from rankwell.errors import InputError, UsageError, brief, one_of
from rankwell.matching.policy import Policy
from rankwell.readers.bytes.paths import short_name
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.comparison.checks import Limit
    from rankwell.comparison.gate import Gate


GateForm = Literal["text", "json", "junit", "markdown", "html", "csv"]
LEAST_DIGITS = 8  # of a hash, by which a baseline is known
SECONDS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


@record(kw_only=True)
class Deciding:
    """How the gate decides."""

    GROUP: ClassVar = STATISTICS

    mode: Annotated[
        Mode,
        Option(
            help="``non-inferiority`` stops what is not surely within the margin; ``regression`` stops failures"
        ),
    ] = "regression"
    fail_on: Annotated[
        FailOn,
        Option(
            help="``margin`` fails only where the drop is surely larger than the margin, not merely certain"
        ),
    ] = "drop"
    alpha: Annotated[float, Option(help="the chance of a false failure, and of a false pass")] = 0.05
    power: Annotated[float, Option(help="for the smallest drop that could be seen")] = 0.8
    flips: Annotated[int, Option(help="random patterns of signs, where few queries differ")] = 10_000
    seed: Annotated[int, Option(help="of everything drawn")] = 0
    strict: Annotated[bool, Option(help="stop also what is inconclusive")] = False
    force: Annotated[
        bool, Option(help="allow a margin that is too small to be seen, in non-inferiority mode")
    ] = False


@record(kw_only=True)
class Reported:
    """Where the verdict is written."""

    GROUP: ClassVar = OUTPUT

    format: Annotated[
        GateForm | None, Option(help="the output format; default: that of the suffix of the output")
    ] = None
    output: Output = None
    junit: Annotated[str | None, Option(help="also write JUnit XML to this file")] = None
    summary: Annotated[
        str | None, Option(help='also append Markdown to this file: ``"$GITHUB_STEP_SUMMARY"``')
    ] = None
    top: Annotated[
        int, Option(help="how many of the queries that changed most the Markdown lists; 0 for none")
    ] = 10


def gate(
    qrels: Annotated[
        str, Option(left_out=True, help="the judgements; left out if both systems are saved results")
    ],
    run: Annotated[
        str,
        Option(
            help="the new run, or its saved results; of days a folder, perhaps with a window: ``days/2026-11-01..2026-11-07``; "
            "``NAME=FILE`` names it, and --baseline"
        ),
    ],
    /,
    *,
    baseline: Annotated[
        str,
        Option(
            help="the accepted run, or its saved results; ``rankwell evaluate --per-query -o old.json`` saves some"
        ),
    ],
    metric: Metrics = None,
    max_drop: Annotated[
        list[str] | None,
        Option(
            help="the drop that is tolerated: ``0.01``, ``1%`` of the baseline's mean, or by metric ``ndcg@10=1%``; repeat it"
        ),
    ] = None,
    improve: Annotated[
        list[str] | None, Option(help="a metric that must surely get better, not only stay; repeat it")
    ] = None,
    min: Annotated[
        list[str] | None, Option(help="what the new mean must reach: ``0.3`` or ``ndcg@10=0.3``")
    ] = None,
    min_sure: Annotated[
        list[str] | None, Option(help="what the lower bound of the new mean must reach")
    ] = None,
    max_lost: Annotated[
        str, Option(help="the share of queries that may be left unanswered, or become undefined")
    ] = "1%",
    costs: Annotated[
        str | None,
        Option(help="what the new system costs, saved by ``rankwell bench -o costs.json``, for the next two"),
    ] = None,
    max_latency: Annotated[
        list[str] | None, Option(help="the latency that is allowed: ``p95=50ms``, ``p99=0.2s``; repeat it")
    ] = None,
    max_memory: Annotated[str | None, Option(help="the memory that is allowed: ``500M``, ``4G``")] = None,
    checks: Annotated[
        list[str] | None,
        Option(
            help="an interleaving that ``clicks interleaved -o`` saved: users must not prefer the other team; ``TEAM=FILE`` says which team is the "
            "new system; repeat it"
        ),
    ] = None,
    by: Annotated[list[str] | None, Option(help="a column of --users: checks per segment, too")] = None,
    weights: Weights = None,
    clusters: Clusters = None,
    baseline_hash: Annotated[
        str | None, Option(help="refuse a baseline file whose SHA-256 does not begin with this")
    ] = None,
    ratchet: Annotated[
        bool,
        Option(
            help="where all passes and the first metric surely improved, write the new results over the file of the baseline"
        ),
    ] = False,
    experiment: FromExperiment = None,
    ledger: IntoLedger = None,
    deciding: Deciding = Deciding(),
    reported: Reported = Reported(),
    tables: Tables = Tables(),
    reading: Reading = Reading(),
    policy: PolicyRules = Policy(),
) -> int:
    """Decide whether a new run may replace the accepted one: pass, fail or inconclusive; exit 1 to stop it.

    Example: ``rankwell gate qrels.txt new.run --baseline old.json -m ndcg@10 --max-drop 1%``
    """
    from rankwell.comparison.gate import gate as gated
    from rankwell.comparison.gate import rules_of
    from rankwell.results.saving.days import is_several
    from rankwell.results.saving.load import is_saved

    form = form_of(reported.format, reported.output, get_args(GateForm))
    paths = split_names([run, baseline])[1]
    given = [*([] if qrels == "none" else [qrels]), *paths, *tables.given, *([costs] if costs else [])]
    refuse_files(given, [reported.output, reported.junit], [reported.summary, ledger])
    limits = _limits_of_costs(costs, paths[0], max_latency, max_memory, deciding.alpha)
    accepted_file = paths[1]
    _refuse_other_file(accepted_file, baseline_hash)
    if ratchet and is_several(accepted_file):
        raise UsageError(
            f"--ratchet writes over the file of the baseline, and {baseline} is not one file. Make one: `rankwell merge {baseline} "
            f"-o old.parquet`."
        )
    if ratchet and not is_saved(accepted_file):
        raise UsageError(
            f"--ratchet writes over the baseline, so it must be saved results, not a run: {baseline}. Save them by "
            f"`rankwell evaluate {qrels} {baseline} … --per-query -o old.json`."
        )
    systems = _both(run, baseline)
    if len(systems) != 2:
        raise UsageError(f"a gate compares two systems; {run} and {baseline} hold {len(systems)}.")
    names = None if metric is None else [part for text in metric for part in split(text)]
    old = list(systems.values())[1]
    if names is None and not is_run(old):
        names = [str(each) for each in old.metrics]
    if names is None:
        raise without_metrics(accepted_file)
    try:
        results, users, _ = evaluated(systems, qrels, names, tables, reading, policy, by=by, ledger=ledger)
    except UsageError as error:
        raise UsageError(f"{error}{rules_of(old)}") from None
    new, accepted = results.values()
    found = gated(
        new,
        metrics=names,
        baseline=accepted,
        max_drop=named_texts(max_drop, "--max-drop") or 0.0,
        improve=improve,
        minimum=named_texts(min, "--min"),
        sure_minimum=named_texts(min_sure, "--min-sure"),
        max_lost=max_lost,
        checks=[*limits, *_other_checks(checks, new.name)],
        by=by,
        weights=weights,
        clusters=clusters,
        users=users,
        experiment=experiment or "",
        **vars(deciding),
    )
    _write(found, form, reported)
    if ratchet:
        _accept(found, accepted_file)
    return FOUND if found.exit_code else 0


def watch(
    results: DatedResults,
    /,
    *more: Annotated[str, Option(help="more of them")],
    metric: Metrics = None,
    reference: Annotated[
        str, Option(help="how many days, the first ones, the others are held against: at least 14")
    ] = "28d",
    false_alarms: Annotated[
        str, Option(help="the promise where nothing changes: ``1/year``, ``4/year``, ``1/month``")
    ] = "1/year",
    drop: Annotated[
        str, Option(help="say how soon this drop is seen: a share of the reference's mean, or a number")
    ] = "5%",
    since: Annotated[
        str | None, Option(help="exit 1 for any alarm from this date on, not only for one of the newest day")
    ] = None,
    by: Annotated[
        list[str] | None,
        Option(help="a column that the results were evaluated by: watch the mean with the reference's mix"),
    ] = None,
    format: Format = None,  # noqa: A002 - the word of the option
    output: Output = None,
) -> int:
    """Watch a daily mean for a drop, with as many false alarms as were promised; exit 1 for an alarm.

    Example: ``rankwell watch days/ -m ndcg@10 --false-alarms 1/year --drop 5%``
    """
    from rankwell.comparison.watch import watch as watched

    words, form = [results, *more], form_of(format, output, get_args(Form))
    refuse_among_days(words, output)
    names = [part for text in metric or () for part in split(text)]
    if len(names) > 1:
        raise UsageError(f"-m {','.join(names)}: one metric is watched; run the command once for each.")
    found = watched(
        words, names[0] if names else None, reference, false_alarms, drop=drop, by=by, since=since
    )
    write_found(found, form, output)
    return FOUND if found.exit_code else 0


def _both(run: str, baseline: str) -> dict[str, Any]:
    """The two systems by name; where a run is gated against itself, the name of the baseline says that it is one."""
    names, _ = split_names([run, baseline])
    if names[0] != names[1]:
        return systems_of([run, baseline])
    new, old = systems_of([run]), systems_of([baseline])
    return new | {f"{name} (baseline)" if name in new else name: system for name, system in old.items()}


def _latencies_of(given: list[str] | None) -> dict[str, float]:
    """Read latencies by quantile.

    >>> _latencies_of(["p95=50ms,p99=0.2s"])
    {'p95': 0.05, 'p99': 0.2}
    """
    found = {}
    for text in (part for each in given or () for part in each.split(",")):
        parts = re.fullmatch(r"\s*(p[\d.]+)\s*=\s*(\d+(?:\.\d+)?)\s*(us|µs|ms|s)\s*", text)
        if parts is None:
            raise UsageError(
                f"--max-latency takes a quantile and a time with its unit, such as p95=50ms, not {brief(text)}."
            )
        found[parts[1]] = float(parts[2]) * SECONDS[parts[3]]
    return found


def _limits_of_costs(
    costs: str | None, run: str, max_latency: list[str] | None, max_memory: str | None, alpha: float
) -> list[Limit]:
    """The limits that a gate is given for the costs of its new system, which is that of the run's name, or the only one."""
    if costs is None:
        if max_latency or max_memory:
            raise UsageError(
                "--max-latency and --max-memory need --costs, the file of rankwell bench -o costs.json."
            )
        return []
    found = load_kind(costs, COSTS)
    title = short_name(run)
    name = found.systems[0] if len(found.systems) == 1 else Path(run).name
    wanted = next((each for each in (name, title) if each in found.systems), None)
    if wanted is None:
        raise UsageError(
            f"{costs}: none of its systems is called {brief(title)}, as the run is: {one_of(found.systems)}."
        )
    latency, memory = _latencies_of(max_latency), bytes_of(max_memory, "--max-memory")
    kept: list[Limit] = []
    for load in found.loads:
        own = found.limits(wanted, max_latency=latency, max_memory=memory, load=load, alpha=alpha)
        kept += [each._replace(name=f"{each.name} ({load})") for each in own] if len(found.loads) > 1 else own
    return kept


def _other_checks(given: list[str] | None, system: str) -> list[Any]:
    """The checks of saved results of other rooms, of the system by its name or by the one in front of the file."""
    found = []
    for word, name, path in zip(given or (), *split_names(given or ()), strict=True):
        kind = kind_of(path)
        if not kind:
            raise UsageError(
                f"--checks {path}: is no file of a result, such as rankwell clicks interleaved -o writes."
            )
        result = load_kind(path, kind)
        if not hasattr(result, "check"):
            raise UsageError(
                f"--checks {path}: holds {kind}, of which nothing is checked; a file of an interleaving is."
            )
        found.append(result.check(name if word.startswith(f"{name}=") else system))
    return found


def _refuse_other_file(baseline: str, pinned: str | None) -> None:
    if pinned is None:
        return
    import hashlib

    wanted = pinned.lower().removeprefix("sha256:")
    if len(wanted) < LEAST_DIGITS or set(wanted) - set("0123456789abcdef"):
        raise UsageError(f"--baseline-hash {pinned}: at least {LEAST_DIGITS} digits of the file's SHA-256.")
    try:
        own = hashlib.sha256(Path(baseline).read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{baseline}: cannot be read ({error.strerror}).") from error
    if not own.startswith(wanted):
        raise InputError(
            f"{baseline}: its SHA-256 is {own[:16]}…, not {wanted[:16]}…: this is not the baseline that was accepted."
        )


def _write(found: Gate, form: str, reported: Reported) -> None:
    def markdown() -> str:
        return found.to_markdown(reported.top)

    texts = {
        "text": lambda: found.to_text(None if reported.output else width()),
        "json": found.to_json,
        "junit": found.to_junit,
        "markdown": markdown,
    }
    write(texts[form]() if form in texts else in_form([found.to_table()], form), reported.output)
    if reported.junit is not None:
        write(found.to_junit(), reported.junit)
    if reported.summary is not None:
        try:
            with Path(reported.summary).open("a", encoding="utf-8") as file:
                file.write(markdown() + "\n")
        except OSError as error:
            raise InputError(f"{reported.summary}: cannot be written ({error.strerror}).") from error
    if found.status == "inconclusive" and not found.exit_code:
        print_note("inconclusive, let through; --strict would stop it.")


def _accept(found: Gate, baseline: str) -> None:
    """Make the new results the accepted ones, if they surely are better; what was merely lucky is only told."""
    first = found.checks[0]
    if found.has_improved:
        path = Path(baseline)
        if path.suffix.lower() == ".parquet":
            found.new.save(path)
        else:
            with whole_file(path) as file:
                file.write_text(found.new.to_json(per_query=True, states=True) + "\n", encoding="utf-8")
        print_note(f"{found.name} is the accepted baseline now, in {baseline}.")
    elif found.status == "pass" and first.found.difference > 0:
        print_note(
            f"{found.name} is higher in {first.check.name}, but not surely better: the baseline stays as it is."
        )
