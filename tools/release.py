"""Make a release ready (`make release`), or say whether it is: python tools/release.py [check VERSION].

What is committed is copied into an empty folder and dated there. A source distribution and a wheel are built from the copy, and one more
wheel from the source distribution. Both wheels are installed where there is no compiler, and run the demo. Only then are the dated files
written here, to be committed and tagged by a person. Needs git, a C compiler and the package index.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOM = ROOT / "build" / "release"
COMPILERS = ("cc", "gcc", "clang", "tcc", "c99")

INSTALL = """\
With Python 3.11 or later (`[report]` is for pictures and reports; in a clone, with a C compiler, it is `pip install '.[report]'`):

```sh
pip install 'rankwell[report]'
"""


def dated(root: Path, version: str, date: str) -> dict[str, str]:
    """Return the texts of the files that change with a release: dates, and how to install what is on the index from then on."""
    edits = {
        "README.md": (r"(?s)^With Python 3\.11 or later.*?\npip install [^\n]*\n", INSTALL),
        "CHANGELOG.md": (
            rf"^## {re.escape(version)} – (unreleased|\d{{4}}-\d\d-\d\d)$",
            f"## {version} – {date}",
        ),
        "CITATION.cff": (
            r"^version: .*\n(date-released: .*\n)?",
            f"version: {version}\ndate-released: {date}\n",
        ),
        "docs/ci.md": (r"pip install (\./rankwell|rankwell==\S+)", f"pip install rankwell=={version}"),
    }
    texts = {}
    for name, (pattern, new) in edits.items():
        text = (root / name).read_text(encoding="utf-8")
        # a function, as the new text is no pattern
        texts[name], places = re.subn(f"(?m){pattern}", lambda _, new=new: new, text)
        if places != 1:
            raise SystemExit(f"{name}: {places} places are like {pattern!r}, and one is to be changed.")
    return texts


def check(version: str) -> None:
    """Stop unless the files here are those of the release of this version."""
    own = version_in(ROOT)
    if own != version:
        raise SystemExit(f"The tag says {version}, src/rankwell/__init__.py says {own}.")
    date = re.search(
        rf"^## {re.escape(version)} – (\S+)$",
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    texts = dated(ROOT, version, date[1] if date else "")
    stale = [name for name, text in texts.items() if text != (ROOT / name).read_text(encoding="utf-8")]
    if stale or (date and date[1] == "unreleased"):
        raise SystemExit(f"{', '.join(stale) or 'CHANGELOG.md'}: run make release before the tag.")


def version_in(root: Path) -> str:
    """Return the version that the package says."""
    text = (root / "src" / "rankwell" / "__init__.py").read_text(encoding="utf-8")
    return re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE)[1]


def run(*command: str | Path, **options: object) -> str:
    """Return what a command prints, which must succeed."""
    done = subprocess.run(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def environment(name: str, *packages: str) -> Path:
    """Return the folder of programs of a new environment."""
    run(sys.executable, "-m", "venv", ROOM / name)
    programs = ROOM / name / "bin"
    if packages:
        run(programs / "python", "-m", "pip", "--quiet", "install", *packages)
    return programs


def modules(wheel: Path) -> set[str]:
    """Return the names of the files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def build(source: Path) -> tuple[Path, Path, Path]:
    """Return the source distribution, the wheel, and the wheel of the source distribution."""
    programs = environment("building", "build", "twine")
    dist, again = ROOM / "dist", ROOM / "again"
    run(programs / "python", "-m", "build", "--sdist", "--wheel", "--outdir", dist, source)
    [sdist], [wheel] = dist.glob("*.tar.gz"), dist.glob("*.whl")
    run(programs / "python", "-m", "pip", "wheel", "--no-deps", "--wheel-dir", again, sdist)
    [second] = again.glob("*.whl")
    run(programs / "twine", "check", "--strict", sdist, wheel)
    if different := modules(wheel) ^ modules(second):
        raise SystemExit(f"Only one of both wheels has {', '.join(sorted(different))}.")
    return sdist, wheel, second


def try_without_compiler(name: str, wheel: Path) -> int:
    """Install a wheel where there is no compiler, run the demo, and return the number of lines that it prints."""
    programs = environment(name)
    gone = {"CC", "CXX", "LDSHARED", "PYTHONPATH"}
    env = {word: value for word, value in os.environ.items() if word not in gone} | {"PATH": str(programs)}
    if found := [each for each in COMPILERS if shutil.which(each, path=env["PATH"])]:
        raise SystemExit(f"There is a compiler in the environment: {', '.join(found)}.")
    python = programs / "python"
    run(python, "-m", "pip", "--quiet", "install", "--only-binary", ":all:", wheel, env=env, cwd=ROOM)
    where = run(python, "-c", "import rankwell; print(rankwell.__file__)", env=env, cwd=ROOM).strip()
    if not Path(where).is_relative_to(programs.parent):
        raise SystemExit(f"This is not what was installed: {where}.")
    return len(run(programs / "rankwell", "demo", env=env, cwd=ROOM).splitlines())


def main() -> None:
    version = version_in(ROOT)
    if changes := run("git", "status", "--porcelain", cwd=ROOT):
        raise SystemExit(f"A release is what is committed; commit this, or put it aside:\n{changes}")
    if run("git", "tag", "--list", f"v{version}", cwd=ROOT):
        raise SystemExit(
            f"v{version} is tagged already: say the next version in src/rankwell/__init__.py, CHANGELOG.md and conda/recipe.yaml."
        )
    shutil.rmtree(ROOM, ignore_errors=True)
    source = ROOM / "source"
    source.mkdir(parents=True)
    run("git", "archive", "--output", ROOM / "source.tar", "HEAD", cwd=ROOT)
    with tarfile.open(ROOM / "source.tar") as archive:
        archive.extractall(source, filter="data")
    texts = dated(source, version, datetime.now(UTC).date().isoformat())
    for name, text in texts.items():
        (source / name).write_text(text, encoding="utf-8")

    sdist, wheel, second = build(source)
    for path in (sdist, wheel):
        print(f"built {path.relative_to(ROOT)}, {path.stat().st_size / 2**20:.1f} MiB", flush=True)
    for name, path in (("of the tree", wheel), ("of the source distribution", second)):
        lines = try_without_compiler(name.replace(" ", "-"), path)
        print(
            f"the wheel {name} is installed without a compiler, and its demo prints {lines} lines", flush=True
        )

    for name, text in texts.items():
        (ROOT / name).write_text(text, encoding="utf-8")
    print(
        f"{', '.join(texts)} are those of the release now. What a person does today:\n"
        f"  git commit --all --message 'Release {version}'\n  git tag --annotate v{version} --message v{version}\n"
        f"  git push origin main v{version}"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["check"] and len(sys.argv) == 3:
        check(sys.argv[2])
    elif len(sys.argv) == 1:
        main()
    else:
        raise SystemExit(__doc__)
