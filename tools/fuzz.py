"""Feed damaged input to every reader and to the kernels: nothing but one-line errors of rankwell may come out.

    python tools/fuzz.py 60                     one minute, by random changes of good files
    python tools/fuzz.py 3600 --atheris corpus  an hour, led by atheris (Linux, pip install atheris), corpus kept there
    python tools/fuzz.py 600 --kernels corpus   ten minutes of the kernels alone, led by atheris: their Hypothesis tests

Run it on kernels that check their indices: ``RANKWELL_BOUNDSCHECK=1 python setup.py build_ext --inplace``. What breaks
is kept as a file whose name says the format; ``python tools/fuzz.py --again FILE`` tries it once more.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import pkgutil
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

# atheris has to see the modules being imported: those that read, for it takes long to prepare a module
READING = ["rankwell.readers", "rankwell.kernels"]
LED = "--atheris" in sys.argv
watched = importlib.import_module("atheris").instrument_imports(READING) if LED else contextlib.nullcontext()
with watched:
    from tests.readers import ways

    import rankwell as rw
    import rankwell.readers
    from rankwell.errors import ReaderError

    for module in pkgutil.walk_packages(rankwell.readers.__path__, "rankwell.readers.") if LED else ():
        importlib.import_module(module.name)

if TYPE_CHECKING:
    from collections.abc import Callable

METRICS = ["ap", "ndcg@3", "rr", "p@2", "bpref", "judged@3"]
ROWS = [
    ("1", "a", 3.0),
    ("1", "b", 2.0),
    ("1", "c", 2.0),
    ("2", "a", 1.5),
    ("2", "ü", 0.5),
    ("10", "d", -1.0),
]
QRELS = {"1": {"b": 1, "c": 0}, "2": {"ü": 2}, "10": {"x": 1}}
FORMATS = list(ways.FILES)
INTERESTING = [b"nan", b"inf", b"-1e999", b"1e-400", b"\0", b"\n", b"\r\n", b"#", b" ", b"\t", b"::", b",", b'"', b"{", b"[", b"]",
               b"\xff", b"\xef\xbb\xbf", b"9" * 40, b"0x1p3", b"null", b"true", b"1_0", b"\xe2\x80\xa8", b"a" * 70_000]  # fmt: skip


def seeds() -> list[bytes]:
    """Good inputs: a byte that says the format, a byte that says the kind, and the file."""
    return [
        bytes([number, kind == "run"]) + ways.FILES[name](ROWS, kind)
        for number, name in enumerate(FORMATS)
        for kind in ("run", "qrels")
    ]


def try_input(data: bytes, folder: Path) -> None:
    """Read one input as a file and evaluate it; raise what is no error of rankwell, or has several lines."""
    if len(data) < 3:
        return
    path = folder / FORMATS[data[0] % len(FORMATS)]
    path.write_bytes(data[2:])
    try:
        if data[1] % 2:
            run = rw.read_run(path)
            results = rw.evaluate(run, QRELS, METRICS, policy=rw.Policy(duplicates="first"))
        else:
            policy = rw.Policy(grades="judgements", duplicate_grades="max")
            results = rw.evaluate({"1": {"a": 1.0, "b": 0.5}}, rw.read_qrels(path), METRICS, policy=policy)
        results.to_json()
    except ReaderError:
        raise  # a built-in reader has an error of its own for all damage
    except rw.RankwellError as error:
        if "\n" in str(error) or len(str(error)) > 1000:
            msg = f"not one short line: {error}"
            raise AssertionError(msg) from error


def changed(data: bytes, rng: random.Random) -> bytes:
    """Some random changes: bytes lost, doubled, replaced, swapped, and things that often hurt."""
    content = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at, length = rng.randrange(2, len(content) + 1), rng.choice([0, 1, 1, 4, 30])
        piece = rng.choice(
            [b"", rng.randbytes(length), rng.choice(INTERESTING), bytes(content[at : at + length]) * 2]
        )
        content[at : at + rng.choice([0, length])] = piece
    if rng.random() < 0.1:
        del content[rng.randrange(2, len(content)) :]
    return bytes(content)


def keep(data: bytes, folder: Path) -> Path:
    """Keep an input that breaks something."""
    name = FORMATS[data[0] % len(FORMATS)] if data else "empty"
    path = folder / f"broken_{name}_{hashlib.sha256(data).hexdigest()[:10]}"
    path.write_bytes(data)
    return path


def at_random(seconds: float, inputs: int | None, seed: int, broken: Path) -> int:
    """Try random changes for some time, or a number of them; return how many inputs broke something."""
    rng, end, tried, failures = random.Random(seed), time.monotonic() + seconds, 0, 0
    good = seeds()
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end if inputs is None else tried < inputs:
            data = changed(rng.choice(good), rng)
            tried += 1
            try:
                try_input(data, Path(folder))
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                failures += 1
                print(f"{type(error).__name__}: {error!s:.200}\n  kept as {keep(data, broken)}")
    print(f"{tried:,} inputs from seed {seed}, {failures} of them broke something")
    return failures


def try_reader() -> Callable[[bytes], object]:
    """What atheris calls for readers."""
    folder = Path(tempfile.mkdtemp())

    def read(data: bytes) -> None:
        if data:
            try_input(data, folder)

    return read


def try_kernel() -> Callable[[bytes], object]:
    """What atheris calls for kernels: the first byte chooses a Hypothesis test, the others are what it draws from."""
    import atheris

    # kernels are compiled: atheris is led by what their tests and Hypothesis do
    with atheris.instrument_imports(include=["hypothesis", "tests"]):
        from tests.kernels import test_kernels, test_sums, test_trec_text

    modules = (test_kernels, test_trec_text, test_sums)
    tests = [
        test.hypothesis.fuzz_one_input
        for module in modules
        for test in vars(module).values()
        if hasattr(test, "hypothesis")
    ]
    return lambda data: tests[data[0] % len(tests)](data[1:]) if data else None


def with_atheris(
    seconds: float, inputs: int | None, corpus: Path, broken: Path, target: Callable[[bytes], object]
) -> None:
    """Let atheris lead; it ends the process."""
    import atheris

    corpus.mkdir(exist_ok=True)
    until = f"-max_total_time={seconds:.0f}" if inputs is None else f"-runs={inputs}"
    options = [until, "-rss_limit_mb=4096", "-len_control=0", "-max_len=4096"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={broken}/", str(corpus)], target)
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("seconds", type=float, nargs="?", default=60)
    parser.add_argument("--inputs", type=int, help="a number of inputs, whatever time they take")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--broken", type=Path, default=Path())
    parser.add_argument("--atheris", type=Path, metavar="CORPUS")
    parser.add_argument("--kernels", type=Path, metavar="CORPUS")
    parser.add_argument("--again", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.again:
        with tempfile.TemporaryDirectory() as folder:
            try_input(options.again.read_bytes(), Path(folder))
        return 0
    if options.atheris:
        options.atheris.mkdir(exist_ok=True)
        for number, data in enumerate(seeds()):
            (options.atheris / f"seed{number}").write_bytes(data)
        with_atheris(options.seconds, options.inputs, options.atheris, options.broken, try_reader())
    if options.kernels:
        with_atheris(options.seconds, options.inputs, options.kernels, options.broken, try_kernel())
    return int(at_random(options.seconds, options.inputs, options.seed, options.broken) > 0)


if __name__ == "__main__":
    sys.exit(main())
