"""The command ``plot``: one command per kind of picture, each made of the function of ``rankwell.plot`` that draws it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from inspect import Signature
from typing import Any

from rankwell.cli.bounding import Bounding
from rankwell.cli.compare import Testing, evaluated, is_run, name_of, systems_of, without_metrics
from rankwell.cli.costs_files import costs_of, joined_costs
from rankwell.cli.options import Reading, Tables, notes_printed, refuse_files
from rankwell.cli.plot_arguments import (
    BOUND_OPTIONS,
    PIXELS,
    TABLES,
    Draw,
    is_evaluated,
    is_file,
    metrics_in,
    options_of,
    parameters_of,
    value_of,
)
from rankwell.cli.words import named_groups, named_numbers, split, split_names
from rankwell.comparison.comparing import compare as compared
from rankwell.comparison.comparison import Comparison
from rankwell.display.escaping import printable
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy
from rankwell.readers import open_named, read_qrels
from rankwell.records import record
from rankwell.reporting.chart.picture import Picture, picture_named
from rankwell.reporting.extra import require_extra
from rankwell.reporting.pictures import form_of, save
from rankwell.results import Results


def command_of(kind: str) -> Any:
    """Return the command that draws a kind of picture."""
    picture = picture_named(kind)
    signature = Signature(list(parameters_of(picture)))

    def command(*words: str, **given: Any) -> None:
        _write(picture, signature.bind(*words, **given).arguments)

    command.__name__ = kind
    command.__doc__ = (inspect.getdoc(picture.draw) or "").partition("\n\nParameters\n")[0]
    command.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    command.__signature__ = signature  # type: ignore[attr-defined]
    return command


def _write(picture: Picture, given: Mapping[str, Any]) -> None:
    """Draw a picture, write it, and say where it is."""
    output, lang = given.get("output", f"{picture.name}.svg"), given.get("lang", "en")
    form_of(output)
    require_extra()
    asked = Asked(picture, given)
    refuse_files(asked.files, [output])
    with notes_printed():
        chart = picture.draw(**asked.arguments(), lang=lang, dark=given.get("dark", False))
        save(chart, output, scale=given.get("pixels", PIXELS), lang=lang)
    sys.stderr.write(f"rankwell: note: wrote {printable(output)}.\n")


@record
class Asked:
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
        names = [each.name for each in options_of(self.draw)]
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
    def bounding(self) -> Bounding:
        """The bounds that a picture of them needs."""
        named = {name: self.given.get(name) for name in BOUND_OPTIONS}
        return Bounding(bounds=True, **named) if "bounds" in self.picture.asks else Bounding()

    @property
    def files(self) -> list[str]:
        """All files that are read."""
        named = [self.qrels, *split_names(self.words)[1], *self.tables.given, *self.bounding.files]
        named += [
            value for name, value in self.own.items() if is_file(self.draw, name) and name not in TABLES
        ]
        return [each for each in named if each is not None]

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
        if "costs" in self.takes:
            return {"costs": joined_costs(self.words)}
        names, paths = split_names(self.words)
        runs = open_named(dict(zip(names, paths, strict=True)), self.reading.of_runs)
        found: dict[str, Any] = {"runs": runs} if "runs" in self.takes else {}
        if "run" in self.takes:
            found["run"] = next(iter(runs.values()))
        if "qrels" in self.takes:
            found["qrels"] = None if self.qrels is None else read_qrels(self.qrels, **self.reading.of_qrels)
        if "options" in self.takes:
            tables = {name: value for name, value in vars(self.tables).items() if value is not None}
            found |= {
                "policy": self.policy,
                **{name: value for name, value in tables.items() if name not in self.own},
            }
        if self.reading.encoding and {"options", "read"} & self.takes.keys():
            found["read"] = {"encoding": self.reading.encoding}
        return found

    def _results(self) -> dict[str, Any]:
        named = systems_of(self.words)
        unsaved = [each for each in named.values() if is_run(each)]
        axes = [self.own[name] for name in metrics_in(self.draw) if name in self.own]
        metrics = [*self.metrics, *(axis for axis in axes if axis not in self.metrics)] or None
        if metrics is None and unsaved:
            raise without_metrics(unsaved[0])
        by = self.given.get("by")
        results, users, _ = evaluated(
            named,
            self.qrels or "none",
            metrics,
            self.tables,
            self.reading,
            self.policy,
            by=by,
            threads=None,
            bounds=self.bounding.wanted(self.reading.of_runs) if unsaved else None,
        )
        found: dict[str, Any] = {"results": results} if "results" in self.takes else {}
        if "comparison" in self.takes and (len(results) > 1 or not found):
            found["comparison"] = self._comparison(results, metrics, users)
        return found

    def _costs(self) -> Any:
        """The costs of the systems, where a picture shows them."""
        if "costs" not in self.picture.asks:
            return None
        found = costs_of(self.words, self.given.get("load"))
        if found is None:
            raise UsageError("no RUN is a file of costs, which rankwell bench -o writes.")
        return found

    def _comparison(
        self, results: dict[str, Results], metrics: Sequence[str] | None, users: Any
    ) -> Comparison:
        baseline, given = self.given.get("baseline"), self.given
        groups = {word: named_groups(given.get(word), f"--{word}", self.words) for word in ("seeds", "folds")}
        if baseline is not None and baseline not in groups["seeds"] | groups["folds"]:
            baseline = name_of(baseline, dict(zip(*split_names(self.words), strict=True)), list(results))
        return compared(
            results,
            metrics=metrics,
            baseline=baseline,
            margins=named_numbers(given.get("margin"), "--margin"),
            by=given.get("by"),
            weights=given.get("weights"),
            clusters=given.get("clusters"),
            users=users,
            seeds=groups["seeds"],
            folds=groups["folds"],
            costs=self._costs(),
            **given.get("statistics", Testing()).given,
        )
