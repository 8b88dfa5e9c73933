"""The command ``judging sample``."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from rankwell.cli.arguments import OUTPUT, Option
from rankwell.cli.judging_options import runs_of
from rankwell.cli.options import Form, PolicyRules, Reading, refuse_files
from rankwell.cli.words import split_names
from rankwell.display.escaping import printable
from rankwell.display.output import in_form, width, write
from rankwell.errors import UsageError
from rankwell.matching.policy import Policy


def judging_sample(
    run: Annotated[str, Option(help="a run; ``NAME=FILE`` names its system")],
    /,
    *runs: Annotated[str, Option(help="more runs")],
    budget: Annotated[int, Option(help="how many items to draw per query")] = 50,
    design: Annotated[
        Literal["rank", "prior", "uniform", "poisson"],
        Option(
            help="strata by best ``rank``, thinner with depth; strata by the ``prior`` of statAP; all items alike (``uniform``); or each "
            "independently by the prior (``poisson``)"
        ),
    ] = "rank",
    seed: Annotated[int, Option(help="of the draw; one seed, one sample")] = 0,
    output: Annotated[
        str | None,
        Option(
            name=("--output", "-o"),
            group=OUTPUT,
            help="the file for the items to judge: ``.tsv``, ``.csv``, ``.parquet`` … (query, item, stratum, propensity); without it the strata "
            "are printed, or with --format json or csv the items",
        ),
    ] = None,
    frame: Annotated[
        str | None,
        Option(
            group=OUTPUT,
            help="the file for all items that could have been drawn, which ``judging estimate`` needs; default: beside the output, "
            "sample.frame.tsv for sample.tsv",
        ),
    ] = None,
    format: Annotated[Form, Option(group=OUTPUT, help="the output format of what is printed")] = "text",  # noqa: A002 - the word of the option
    reading: Reading = Reading(),
    policy: PolicyRules = Policy(),
) -> None:
    """Draw items to judge at random from the lists of runs, so that metrics can be estimated from their judgements.

    Judge all of them (``judging sheet`` and ``judging prompts`` take the file), and give the judgements and the frame to ``judging
    estimate``. With ``--depth 100`` only the first 100 items of each list can be drawn.

    Example: ``rankwell judging sample bm25.run dense.run --budget 50 --depth 100 -o sample.tsv``
    """
    from rankwell.judging import sample
    from rankwell.judging.estimation.samples import Sample, frame_beside

    paths = (run, *runs)
    if output is None and frame is not None:
        raise UsageError("--frame goes with -o, the file for the items to judge.")
    if output is not None:
        for each in (output, frame or output):
            Sample.suffix_of(each)
        refuse_files(split_names(paths)[1], [output, str(frame or frame_beside(output))])
    found = sample(runs_of(paths, reading), budget=budget, design=design, seed=seed, policy=policy)
    if output is not None:
        whole = found.save(output, frame)
        sys.stderr.write(
            f"rankwell: note: wrote {len(found):,} items to judge to {printable(output)}, and the {len(found.frame):,} that could have been "
            f"drawn to {printable(str(whole))}.\n"
        )
    elif format == "json":
        write(found.to_json(), None)
        return
    is_items = output is None and format == "csv"
    write(in_form([found.to_table() if is_items else found.summary()], format, width()), None)
