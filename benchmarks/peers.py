"""Make one virtual environment for each tool that the benchmarks compare with.

    python benchmarks/peers.py            all of them
    python benchmarks/peers.py rectools   only this one

Each tool gets the newest version that pip resolves for it alone, so no tool's wishes hold another back. trec_eval is a C
program: TREC_EVAL says where it is, else it is looked for on the PATH; else it is made of the compiled code of its version 9.0.8
that pytrec_eval-terrier carries (optimised, -O3) and the main program in programs/trec_eval_main.c.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache as cache_of_calls
from pathlib import Path

from harness import CACHE, HERE


@dataclass(frozen=True)
class Peer:
    """A tool to compare with: what to install, and the distribution whose version is reported.

    ``alone``: without what it asks for, which is only in part needed here; ``also`` says what is.
    """

    distribution: str
    also: tuple[str, ...] = ()
    alone: bool = False


PEERS = {
    "pytrec_eval": Peer("pytrec_eval-terrier"),
    "pyndeval": Peer("pyndeval"),
    # pandas reads Parquet through pyarrow, whose version 26 refuses the NumPy 1 that rectools brings
    "rectools": Peer("rectools", also=("pyarrow<26",)),
    "duckdb": Peer("duckdb"),
    "polars": Peer("polars"),
    "numpy": Peer("numpy", also=("polars",)),  # which reads the files
    "ranx": Peer("ranx"),
    "readers": Peer("polars", also=("orjson", "pandas", "pyarrow<26")),
    # its pins bring a pandas that is older than NumPy 2; matplotlib 3.9 lacks what it imports
    "recmetrics": Peer("recmetrics", also=("numpy<2", "matplotlib<3.9", "scikit-learn<1.8", "pyarrow<26")),
}
# further tools whose numbers are compared, and not their speed (tools/make_preset_values.py)
COMPARED = {
    # it asks for notebooks, transformers and a compiler; with pandas 3 its fillna() on a column changes nothing
    "microsoft": Peer("recommenders", also=("pandas<3", "scikit-learn", "scipy"), alone=True),
    "rs_metrics": Peer("rs-metrics"),
    "jurity": Peer("jurity", also=("pandas<3",)),  # with pandas 3 its MAP is an error
    "implicit": Peer("implicit"),
    "ir_measures": Peer("ir-measures"),
    "sklearn": Peer("scikit-learn"),
    "lenskit": Peer("lenskit"),
    "replay": Peer("replay-rec"),
    "torchmetrics": Peer("torchmetrics"),
    "recpack": Peer("recpack"),
    "recbole": Peer("recbole"),
    "beir": Peer("beir"),
    "xgboost": Peer("xgboost"),
    "lightgbm": Peer("lightgbm"),
    "catboost": Peer("catboost"),
    "mlflow": Peer("mlflow-skinny", also=("pandas", "scikit-learn")),
    "llamaindex": Peer("llama-index-core"),
    "haystack": Peer("haystack-ai"),
    "trulens": Peer("trulens-feedback"),
    "deepeval": Peer("deepeval"),
    "ragas": Peer("ragas", also=("langchain-community<0.4",)),  # it imports what version 0.4 no longer has
    "spark": Peer("pyspark", also=("numpy", "pandas", "pyarrow")),
}


def python_of(name: str, cache: Path) -> Path:
    """The interpreter of a peer's environment, which is made now if it is missing."""
    folder = cache.resolve() / "envs" / name
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        peer = (PEERS | COMPARED)[name]
        print(f"making the environment of {name} in {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if peer.alone:
            subprocess.run([*pip, "--no-deps", peer.distribution], check=True)
        wanted = peer.also if peer.alone else (peer.distribution, *peer.also)
        subprocess.run([*pip, *wanted], check=True)
        ready.touch()
    return python


@cache_of_calls
def version_of(name: str, cache: Path) -> str:
    """A peer as people name it: distribution and version."""
    distribution = (PEERS | COMPARED)[name].distribution
    code = f"from importlib.metadata import version; print(version({distribution!r}))"
    version = subprocess.check_output([str(python_of(name, cache)), "-c", code], text=True)
    return f"{distribution} {version.strip()}"


TREC_EVAL = "trec_eval 9.0.8"  # the version in pytrec_eval-terrier


@cache_of_calls
def trec_eval(cache: Path) -> tuple[Path, str] | None:
    """The program and what to call it; None, and the reason on stderr, where it cannot be had."""
    given = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    if given:
        return Path(given), "trec_eval"
    python = python_of("pytrec_eval", cache)
    code = "import pytrec_eval_ext; print(pytrec_eval_ext.__file__)"
    library = subprocess.check_output([str(python), "-c", code], text=True).strip()
    program = cache.resolve() / "envs" / "trec_eval"
    source = str(HERE / "programs" / "trec_eval_main.c")
    # the library's calls of Python stay open: the program makes none of them
    flags = ["-O3", "-rdynamic", "-Wl,--unresolved-symbols=ignore-all", "-lm"]
    try:
        subprocess.run(["cc", "-o", str(program), source, library, *flags], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no trec_eval ({error}); TREC_EVAL=/path/to/trec_eval says where it is", file=sys.stderr)
        return None
    return program, TREC_EVAL


@cache_of_calls
def limit_text(cache: Path) -> Path | None:
    """The program in C that does what rankwell must do for TREC text, made for this machine; None where it cannot be made."""
    program = cache.resolve() / "envs" / "limit_text"
    program.parent.mkdir(parents=True, exist_ok=True)
    source = str(HERE / "programs" / "limit_text.c")
    flags = ["-O3", "-march=native", "-pthread", "-lm"]
    try:
        subprocess.run(["cc", "-o", str(program), source, *flags], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no limit for text ({error})", file=sys.stderr)
        return None
    return program


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"out of: {' '.join(PEERS)} (default: all)")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of data and environments")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in PEERS]
    if unknown:
        parser.error(f"no peer {unknown[0]!r}; there are: {' '.join(PEERS)}")
    for name in chosen.names or PEERS:
        print(f"{version_of(name, chosen.cache)}: {python_of(name, chosen.cache)}")
    if not chosen.names:
        print(f"trec_eval: {trec_eval(chosen.cache)}")


if __name__ == "__main__":
    main()
