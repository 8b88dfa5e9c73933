"""A release: what `make release` changes, when it is ready, and that what is declared in several places is the same in each."""

from __future__ import annotations

import datetime as dt
import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from tools import release

import rankwell as rw
from rankwell.cli.commands import homes

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def loaded(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture
def copy(tmp_path):
    """The files that a release changes, and the one that says the version, in a folder of their own."""
    for name in [*release.dated(ROOT, rw.__version__, "2027-01-31"), "src/rankwell/__init__.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_a_release_puts_the_index_first_dates_every_file_and_changes_nothing_the_second_time(copy):
    texts = release.dated(copy, rw.__version__, "2027-01-31")
    assert re.findall(r"^pip install .*", texts["README.md"], re.MULTILINE) == [
        "pip install 'rankwell[report]'"
    ]
    assert texts["README.md"].count("pip install '.[report]'") == 1
    assert len(texts["README.md"].splitlines()) == len(
        (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    )
    assert f"\n## {rw.__version__} – 2027-01-31\n" in texts["CHANGELOG.md"]
    assert yaml.safe_load(texts["CITATION.cff"])["date-released"] == dt.date(2027, 1, 31)
    assert "./rankwell\n" not in "".join(re.findall(r"pip install.*\n", texts["docs/ci.md"]))
    for name, text in texts.items():
        (copy / name).write_text(text, encoding="utf-8")
    assert release.dated(copy, rw.__version__, "2027-01-31") == texts
    (copy / "CITATION.cff").write_text("title: rankwell\n")
    with pytest.raises(SystemExit, match=r"^CITATION.cff: 0 places are like"):
        release.dated(copy, rw.__version__, "2027-01-31")


def test_a_tag_without_a_release_is_stopped(copy, monkeypatch):
    monkeypatch.setattr(release, "ROOT", copy)
    with pytest.raises(SystemExit, match=r"^README.md, .*: run make release before the tag\.$"):
        release.check(rw.__version__)
    for name, text in release.dated(copy, rw.__version__, "2027-01-31").items():
        (copy / name).write_text(text, encoding="utf-8")
    release.check(rw.__version__)
    with pytest.raises(
        SystemExit, match=rf"The tag says 9\.0, src/rankwell/__init__.py says {rw.__version__}"
    ):
        release.check("9.0")


def test_the_version_is_one_and_the_licence_too():
    citation, recipe = loaded("CITATION.cff"), loaded("conda/recipe.yaml")
    assert citation["version"] == recipe["context"]["version"] == rw.__version__
    assert citation["license"] == recipe["about"]["license"] == PROJECT["license"]


def test_the_conda_recipe_needs_what_the_wheel_needs_and_installs_the_same_commands():
    recipe = loaded("conda/recipe.yaml")

    def plain(text):
        name, _, version = text.partition(" ")
        return f"{name}{version}"

    wanted = {str(Requirement(text)).split(";")[0].strip() for text in PROJECT["dependencies"]}
    run = {plain(text) for text in recipe["requirements"]["run"]}
    assert run == wanted | {f"python{PROJECT['requires-python']}"}
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    assert {plain(text) for text in recipe["requirements"]["host"]} == {"python", "pip", *build}
    commands = dict(text.split(" = ") for text in recipe["build"]["python"]["entry_points"])
    assert commands == PROJECT["scripts"]


def test_the_hook_runs_a_command_that_is_there():
    [hook] = loaded(".pre-commit-hooks.yaml")
    program, command = hook["entry"].split()
    assert program in PROJECT["scripts"]
    assert (command,) in homes()


def test_the_second_stage_of_the_image_has_no_compiler_and_the_context_no_more_than_the_build_needs():
    stages = re.findall(r"^FROM (.*)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert stages == ["python:${PYTHON} AS build", "python:${PYTHON}-slim"]
    assert "apt-get" not in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert all((ROOT / line[1:]).exists() for line in lines if line.startswith("!"))


def test_lines_to_copy_are_yaml_and_ask_for_what_there_is():
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    github, gitlab, hooks = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    [step] = [
        each
        for each in github["jobs"]["gate"]["steps"]
        if each["uses" if "uses" in each else "run"] == "./rankwell"
    ]
    needed = {name for name, each in ACTION["inputs"].items() if each.get("required")}
    assert needed <= set(step["with"]) <= set(ACTION["inputs"])
    assert github["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert gitlab["ranking"]["artifacts"]["reports"]["junit"] in gitlab["ranking"]["script"][-1]
    assert [each["id"] for each in hooks["repos"][0]["hooks"]] == [
        each["id"] for each in loaded(".pre-commit-hooks.yaml")
    ]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_only_read_unless_it_says_so_and_puts_no_text_into_a_script(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}
            # by version, of makers that also make what runs the workflow or takes the files
            assert re.fullmatch(
                r"((actions/[\w-]+)@v\d+|pypa/gh-action-pypi-publish@release/v1)?", step.get("uses", "")
            )


def test_only_what_is_tagged_is_published_and_only_by_the_job_that_asks_for_it():
    jobs = loaded(".github/workflows/release.yml")["jobs"]
    rights = {name: job["permissions"] for name, job in jobs.items() if "permissions" in job}
    assert rights == {"publish": {"contents": "write", "id-token": "write", "attestations": "write"}}
    publish = jobs["publish"]
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert set(publish["needs"]) == {"wheels", "sdist"}
    uses = [step.get("uses", "").partition("@")[0] for step in publish["steps"]]
    order = ["attest-build-provenance", "attest-sbom", "gh-action-pypi-publish"]
    assert [each.rpartition("/")[2] for each in uses if each.rpartition("/")[2] in order] == order
    machines = jobs["wheels"]["strategy"]["matrix"]["runner"]
    assert [name.partition("-")[0] for name in machines] == ["ubuntu", "ubuntu", "macos", "macos", "windows"]


@pytest.mark.slow
def test_make_release_builds_tries_and_dates_what_is_committed(tmp_path):
    clone = tmp_path / "clone"
    # as it is here, committed or not: files of Git and new ones
    release.run("git", "clone", "--quiet", ROOT, clone)
    for name in release.run("git", "ls-files", "-co", "--exclude-standard", cwd=ROOT).splitlines():
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, clone / name)
    (clone / "new.txt").write_text("not committed\n")
    make = ["make", f"PYTHON={sys.executable}", "release"]
    with pytest.raises(SystemExit, match="commit this, or put it aside"):
        release.run(*make, cwd=clone)
    (clone / "new.txt").unlink()
    git = ["git", "-c", "user.name=tests", "-c", "user.email=tests@example.org"]
    release.run(*git, "add", "--all", cwd=clone)
    release.run(*git, "commit", "--quiet", "--allow-empty", "--message", "now", cwd=clone)

    said = release.run(*make, cwd=clone)
    assert len(re.findall("is installed without a compiler, and its demo prints", said)) == 2
    changed = release.run("git", "diff", "--name-only", cwd=clone).splitlines()
    assert set(changed) == set(release.dated(ROOT, rw.__version__, "2027-01-31"))
    release.run(sys.executable, "tools/release.py", "check", rw.__version__, cwd=clone)
