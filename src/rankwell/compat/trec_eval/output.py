"""What trec_eval prints: one line per topic and measure, and one for all topics."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from rankwell.compat.trec_eval.measures import MEASURES, NICKNAMES, Printed
from rankwell.errors import UsageError
from rankwell.readers.files import File
from rankwell.results import Results

MISSING_ZSCORE = -1_000_000.0
TAIL = 1 << 16
USAGE = "usage: rankwell trec_eval [-q] [-c] [-n] [-l level] [-M depth] [-m measure[.parameters]]... qrels run (-h tells more)"
HELP = f"""rankwell trec_eval [options] qrels run

Evaluates a run against judgements and prints what NIST's trec_eval prints, byte for byte. The run may be '-', standard
input.

  -q, --query_eval_wanted          the values of each topic too
  -m, --measure NAME[.PARAMETERS]  a measure or a group; repeat it; parameters are separated by commas (P.5,10)
  -c, --complete_rel_info_wanted   mean over all judged topics; those that the run lacks count as 0
  -l, --level_for_rel N            the grade from which a document is relevant (1)
  -n, --nosummary                  no line for all topics
  -M, --Max_retrieved_per_topic N  only the first N documents of each topic
  -J, --Judged_docs_only           documents that nobody judged are taken out of the lists
  -N, --Number_docs_in_coll N      the size of the collection (for utility)
  -Z, --Zscore FILE                z-scores, by lines of topic, measure, mean and standard deviation
  -D, --Debug_level N[.TOPIC]      only this topic
  -R, --Rel_info_format qrels      -T, --Results_format trec_results
  -v, --version                    -h, --help
  --version-of 10|9                the version whose numbers are wanted (10)
  --differences                    where the numbers differ from the program's, and why

groups: {", ".join(NICKNAMES)}
measures: {", ".join(MEASURES)}
"""
Zscores = Mapping[tuple[str, str], tuple[float, float]]


class Output:
    """The lines of one evaluation."""

    def __init__(self, lines: Sequence[Printed], res: Results, *, tag: str, zscores: Zscores | None) -> None:
        self.lines, self.res, self.tag, self.zscores = lines, res, tag, zscores
        self.place = {str(query): row for row, query in enumerate(res.queries)}
        self.columns = {line: self._column(line) for line in lines}

    def _column(self, line: Printed) -> np.ndarray:
        """The value of each topic; the logarithm of what is averaged geometrically."""
        if line.metric is None:
            return np.ones(len(self.place))
        values = self.res.values(line.metric)
        values = np.log(np.maximum(values, 1e-5)) if line.kind == "log" else values
        return values if self.zscores is None else self._scaled(line.name, values, self.zscores)

    def _scaled(self, name: str, values: np.ndarray, zscores: Zscores) -> np.ndarray:
        scaled = np.full(len(values), MISSING_ZSCORE)
        for query, row in self.place.items():
            mean, deviation = zscores.get((query, name), (math.nan, 0.0))
            if deviation:
                scaled[row] = (values[row] - mean) / deviation
            elif values[row] == mean:
                scaled[row] = 0.0
        return scaled

    def topics(self, queries: Iterable[str | int]) -> None:
        """Print the lines of each topic."""
        shown = [line for line in self.lines if not line.is_summary]
        parts = []
        for query in map(str, queries):
            row = self.place[query]
            parts += [self._line(line, query, self._topic(line, row)) for line in shown]
        sys.stdout.write("".join(parts))

    def summary(self) -> None:
        """Print the lines for all topics."""
        parts = [
            self._line(line, "all", self._all(line))
            for line in self.lines
            if line.kind != "text" or line.is_summary
        ]
        sys.stdout.write("".join(parts))

    def _topic(self, line: Printed, row: int) -> float | str:
        if line.kind == "text":
            return "'" + "".join(piece.text(self.res.values(piece)[row]) for piece in line.text) + "'"
        return float(self.columns[line][row])

    def _all(self, line: Printed) -> float | str:
        if line.kind == "text":
            return self.tag
        if line.metric is None:
            return len(self.place)
        if self.zscores is None:
            return self.res.mean[str(line.metric)]
        total = math.fsum(self.columns[line])
        if line.kind == "count":
            return total
        mean = total / len(self.place) if self.place else 0.0
        return math.exp(mean) if line.kind == "log" else mean

    def _line(self, line: Printed, query: str, value: float | str) -> str:
        if isinstance(value, str):
            return f"{line.name:<22}\t{query}\t{value}\n"
        if self.zscores is not None:
            return f"Z{line.name:<22}\t{query}\t{value:6.4f}\n"
        if line.kind == "count":
            return f"{line.name:<22}\t{query}\t{int(value)}\n"
        return f"{line.name:<22}\t{query}\t{0.0 if math.isnan(value) else value:6.4f}\n"


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
                f"{path}:{number}: a line of z-scores is: topic measure mean deviation"
            ) from None
    return found


def tag_of(file: File) -> str:
    """Return the tag of a run: the sixth word of its last line."""
    text = file.content[-TAIL:].tobytes()
    for line in reversed(text.decode("utf-8", "replace").splitlines()):
        words = line.split()
        if len(words) >= 6 and not line.startswith("#"):
            return words[5]
    return ""
