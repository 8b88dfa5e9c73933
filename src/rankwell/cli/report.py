"""The commands ``report``, and ``plot``: one per kind of picture, each made of the function of ``rankwell.plot`` that draws it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import Parameter, Signature
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from rankwell.cli.arguments import (
    DATA,
    EXAMPLE,
    OUTPUT,
    STATISTICS,
    UNJUDGED,
    Option,
    QrelsOrNone,
    explained,
    is_result,
)
from rankwell.cli.compare import (
    Clusters,
    Load,
    Testing,
    Weights,
    answers_in,
    compare,
    costs_of,
    evaluated,
    is_run,
    joined_costs,
    name_of,
    systems_of,
    without_metrics,
)
from rankwell.cli.options import (
    BoundingOptions,
    FromExperiment,
    IntoLedger,
    ItemText,
    Metrics,
    PolicyPairs,
    PolicyRules,
    QueryTexts,
    Reading,
    ReadingPairs,
    Redacting,
    Tables,
    notes_printed,
    refuse_files,
)
from rankwell.cli.words import named_as, named_groups, named_numbers, refuse_twice, split, split_names
from rankwell.display.output import print_note
from rankwell.errors import UsageError, brief
from rankwell.matching.policy import Policy
from rankwell.records import record
from rankwell.tables.arguments import kinds_of

if TYPE_CHECKING:
    from rankwell.comparison.compare.comparison import Comparison
    from rankwell.reporting.chart.charts import Picture
    from rankwell.results import Results

MEGABYTE = 1_000_000

# options of one letter, as other commands have them
NAMES = {"k": ("-k",), "query": ("--query", "-q")}
# of an example: the files of its arguments, where these are no tables
FILES = {"qrels": "qrels.txt", "run": "bm25.run", "runs": "dense.run", "against": "model.txt"}
# of pictures: what is made from files, what is no option of its own, what a comparison takes, and tables
Draw = Callable[..., Any]
READ = "results", "comparison", "runs", "run", "costs"
OWN = *READ, "qrels", "metric", "metrics", "read", "lang", "dark"
TABLES = "train", "items", "users"
BOUND_OPTIONS = "pool", "scale"
# what changes a comparison, by the option that says it
MADE = {name: name for name in ("baseline", "load", *TABLES, "policy")} | {"reading": "read"}

Qrels = Annotated[str, Option(help="the judgements; ``none`` if no metric needs them")]
Run = Annotated[str, Option(help="a run; ``NAME=FILE`` names its system")]
RunOrSaved = Annotated[
    str,
    Option(
        help="a run, results that ``evaluate -o`` saved as .json or .parquet, or costs that ``bench -o`` saved; ``NAME=FILE`` names "
        "its system"
    ),
]
RunOrCompared = Annotated[
    str,
    Option(
        help="a run, results that ``evaluate -o`` saved as .json or .parquet, a comparison that ``compare -o found.json`` saved, or costs "
        "that ``bench -o`` saved; ``NAME=FILE`` names its system"
    ),
]
Measured = Annotated[
    str, Option(help="costs that ``bench -o`` saved; ``NAME=FILE`` names the system of a file of one")
]
Runs = Annotated[str, Option(help="more of them")]
By = Annotated[list[str] | None, Option(help="a column of --users: the segments that are drawn; repeat it")]
Output = Annotated[
    str, Option(name=("--output", "-o"), group=OUTPUT, help="the file: .svg, .png, .pdf, .html or .json")
]
Lang = Annotated[str, Option(group=OUTPUT, help="the language of the words: en or ko")]


def report(
    qrels: QrelsOrNone,
    run: Annotated[
        str,
        Option(
            help="a run, or results that ``evaluate -o`` saved, a comparison, a trend, or an answer of ``clicks -o``; costs that ``bench -o`` saved stand for all their "
            "systems"
        ),
    ],
    /,
    *runs: Annotated[
        str, Option(help="more runs or results, to be compared; ``NAME=FILE`` names the system of a file")
    ],
    metric: Metrics = None,
    baseline: Annotated[
        str | None,
        Option(group=STATISTICS, help="the run that all others are compared with; default: all pairs"),
    ] = None,
    primary: Annotated[
        str | None,
        Option(
            group=STATISTICS, help="the metric that decides, and that the answer is about; default: the first"
        ),
    ] = None,
    margin: Annotated[
        list[str] | None,
        Option(
            group=STATISTICS,
            help="the difference that matters, ``0.01`` or ``ndcg@10=0.01``; are two runs equivalent within it? Repeat it",
        ),
    ] = None,
    rope: Annotated[
        list[str] | None,
        Option(
            group=STATISTICS,
            help="the difference that counts as none, ``0.01`` or ``ndcg@10=0.01``: the chances that the true one is below, within and above it; repeat it",
        ),
    ] = None,
    seeds: Annotated[
        list[str] | None,
        Option(
            group=STATISTICS,
            help="the runs of one method trained several times, such as ``A=A-1,A-2,A-3``; repeat it",
        ),
    ] = None,
    folds: Annotated[
        list[str] | None,
        Option(
            group=STATISTICS,
            help="the runs of the folds of a cross-validation, such as ``A=f1,f2,f3``, pooled; repeat it",
        ),
    ] = None,
    by: Annotated[
        list[str] | None, Option(help="a column of --users: the segments that are looked at; repeat it")
    ] = None,
    weights: Weights = None,
    clusters: Clusters = None,
    load: Load = None,
    queries: QueryTexts = None,
    text: ItemText = None,
    image: Annotated[
        str | None,
        Option(
            group=DATA,
            help="the column of --items with a picture of each item: files in its folder, or data URIs; by default image, picture, poster …",
        ),
    ] = None,
    experiment: FromExperiment = None,
    ledger: IntoLedger = None,
    output: Annotated[
        str,
        Option(name=("--output", "-o"), group=OUTPUT, help="the page, or with the suffix .json its data"),
    ] = "report.html",
    title: Annotated[str | None, Option(group=OUTPUT, help="the title of the page")] = None,
    lang: Annotated[str, Option(group=OUTPUT, help="the language of the page: en or ko")] = "en",
    noun: Annotated[
        str | None,
        Option(
            group=OUTPUT,
            help="what the page calls queries, such as ``users``; default: what the name of their column says, else queries",
        ),
    ] = None,
    command: Annotated[
        str | None,
        Option(group=OUTPUT, help="the command that the page names as its origin; default: this one"),
    ] = None,
    statistics: Testing = Testing(),
    tables: Tables = Tables(),
    reading: Reading = Reading(),
    redacting: Redacting = Redacting(),
    bounding: BoundingOptions = BoundingOptions(),
    policy: PolicyRules = Policy(),
) -> None:
    """Write one HTML page of an evaluation: the answer in a sentence, leaderboard, pictures, queries, definitions.

    Example: ``rankwell report qrels.txt bm25.run dense.run -m ndcg@10 -m ap --baseline bm25.run -o report.html``
    """
    from rankwell.evaluation.inputs import with_needs
    from rankwell.readers import read_qrels
    from rankwell.reporting.report import report as reported
    from rankwell.reporting.report import require_suffix

    words = [run, *runs]
    names, paths = split_names(words)
    refuse_twice(names)
    require_suffix(Path(output))
    texts = [] if queries is None else [queries]
    refuse_files([*([] if qrels == "none" else [qrels]), *paths, *texts, *tables.given], [output], [ledger])
    unsaved = [path for path in paths if not is_result(path)]
    if metric is None and unsaved:
        raise without_metrics(unsaved[0])
    groups = {
        "seeds": named_groups(seeds, "--seeds", words) or None,
        "folds": named_groups(folds, "--folds", words) or None,
    }
    wanted = None if metric is None else [part for each in metric for part in split(each)]
    systems = _systems(names, paths, with_needs(reading.of_runs, wanted, "run", policy.sizes))
    options: dict[str, Any] = dict(statistics.given) if len(systems) > 1 else {}
    with notes_printed():
        reported(
            systems,
            None if qrels == "none" else read_qrels(qrels, **with_needs(reading.of_qrels, wanted)),
            wanted,
            path=output,
            baseline=_name_of(baseline, [*systems], names, paths),
            primary=primary,
            margins=named_numbers(margin, "--margin"),
            rope=named_numbers(rope, "--rope"),
            by=by,
            train=tables.train,
            items=tables.items,
            users=tables.users,
            queries=queries,
            text=text,
            image=image,
            redact=redacting.wanted,
            title=title,
            lang=lang,
            noun=noun,
            command=command or "",
            policy=policy,
            weights=weights,
            clusters=clusters,
            costs=costs_of(words, load),
            experiment=experiment,
            ledger=ledger,
            read=reading.of_tables,
            **bounding.given(weights),
            **groups,
            **options,
        )
    size = Path(output).stat().st_size / MEGABYTE
    print_note(f"wrote {output} ({size:.1f} MB).")


def _systems(names: list[str], paths: list[str], of_runs: Mapping[str, Any]) -> dict[str, Any]:
    """The paths of saved results or of a comparison, runs whose rows are still to be read, and the answers in files of costs."""
    from rankwell.readers import open_named

    given = [(name, path, answers_in(name, path)) for name, path in zip(names, paths, strict=True)]
    new = {name: path for name, path, answers in given if answers is None and not is_result(path)}
    runs = open_named(new, of_runs)
    found: dict[str, Any] = {}
    for name, path, answers in given:
        own: dict[str, Any] = {name: runs.get(name, path)} if answers is None else answers
        for system, each in own.items():
            if system in found:
                raise UsageError(f"{path}: two systems are called {brief(system)}; rename one.")
            found[system] = each
    return found


def _name_of(baseline: str | None, systems: list[str], names: list[str], paths: list[str]) -> str | None:
    """The name of the baseline, which may be given by its path."""
    if baseline is None or baseline in systems:
        return baseline
    return named_as(baseline, names, paths) or baseline


def command_of(kind: str) -> Any:
    """Return the command that draws a kind of picture.

    Of what the function takes, ``results`` and ``comparison`` are made from QRELS and RUN, and ``runs``, ``run``, ``qrels`` and ``costs`` are
    read. Any other argument is an option of the same name, with the text of the function's docstring; what may be anything is a file.
    """
    from rankwell.reporting.chart.charts import picture_named

    picture = picture_named(kind)
    signature = Signature(list(parameters_of(picture)))

    def command(*words: str, **given: Any) -> None:
        _write(picture, signature.bind(*words, **given).arguments)

    command.__name__ = kind
    about = (inspect.getdoc(picture.draw) or "").partition("\n\nParameters\n")[0]
    command.__doc__ = f"{about}\n\n{EXAMPLE}``{' '.join(_example(picture, signature))}``"
    command.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    command.__signature__ = signature  # type: ignore[attr-defined]
    return command


def _example(picture: Picture, signature: Signature) -> Iterator[str]:
    """The words of a command line that draws a kind of picture."""
    has_costs = "costs" in (*picture.asks, *inspect.signature(picture.draw).parameters)
    files = {**FILES, "found": f"{picture.name}.json"} | (
        {"run": "costs.json", "runs": ""} if has_costs else {}
    )
    yield f"rankwell plot {picture.name}"
    for each in signature.parameters.values():
        file = files.get(each.name, f"{each.name}.csv")
        if each.kind is not Parameter.KEYWORD_ONLY:
            yield from (word for word in [file] if word)
        elif each.name == "metric" and each.default in (None, Parameter.empty):
            yield "-m ndcg@10 -m ap" if is_evaluated(picture.draw) else "-m ndcg@10"
        elif each.default is Parameter.empty:
            yield f"--{each.name} {file}"
        elif each.name == "by":
            yield "--by country --users users.csv"
    yield f"-o {picture.name}.svg"


def _write(picture: Picture, given: Mapping[str, Any]) -> None:
    """Draw a picture, write it, and say where it is."""
    from rankwell.reporting.chart.charts import require_extra
    from rankwell.reporting.pictures import form_of, save

    output, lang = given.get("output", f"{picture.name}.svg"), given.get("lang", "en")
    form_of(output)
    require_extra()
    asked = PictureRequest(picture, given)
    refuse_files(asked.files, [output])
    with notes_printed():
        chart = picture.draw(**asked.arguments(), lang=lang)
        save(chart, output, lang=lang)
    print_note(f"wrote {output}.")


@record
class PictureRequest:
    """A picture that a command line asks for, and what is given by the names of parameters."""

    picture: Picture
    given: Mapping[str, Any]

    @property
    def draw(self) -> Draw:
        """The function that draws it."""
        return self.picture.draw

    @property
    def takes(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of the function."""
        return inspect.signature(self.draw).parameters

    @property
    def own(self) -> dict[str, Any]:
        """What is given of the options that the function takes by their names."""
        names = [each.name for each in options_of(self.picture)]
        return {name: self.given[name] for name in names if self.given.get(name) is not None}

    @property
    def tables(self) -> Tables:
        """The tables that are given."""
        return Tables(**{name: self.given[name] for name in TABLES if isinstance(self.given.get(name), str)})

    @property
    def reading(self) -> Reading:
        """How files are read."""
        return self.given.get("reading", Reading())

    @property
    def policy(self) -> Policy:
        """The rules of the evaluation."""
        return self.given.get("policy", Policy())

    @property
    def qrels(self) -> str | None:
        """The judgements."""
        named = self.given.get("qrels", "none")
        return None if named == "none" else named

    @property
    def words(self) -> list[str]:
        """The runs, some with names."""
        return [*([self.given["run"]] if "run" in self.given else []), *self.given.get("runs", ())]

    @property
    def metrics(self) -> list[str]:
        """The metrics of ``-m``."""
        named = self.given.get("metric") or ()
        return [part for text in ([named] if isinstance(named, str) else named) for part in split(text)]

    @property
    def bounding(self) -> BoundingOptions:
        """The bounds that a picture of them needs."""
        named = {name: self.given.get(name) for name in BOUND_OPTIONS}
        return BoundingOptions(bounds=True, **named) if "bounds" in self.picture.asks else BoundingOptions()

    @property
    def files(self) -> list[str]:
        """All files that are read."""
        named = [self.qrels, *split_names(self.words)[1], *self.tables.given, *self.bounding.files]
        named += [
            value for name, value in self.own.items() if is_file(self.draw, name) and name not in TABLES
        ]
        return [each for each in named if each is not None]

    @property
    def _of_qrels(self) -> Mapping[str, Any]:
        """How the judgements are read."""
        from rankwell.evaluation.inputs import with_needs

        return with_needs(self.reading.of_qrels, self.metrics or None)

    def arguments(self) -> dict[str, Any]:
        """Read and evaluate what the function takes."""
        found = {name: value_of(self.draw, name, value) for name, value in self.own.items()}
        if self.metrics and "metrics" in self.takes:
            found["metrics"] = self.metrics
        elif self.metrics and "metric" in self.takes:
            found["metric"] = self.metrics[0]
        if is_evaluated(self.draw):
            return found | self._results()
        return found | self._runs()

    def _runs(self) -> dict[str, Any]:
        from rankwell.evaluation.inputs import with_needs
        from rankwell.readers import open_named, read_qrels

        if "costs" in self.takes:
            return {"costs": joined_costs(self.words)}
        names, paths = split_names(self.words)
        of_runs = with_needs(self.reading.of_runs, self.metrics or None, "run", self.policy.sizes)
        runs = open_named(dict(zip(names, paths, strict=True)), of_runs)
        found: dict[str, Any] = {"runs": runs} if "runs" in self.takes else {}
        if "run" in self.takes:
            found["run"] = next(iter(runs.values()))
        if "qrels" in self.takes:
            found["qrels"] = None if self.qrels is None else read_qrels(self.qrels, **self._of_qrels)
        if "options" in self.takes:
            tables = {name: value for name, value in vars(self.tables).items() if value is not None}
            found |= {
                "policy": self.policy,
                **{name: value for name, value in tables.items() if name not in self.own},
            }
        if any((read := self.reading.of_tables).values()) and {"options", "read"} & self.takes.keys():
            found["read"] = read
        return found

    def _results(self) -> dict[str, Any]:
        given, saved = self._systems()
        found: dict[str, Any] = {} if saved is None else {"comparison": saved}
        if not {"results", "comparison"} & self.takes.keys() - found.keys():
            return found
        named = systems_of(given)
        unsaved = [each for each in named.values() if is_run(each)]
        axes = [self.own[name] for name in metrics_in(self.picture) if name in self.own]
        metrics = [*self.metrics, *(axis for axis in axes if axis not in self.metrics)] or None
        if metrics is None and unsaved:
            raise without_metrics(unsaved[0])
        results, *_ = evaluated(
            named,
            self.qrels or "none",
            metrics,
            self.tables,
            self.reading,
            self.policy,
            by=self.given.get("by"),
            bounds=self.bounding.wanted() if unsaved else None,
        )
        if "results" in self.takes:
            found["results"] = results
        if "comparison" in self.takes and saved is None and (len(results) > 1 or not found):
            found["comparison"] = self._comparison(results, metrics)
        return found

    def _systems(self) -> tuple[list[str], Comparison | None]:
        """The words that name systems, and the comparison that the file of another one holds.

        UsageError if the picture takes no comparison, there are two, or an option beside it has no effect.
        """
        from rankwell.comparison.compare.comparison import Comparison
        from rankwell.display.saved_files import kind_of

        paths = dict(zip(self.words, split_names(self.words)[1], strict=True))
        saved = [word for word in self.words if kind_of(paths[word]) == "comparison"]
        if not saved:
            return self.words, None
        file, others = saved[0], [word for word in self.words if word not in saved]
        if "comparison" not in self.takes or len(saved) > 1:
            drawn = "one comparison, not two" if saved[1:] else "runs or saved results, not from a comparison"
            raise UsageError(f"{file}: plot {self.picture.name} is drawn from {drawn}.")
        if "results" in self.takes and not others:
            raise UsageError(
                f"{file}: a comparison holds no values per query; name the results or the runs that it compares beside it."
            )
        if "results" not in self.takes:
            said = [name for name in MADE if self.given.get(name) is not None]
            if unused := [*filter(None, [self.qrels]), *others, *(f"--{MADE[name]}" for name in said)]:
                raise UsageError(
                    f"{file}: the comparison is made, and drawn by itself; leave out {unused[0]}."
                )
        return others, Comparison.load(paths[file])

    def _costs(self) -> Any:
        """The costs of the systems, where a picture shows them."""
        if "costs" not in self.picture.asks:
            return None
        found = costs_of(self.words, self.given.get("load"))
        if found is None:
            raise UsageError("no RUN is a file of costs, which rankwell bench -o writes.")
        return found

    def _comparison(self, results: dict[str, Results], metrics: Sequence[str] | None) -> Comparison:
        from rankwell.comparison.compare.compare import compare as compared

        baseline = self.given.get("baseline")
        if baseline is not None:
            baseline = name_of(baseline, dict(zip(*split_names(self.words), strict=True)), list(results))
        return compared(results, metrics=metrics, baseline=baseline, costs=self._costs())


