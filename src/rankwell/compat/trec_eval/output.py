"""trec_eval's output: one line per topic and measure, and one for all topics."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from rankwell.compat.trec_eval.evaluated import Evaluated
from rankwell.compat.trec_eval.makers import Printed
from rankwell.compat.trec_eval.measures import MEASURES, NICKNAMES
from rankwell.errors import UsageError
from rankwell.readers.files import File

MISSING_ZSCORE = -1_000_000.0
TAIL = 1 << 16
USAGE = "usage: rankwell trec_eval [-q] [-c] [-n] [-l level] [-M depth] [-m measure[.parameters]]... qrels run (see -h)"
HELP = f"""rankwell trec_eval [options] qrels run

Evaluates a run against judgements and prints what NIST's trec_eval prints, byte for byte. The run may be '-', standard
input.

  -q, --query_eval_wanted          also print the values of each topic
  -m, --measure NAME[.PARAMETERS]  a measure or a group, may be repeated; parameters are separated by commas (P.5,10)
  -c, --complete_rel_info_wanted   mean over all judged topics; those missing from the run count as 0
  -l, --level_for_rel N            the lowest grade of a relevant document (1)
  -n, --nosummary                  no line for all topics
  -M, --Max_retrieved_per_topic N  only the first N documents of each topic
  -J, --Judged_docs_only           remove unjudged documents from the lists
  -N, --Number_docs_in_coll N      the size of the collection (for utility)
  -Z, --Zscore FILE                print z-scores, by lines of topic, measure, mean and standard deviation
  -D, --Debug_level N[.TOPIC]      only this topic
  -R, --Rel_info_format FORMAT     qrels, qrels_jg (column 2 is the assessor), prefs (topic, group, sub-group, document,
                                   level), qrels_prefs (judgements read as preferences)
  -T, --Results_format trec_results
  -v, --version
  -h, --help                       this help; with -m the manual of the measures
  --version-of 10|9|9.0.8          the version whose numbers to reproduce (10); 9 reads scores as 32-bit floats, as the
                                   program did up to 9.0.7, 9.0.8 as doubles
  --differences                    intended differences from the program's numbers, and their reasons

groups: {", ".join(NICKNAMES)}
measures: {", ".join(MEASURES)}
"""
Zscores = Mapping[tuple[str, str], tuple[float, float]]


class Output:
    """The lines of one evaluation."""

    def __init__(self, found: Evaluated, *, tag: str, zscores: Zscores | None) -> None:
        self.found, self.tag, self.is_scaled = found, tag, zscores is not None
        self.place = {topic: row for row, topic in enumerate(found.topics)}
        if zscores is not None:
            self._scale(zscores)

    def _scale(self, zscores: Zscores) -> None:
        """Turn values into z-scores, and means into means of z-scores."""
        found = self.found
        found.totals.clear()
        ones = np.ones(len(found.topics))
        for line in found.lines:
            if line.name in found.columns:
                found.columns[line.name] = self._scaled(line.name, found.columns[line.name], zscores)
        found.columns["num_q"] = ones
        found.add_totals()

    def _scaled(self, name: str, values: np.ndarray, zscores: Zscores) -> np.ndarray:
        scaled = np.full(len(values), MISSING_ZSCORE)
        for topic, row in self.place.items():
            mean, deviation = zscores.get((topic, name), (math.nan, 0.0))
            if deviation:
                scaled[row] = (values[row] - mean) / deviation
            elif values[row] == mean:
                scaled[row] = 0.0
        return scaled

    def topics(self, topics: Iterable[str]) -> None:
        """Print the lines of each topic."""
        shown = [line for line in self.found.lines if not line.is_summary]
        parts = []
        for topic in topics:
            row = self.place[topic]
            for line in shown:
                is_text = line.kind == "text"
                value = (
                    f"'{self.found.texts[line.name][row]}'" if is_text else self.found.columns[line.name][row]
                )
                parts.append(self._line(line, topic, value))
        sys.stdout.write("".join(parts))

    def summary(self) -> None:
        """Print the lines for all topics."""
        lines = [line for line in self.found.lines if line.kind != "text" or line.is_summary]
        totals: dict[str, float | str] = {**self.found.totals, "runid": self.tag}
        totals["num_q"] = float(self.found.n)
        sys.stdout.write("".join(self._line(line, "all", totals[line.name]) for line in lines))

    def _line(self, line: Printed, topic: str, value: float | str) -> str:
        if isinstance(value, str):
            return f"{line.name:<22}\t{topic}\t{value}\n"
        if self.is_scaled:
            return f"Z{line.name:<22}\t{topic}\t{value:6.4f}\n"
        if line.kind == "count":
            return f"{line.name:<22}\t{topic}\t{int(value)}\n"
        return f"{line.name:<22}\t{topic}\t{0.0 if math.isnan(value) else value:6.4f}\n"


def read_zscores(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Return mean and standard deviation by topic and measure.

    Raises
    ------
    UsageError
        If the file cannot be read or a line is not ``topic measure mean deviation``.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read zscores file '{path}' ({error})") from error
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            query, name, mean, deviation = line.split()
            found[query, name] = float(mean), float(deviation)
        except ValueError:
            raise UsageError(
                f"{path}:{number}: a line of z-scores must be: topic measure mean deviation"
            ) from None
    return found


def tag_of(file: File) -> str:
    """Return the tag of a run: the sixth word of its last line."""
    text = file.tail(TAIL)
    for line in reversed(text.decode("utf-8", "replace").splitlines()):
        words = line.split()
        if len(words) >= 6 and not line.startswith("#"):
            return words[5]
    return ""
