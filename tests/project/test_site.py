"""The documentation site: it builds, holds every public name and command, and notices broken links."""

from __future__ import annotations

import shutil
from types import ModuleType

import pytest
from tests.project.site import HTML, PAGES, build, built
from tools import make_metrics_page

import rankwell as rw
from rankwell.cli.arguments import arguments_of
from rankwell.cli.commands import function_of, homes
from rankwell.metrics.metric import Metric
from rankwell.metrics.names import METRICS


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return built(tmp_path_factory)


def html(site, name):
    return (site / HTML / name).read_text(encoding="utf-8")


def test_every_public_name_and_command_has_its_place(site):
    python, commands = (html(site, f"docs/reference/{name}.html") for name in ("python", "commands"))
    metrics = "".join(html(site, f"docs/metrics/{family}.html") for family in make_metrics_page.FAMILIES)
    public = {
        name: value
        for name in set(rw.__all__) - {"__version__"}
        # modules have a part of the page, or the guides of CONTRIBUTING (extend)
        if not isinstance(value := getattr(rw, name), ModuleType)
    }
    public |= {name: getattr(rw.metrics, name) for name in METRICS}
    public |= {name: getattr(rw.prepare, name) for name in rw.prepare.__all__}
    public |= {name: getattr(rw.plot, name) for name in rw.plot.__all__}
    public |= {name: getattr(rw.judging, name) for name in rw.judging.__all__}
    public |= {name: getattr(rw.efficiency, name) for name in rw.efficiency.__all__}
    for name, value in public.items():
        if isinstance(value, type) and issubclass(value, Metric):
            assert f'id="{value.name}"' in metrics, name
        else:
            assert f'id="{value.__module__}.{name}"' in python, name
    for name in ("aggregate", "save", "to_json"):
        assert f'id="rankwell.results.results.Results.{name}"' in python
    for words in homes():
        part = commands.partition(f'id="rankwell-{"-".join(words)}"')[2].partition('id="rankwell-')[0]
        for argument in arguments_of(function_of(words)):
            for name in argument.names or [argument.field.upper()]:
                assert name in part, (words, name)


def test_every_page_can_be_reached(site):
    start = html(site, "index.html")
    pages = site / PAGES
    for page in pages.rglob("*.md"):
        target = page.relative_to(pages).with_suffix(".html").as_posix()
        if target == "README.html":
            continue
        assert f'href="./{target.replace("README.html", "index.html")}"' in start, target


def test_nothing_is_loaded_from_elsewhere(site):
    for page in (site / HTML).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for sign in ('src="http', "src='http", 'rel="stylesheet" href="http', "//fonts."):
            assert sign not in text, (page, sign)


@pytest.mark.slow
def test_broken_links_break_the_build_and_each_is_named(site, tmp_path):
    folder = tmp_path / "broken"
    shutil.copytree(site, folder)
    page = folder / PAGES / "docs" / "choosing.md"
    links = "[gone](no-such-page.md) and [gone](metrics/binary.md#no-such-metric)"
    page.write_text(page.read_text(encoding="utf-8") + f"\n{links}\n", encoding="utf-8")
    done = build(folder)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    for part in ("page does not exist", "anchor does not exist", "2 issues found"):
        assert part in said, said[-2000:]