def is_evaluated(draw: Draw) -> bool:
    """Whether a picture is drawn from results."""
    return not {"results", "comparison"}.isdisjoint(inspect.signature(draw).parameters)


def parameters_of(picture: Picture) -> Iterator[Parameter]:
    """Yield the parameters of the command of a picture, in their order."""
    draw = picture.draw
    takes = inspect.signature(draw).parameters
    is_read = not set(READ).isdisjoint(takes)
    own = [_option(draw, each, positional=not is_read) for each in options_of(picture)]
    yield from (each for each in own if each.kind is Parameter.POSITIONAL_ONLY)
    yield from _files(draw) if is_read else ()
    yield from _metric(draw)
    yield from (each for each in own if each.kind is not Parameter.POSITIONAL_ONLY)
    if "by" in picture.asks:
        yield _keyword("by", By, None)
    if "bounds" in picture.asks:
        yield from _in_group(BoundingOptions, BOUND_OPTIONS, UNJUDGED)
    if "costs" in picture.asks:
        yield _keyword("load", Load, None)
    yield _keyword("output", Output, f"{picture.name}.svg")
    yield _keyword("lang", Lang, "en")
    if "comparison" in takes and "results" not in takes:
        yield from _in_group(compare, ("baseline",), STATISTICS)
    if is_evaluated(draw) or _has_options(draw):
        if is_evaluated(draw) or not {"metric", "metrics"}.isdisjoint(takes):
            # what few metrics ask of users, results have that were saved before
            asked = [name for name in TABLES if name != "users" or "by" in picture.asks]
            yield from _in_group(
                Tables, [name for name in asked if name not in {each.name for each in own}], DATA
            )
        yield _keyword("policy", PolicyPairs, Policy())
    if is_read and "costs" not in takes:
        yield _keyword("reading", ReadingPairs, Reading())


