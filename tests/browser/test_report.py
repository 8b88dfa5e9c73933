"""Whole reports of real data, opened from disk: read, sorted, filtered, darkened, on a phone, printed, by keys alone."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import DESK, PHONE
from tests.browser.looks import jumps, nameless, sticks_out, tab_stops
from tests.evidence import evidence

import rankwell as rw

FILMS = files("rankwell") / "data" / "movietweetings"
COVID = "trec-covid-round1"
# texts of fewer than 12 px, as they are drawn
SMALL = """
() => { const found = [];
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const each = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !each.checkVisibility() || each.closest("script, .unseen, .hidden")) continue;
    const drawn = each.getScreenCTM?.();
    const size = parseFloat(getComputedStyle(each).fontSize) * (drawn ? Math.hypot(drawn.a, drawn.b) : 1);
    if (size < 11.9) found.push(`${size}: ${each.textContent.slice(0, 40)}`);
  }
  return found; }
"""
# of the colour of a text to that of what is behind it, by WCAG
CONTRAST = """
(each) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let behind = each;
  while (behind && /, 0\\)$|transparent/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
  const [low, high] = [getComputedStyle(each).color, getComputedStyle(behind || document.body).backgroundColor].map(light).sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
"""
SYSTEMS = ("als", "itemknn", "popular", "random")


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """Four recommenders, with all tables that there are."""
    users = [
        {"query": query, "tier": "odd" if number % 2 else "even"}
        for number, query in enumerate(rw.read_run(str(FILMS / "als.parquet")).queries)
    ]
    path = tmp_path_factory.mktemp("films") / "report.html"
    found = rw.report(
        {name: str(FILMS / f"{name}.parquet") for name in SYSTEMS},
        str(FILMS / "test.parquet"),
        ["ndcg@10", "hit@10", "coverage@10"],
        path=path,
        train=str(FILMS / "train.parquet"),
        items=str(FILMS / "items.parquet"),
        users=users,
        by="tier",
        baseline="popular",
        rel=8,
    )
    return found, path


@pytest.fixture(scope="module")
def covid(tmp_path_factory):
    """Six runs of TREC-COVID, in Korean."""
    path = tmp_path_factory.mktemp("covid") / "report.html"
    runs = sorted((evidence(f"{COVID}/runs")).glob("*.run"))
    found = rw.report(
        {run.stem: str(run) for run in runs},
        str(evidence(f"{COVID}/qrels-rnd1.txt")),
        ["ndcg@10", "ap", "p@5"],
        path=path,
        lang="ko",
    )
    assert len(runs) == 6
    return found, path


@pytest.fixture(params=["films", "covid"])
def report(request):
    return request.getfixturevalue(request.param)


def look_at_all(page):
    """Scroll every picture into view, as a reader does, until it is drawn."""
    for figure in page.locator("figure.chart:visible").all():
        figure.scroll_into_view_if_needed()
        figure.locator("svg.marks").wait_for(timeout=60_000)


@pytest.mark.parametrize(
    ("size", "dark"),
    [
        pytest.param(DESK, False, id="light-desk"),
        pytest.param(PHONE, True, id="dark-phone"),
        pytest.param(DESK, True, id="dark-desk", marks=pytest.mark.exhaustive),
        pytest.param(PHONE, False, id="light-phone", marks=pytest.mark.exhaustive),
    ],
)
def test_a_report_opens_and_every_picture_is_drawn(opened, report, size, dark):
    page = opened(report[1], size=size, dark=dark)
    look_at_all(page)
    assert page.locator("figure.chart").count() >= 5
    expect(page.locator(".failed")).to_have_count(0)
    assert sticks_out(page) == []
    assert page.heard.sent() == [page.url]


def test_everything_has_a_name_and_headings_are_in_order(opened, report):
    page = opened(report[1])
    look_at_all(page)
    assert nameless(page) == []
    assert jumps(page) == []
    assert page.evaluate("document.documentElement.lang") == report[0].lang
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(ids) == len(set(ids))


def test_the_links_at_the_top_lead_to_the_sections(opened, report):
    page = opened(report[1])
    for link in page.locator("nav.contents a").all():
        target = link.get_attribute("href")
        expect(page.locator(f"section{target}")).to_have_count(1)
        assert link.inner_text() == page.locator(f"{target} h2").first.text_content()


def test_the_page_says_the_answer_that_the_data_hold(opened, report):
    page = opened(report[1])
    assert page.locator(".sentence").inner_text().replace("\xa0", " ") == report[0].answer


def test_every_number_on_the_page_is_one_of_the_data(opened, report):
    known = set(re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", report[0].to_json()))
    page = opened(report[1])
    values = page.evaluate(
        "[...document.querySelectorAll('main data')].map(each => each.value).filter(Boolean)"
    )
    assert len(values) > 50
    numbers = {float(each) for each in known}
    assert [each for each in values if float(each) not in numbers] == []


def test_the_leaderboard_is_sorted_by_any_metric(opened, films):
    page = opened(films[1])
    table = page.locator("table.leaderboard")
    names = table.locator("tbody th")
    data = films[0].section("leaderboard").data
    means = {row["system"]: [cell["mean"] for cell in row["cells"]] for row in data["rows"]}
    for at, metric in enumerate(each["metric"] for each in data["metrics"]):
        table.get_by_role("button", name=metric).click()
        shown = [text.split()[0] for text in names.all_inner_texts()]
        assert shown == sorted(means, key=lambda name: -means[name][at]), metric


def test_columns_of_the_leaderboard_are_chosen(opened, films):
    page = opened(films[1])
    page.locator("#leaderboard details.columns summary").click()
    page.locator("#leaderboard").get_by_role("checkbox", name="coverage@10").uncheck()
    expect(page.locator("table.leaderboard thead").get_by_text("coverage@10")).to_be_hidden()
    expect(page.locator("table.leaderboard thead").get_by_text("ndcg@10")).to_be_visible()


def test_what_stays_in_sight_does_not_cover_the_choice_of_columns(opened, films):
    page = opened(films[1])
    page.locator("#leaderboard .columns summary").click()
    boxes = page.locator("#leaderboard .columns input")
    assert boxes.count() > 2
    for at in range(boxes.count()):
        boxes.nth(at).uncheck(timeout=60_000)
        expect(boxes.nth(at)).not_to_be_checked()


def test_the_button_makes_page_and_pictures_dark(opened, films):
    page = opened(films[1])
    look_at_all(page)
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 29)"
    page.wait_for_function(
        "() => ![...document.querySelectorAll('figure.drawn svg > rect')].some(each => each.getAttribute('fill') === '#ffffff')"
    )


def test_a_print_has_every_section_and_picture(opened, report, tmp_path):
    page = opened(report[1], dark=True)
    page.locator("figure.chart").first.scroll_into_view_if_needed()
    page.locator("figure.chart svg.marks").first.wait_for()
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes())) <= 9
    drawn = "[...document.querySelectorAll('figure.chart')].filter(each => !each.closest('details') && !each.querySelector('svg')).length"
    assert page.evaluate(drawn) == 0
    page.emulate_media(media="print")
    expect(page.locator(".tools:visible, .theme:visible, nav:visible")).to_have_count(0)


def test_what_was_printed_is_as_wide_and_as_high_as_before_on_the_screen(opened, films):
    page = opened(films[1])
    look_at_all(page)
    marks = (
        "[...document.querySelectorAll('figure.chart svg.marks')].filter(each => !each.closest('details'))"
    )
    sizes = f"{marks}.map(each => [each.clientWidth, each.clientHeight])"
    before = page.evaluate(sizes)
    page.pdf()
    expect(page.locator("html.printing")).to_have_count(0)
    # pictures are fitted to within a few pixels
    near = f"before => {sizes}.every((own, at) => own.every((size, side) => Math.abs(size - before[at][side]) < 6))"
    page.wait_for_function(near, arg=before)


def test_letters_are_readable_on_a_phone(opened, report):
    page = opened(report[1], size=PHONE)
    look_at_all(page)
    assert page.evaluate(SMALL) == []


@pytest.mark.parametrize("dark", [False, True])
def test_plain_words_are_beside_each_metric_and_can_be_read(opened, report, dark):
    page = opened(report[1], dark=dark)
    heads = page.locator("table.leaderboard thead th[data-better]")
    said = [each["plain"] for each in report[0].section("leaderboard").data["metrics"]]
    assert heads.locator(".plain").all_inner_texts() == said
    names = heads.locator("button").all_inner_texts()
    assert [name.split()[0] for name in names] == [
        each["metric"] for each in report[0].section("leaderboard").data["metrics"]
    ]
    for what in (".plain", ".interval", ".sentence", ".compared dt", ".compared .quiet"):
        assert page.locator(what).first.evaluate(CONTRAST) >= 4.5, what


def test_a_print_has_what_is_open_and_no_more(opened, films):
    page = opened(films[1])
    page.emulate_media(media="print")
    expect(page.locator("#definitions details").first).to_be_hidden()
    page.evaluate("document.querySelectorAll('#definitions details').forEach(each => each.open = true)")
    expect(page.locator("#definitions details").first).to_be_visible()


def test_the_keyboard_reaches_what_the_mouse_does(opened, films):
    page = opened(films[1])
    stops = tab_stops(page, most=150)
    assert stops[0] == "a Skip to the content"
    links = [each.removeprefix("a ") for each in stops if each.startswith("a ")][1:]
    assert links[: len(films[0].sections)] == page.locator("nav.contents a").all_inner_texts()
    reached = page.evaluate("document.querySelectorAll('#leaderboard button').length")
    assert sum(each.startswith("button") for each in stops) >= reached


HOSTILE = [
    "<script>window.broken=1</script>",
    "</script><script>window.broken=1</script>",
    "<img src=x onerror=window.broken=1>",
    "<!--<script>",
    "\"'><svg onload=window.broken=1>",
    "javascript:window.broken=1",
    "a\u202eb\u2066c",
    "a\u2028b\u0000c\u001b[31m",
    "{{7*7}}${7*7}{% raw %}",
    "a.b[0]'\\\"`",
    "__proto__",
    "constructor",
    "x" * 10_000,
    "한" * 3_000,
    '=HYPERLINK("http://example.org")',
    "  ",
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A report in which every name is an attack: systems, queries, items, texts, segments, titles."""
    queries = [f"{number} {text}" for number, text in enumerate(HOSTILE)]
    items = [f"{text} {number}" for number, text in enumerate(HOSTILE)]
    judged = {
        query: {items[(at + step) % len(items)]: step for step in range(3)}
        for at, query in enumerate(queries)
    }
    runs = {
        name: {
            query: {items[(at + step + shift) % len(items)]: 9.0 - step for step in range(6)}
            for at, query in enumerate(queries)
        }
        for shift, name in enumerate(HOSTILE[:6])
    }
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    found = rw.report(
        runs,
        judged,
        ["ndcg@5", "ap"],
        path=path,
        train={query: dict.fromkeys(items[:4], 1) for query in queries},
        items=[
            {"item": item, "title": text, "genre": text} for item, text in zip(items, HOSTILE, strict=True)
        ],
        users=[{"query": query, "tier": HOSTILE[at % 4]} for at, query in enumerate(queries)],
        by="tier",
        queries=dict(zip(queries, HOSTILE, strict=True)),
    )
    return found, path


