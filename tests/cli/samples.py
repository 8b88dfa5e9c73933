"""The bundled samples as the command line takes them."""

from __future__ import annotations

from pathlib import Path

import rankwell

DATA = Path(rankwell.__file__).parent / "data"
QRELS, RUN = str(DATA / "trec_eval" / "qrels.test"), str(DATA / "trec_eval" / "results.test")
MOVIES = DATA / "movietweetings"