def _files(draw: Draw) -> Iterator[Parameter]:
    """The judgements and the runs."""
    takes, evaluated = inspect.signature(draw).parameters, is_evaluated(draw)
    if evaluated or "qrels" in takes:
        yield Parameter("qrels", Parameter.POSITIONAL_ONLY, annotation=QrelsOrNone if evaluated else Qrels)
    saved = RunOrCompared if "comparison" in takes else RunOrSaved
    kind = saved if evaluated else Measured if "costs" in takes else Run
    yield Parameter("run", Parameter.POSITIONAL_ONLY, annotation=kind)
    if "run" not in takes:
        yield Parameter("runs", Parameter.VAR_POSITIONAL, annotation=Runs)


def _metric(draw: Draw) -> Iterator[Parameter]:
    """The metrics that are evaluated, or the one that the function takes."""
    takes = inspect.signature(draw).parameters
    if is_evaluated(draw) or "metrics" in takes:
        yield _keyword("metric", Metrics, None)
    elif "metric" in takes:
        option = Option(name=("--metric", "-m"), help=explained(draw)["metric"])
        default = takes["metric"].default
        yield _keyword("metric", Annotated[str | None if default is None else str, option], default)


def _has_options(draw: Draw) -> bool:
    """Whether a function takes the arguments of an evaluation."""
    return any(each.kind is Parameter.VAR_KEYWORD for each in inspect.signature(draw).parameters.values())


