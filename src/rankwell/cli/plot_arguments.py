"""The arguments of a picture's command, made of the function that draws it.

``results`` and ``comparison`` are made from QRELS and RUN, ``runs``, ``run``, ``qrels`` and ``costs`` are read. Any other argument is an option
of the same name, with the text of the function's docstring; what may be anything is a file.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import Parameter
from types import SimpleNamespace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from rankwell.cli.arguments import QrelsOrNone, explained
from rankwell.cli.bounding import Bounding
from rankwell.cli.compare import Testing, compare
from rankwell.cli.costs_files import Load
from rankwell.cli.option import DATA, OUTPUT, STATISTICS, UNJUDGED, Option
from rankwell.cli.options import Metrics, PolicyRules, Reading, Tables
from rankwell.errors import UsageError, brief
from rankwell.matching.policy import Policy
from rankwell.metrics.metric import Metric
from rankwell.reporting.chart.picture import Picture
from rankwell.tables.arguments import kinds_of

Draw = Callable[..., Any]
READ = "results", "comparison", "runs", "run", "costs"
OWN = *READ, "qrels", "metric", "metrics", "read", "lang", "dark"
COMPARED = "baseline", "margin", "seeds", "folds", "weights", "clusters"
TABLES = "train", "items", "users"
BOUND_OPTIONS = "pool", "scale"
PIXELS = 2.0

Qrels = Annotated[str, Option(help="the judgements; ``none`` if no metric needs them")]
Run = Annotated[str, Option(help="a run; ``NAME=FILE`` names its system")]
RunOrSaved = Annotated[
    str,
    Option(
        help="a run, results that ``evaluate -o`` saved as .json or .parquet, or costs that ``bench -o`` saved; ``NAME=FILE`` names "
        "its system"
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
Dark = Annotated[
    bool,
    Option(group=OUTPUT, help="draw on dark ground; an HTML page is light or dark as its reader likes it"),
]
Pixels = Annotated[float, Option(group=OUTPUT, help="how many pixels of a PNG are one of the picture")]


def is_evaluated(draw: Draw) -> bool:
    """Whether a picture is drawn from results."""
    return not {"results", "comparison"}.isdisjoint(inspect.signature(draw).parameters)


def parameters_of(picture: Picture) -> Iterator[Parameter]:
    """Yield the parameters of the command of a picture, in their order."""
    draw = picture.draw
    takes = inspect.signature(draw).parameters
    is_read = not set(READ).isdisjoint(takes)
    own = [_option(draw, each, positional=not is_read) for each in options_of(draw)]
    yield from (each for each in own if each.kind is Parameter.POSITIONAL_ONLY)
    yield from _files(draw) if is_read else ()
    yield from _metric(draw)
    yield from (each for each in own if each.kind is not Parameter.POSITIONAL_ONLY)
    if "by" in picture.asks:
        yield _keyword("by", By, None)
    if "bounds" in picture.asks:
        yield from _in_group(Bounding, BOUND_OPTIONS, UNJUDGED)
    if "costs" in picture.asks:
        yield _keyword("load", Load, None)
    yield _keyword("output", Output, f"{picture.name}.svg")
    yield _keyword("lang", Lang, "en")
    yield _keyword("dark", Dark, default=False)
    yield _keyword("pixels", Pixels, PIXELS)
    if "comparison" in takes:
        yield from _in_group(compare, COMPARED, STATISTICS)
        yield _keyword("statistics", Testing, Testing())
    if is_evaluated(draw) or _has_options(draw):
        named = {each.name for each in own}
        yield from _in_group(Tables, [name for name in TABLES if name not in named], DATA)
        yield _keyword("policy", PolicyRules, Policy())
    if is_read and "costs" not in takes:
        yield _keyword("reading", Reading, Reading())


def _files(draw: Draw) -> Iterator[Parameter]:
    """The judgements and the runs."""
    takes, evaluated = inspect.signature(draw).parameters, is_evaluated(draw)
    if evaluated or "qrels" in takes:
        yield Parameter("qrels", Parameter.POSITIONAL_ONLY, annotation=QrelsOrNone if evaluated else Qrels)
    kind = RunOrSaved if evaluated else Measured if "costs" in takes else Run
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
        yield _keyword("metric", Annotated[str, option], takes["metric"].default)


def _has_options(draw: Draw) -> bool:
    """Whether a function takes the arguments of an evaluation."""
    return any(each.kind is Parameter.VAR_KEYWORD for each in inspect.signature(draw).parameters.values())


def options_of(draw: Draw) -> list[Parameter]:
    """Return the parameters of a function that its command takes by their names; rules of the policy are options already."""
    takes = inspect.signature(draw).parameters.values()
    rules = Policy.__dataclass_fields__ if _has_options(draw) else {}
    return [
        each
        for each in takes
        if each.kind is not Parameter.VAR_KEYWORD and each.name not in OWN and each.name not in rules
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


def metrics_in(draw: Draw) -> list[str]:
    """Return the options that name a metric of a picture of results, such as an axis."""
    return [each.name for each in options_of(draw) if Metric in _kinds(draw, each.name)]


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