@pytest.mark.parametrize(
    "size", [pytest.param(DESK, id="desk", marks=pytest.mark.exhaustive), pytest.param(PHONE, id="phone")]
)
def test_hostile_names_stay_text_everywhere(opened, hostile, size):
    page = opened(hostile[1], size=size)
    look_at_all(page)
    expect(page.locator(".failed")).to_have_count(0)
    for query in page.locator(".explorer-query").all()[:20]:
        query.click()
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate("window.broken") is None
    assert page.evaluate(
        "[document.images.length, document.querySelectorAll('form:not(.vega-bindings, #explorer form)').length, document.querySelectorAll('iframe, object, embed, base').length]"
    ) == [0, 0, 0]
    assert page.evaluate("[...document.links].every(each => each.getAttribute('href').startsWith('#'))")
    handlers = "[...document.querySelectorAll('*')].flatMap(each => each.getAttributeNames()).filter(name => name.startsWith('on'))"
    assert page.evaluate(handlers) == []
    assert page.evaluate("document.scripts.length") == page.evaluate(
        "document.querySelectorAll('body > main script, body > script').length"
    )
    assert sticks_out(page) == []
    assert nameless(page) == []


def test_no_character_that_turns_text_around_or_ends_a_line_is_on_the_page(hostile):
    text = re.sub(r"<script.*?</script>", "", hostile[1].read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not {"\u202e", "\u2066", "\u2028", "\x00", "\x1b"} & set(text)