def options_of(picture: Picture) -> list[Parameter]:
    """Return the parameters of a picture's function that its command takes by their names; rules of the policy are options already."""
    takes = inspect.signature(picture.draw).parameters.values()
    rules = Policy.__dataclass_fields__ if _has_options(picture.draw) else {}
    return [
        each
        for each in takes
        if each.kind is not Parameter.VAR_KEYWORD and each.name not in {*OWN, *rules, *picture.in_python}
    ]


def value_of(draw: Draw, name: str, given: Any) -> Any:
    """Return the value of an argument of the function from that of its option."""
    kinds = _kinds(draw, name)
    several = _several(kinds)
    if several is None:
        return given
    numbers = {int, float} & set(kinds_of(several))
    if not numbers:
        return list(given)
    parts = [
        _number(part, name, strict=str not in kinds_of(several)) for text in given for part in text.split(",")
    ]
    return parts[0] if int in kinds and len(parts) == 1 else parts


def is_file(draw: Draw, name: str) -> bool:
    """Whether an option of the function names a file."""
    return Any in _kinds(draw, name)


def metrics_in(picture: Picture) -> list[str]:
    """Return the options that name a metric of a picture of results, such as an axis."""
    from rankwell.metrics.metric import Metric

    return [each.name for each in options_of(picture) if Metric in _kinds(picture.draw, each.name)]


def _option(draw: Draw, parameter: Parameter, *, positional: bool) -> Parameter:
    """The option of an argument of the function; one that must be given is positional where no runs are read."""
    kinds, default = _kinds(draw, parameter.name), parameter.default
    is_required = default is Parameter.empty
    kind: Any = next(each for each in kinds if each is not type(None))
    if bool in kinds:
        kind = bool
    elif _several(kinds):
        kind, default = list[str], default if is_required else None
    elif Any in kinds or str in kinds:
        kind = str
    option = Option(
        name=NAMES.get(parameter.name, ()),
        help=explained(draw).get(parameter.name, ""),
        group=DATA if Any in kinds and not (positional and is_required) else "",
    )
    if positional and is_required:
        return Parameter(parameter.name, Parameter.POSITIONAL_ONLY, annotation=Annotated[kind, option])
    optional = kind | None if default is None else kind
    return Parameter(
        parameter.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[optional, option]
    )


def _keyword(name: str, annotation: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _in_group(declared: Any, names: Iterable[str], group: str) -> Iterator[Parameter]:
    """Options that another command or a dataclass declares, in a group of the help."""
    hints = get_type_hints(declared, include_extras=True)
    for name in names:
        inner, option = get_args(hints[name])
        yield _keyword(name, Annotated[inner, option._replace(group=group)], None)


def _kinds(draw: Draw, name: str) -> tuple[Any, ...]:
    """What an argument of the function may be."""
    function = inspect.unwrap(draw)
    hints = get_type_hints(
        SimpleNamespace(__annotations__={name: function.__annotations__[name]}), function.__globals__
    )
    return kinds_of(hints[name])


def _several(kinds: Iterable[Any]) -> Any:
    """What a list among the kinds holds; None if there is none."""
    return next((get_args(kind)[0] for kind in kinds if get_origin(kind) in (Sequence, Iterable)), None)


def _number(text: str, name: str, *, strict: bool) -> float | int | str:
    try:
        value = float(text)
    except ValueError:
        if strict:
            raise UsageError(
                f"--{name.replace('_', '-')} takes numbers such as 1,5,10, not {brief(text)}."
            ) from None
        return text.strip()
    return int(value) if value.is_integer() else value
