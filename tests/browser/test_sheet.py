"""The judging sheet as judges use it: from disk and offline, by keyboard and touch, closed and opened again, with hostile texts."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from contextlib import suppress

import polars as pl
import pytest
from PIL import Image
from playwright.sync_api import expect
from tests.browser.conftest import CHROMIUM, PHONE
from tests.browser.looks import jumps, nameless, sticks_out

import rankwell as rw

HOSTILE = (
    '</script><script>window.broken = 1</script><img src=x onerror="window.broken = 1">'
    "<svg onload='window.broken = 1'>\u202eevil\u202c \x00\x1b[2J\u2028\ufeff\U000e0041 ${1} {at} <!--"
)
GUIDE = "# What counts\n\n*An answer.* <script>window.broken = 1</script> [x](javascript:window.broken=1) ![p](http://a.b/c.png)\n"


@pytest.fixture
def made(tmp_path):
    """A function that writes a sheet of two queries with three items each."""

    def make(**options):
        Image.radial_gradient("L").save(tmp_path / "round.png")
        items = [
            {
                "item": f"d{at}",
                "title": f"Title {at}",
                "text": f"Text of {at}",
                "image": "round.png" if at == 2 else None,
            }
            for at in range(6)
        ]
        items[1] |= {"title": HOSTILE, "text": HOSTILE}
        pl.DataFrame(items, infer_schema_length=None).write_parquet(tmp_path / "items.parquet")
        (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
        pairs = {"1": ["d0", "d1", "d2"], "2": ["d3", "d4", "d5"]}
        options = {
            "queries": {"1": "what is one?", "2": HOSTILE},
            "guidelines": tmp_path / "guide.md",
            "order": "given",
            **options,
        }
        rw.judging.sheet(pairs, items=str(tmp_path / "items.parquet"), **options).save(
            tmp_path / "sheet.html"
        )
        return tmp_path / "sheet.html"

    return make


def begin(page, name="Ann"):
    page.get_by_label(re.compile("Your name|이름")).fill(name)
    page.keyboard.press("Enter")
    expect(page.get_by_label(re.compile("Your name|이름"))).to_be_hidden()  # it has begun, and was kept


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def stop_clock(page):
    """Time passes when the test says so, however busy the machine is: a second tap comes too soon or it does not."""
    page.evaluate("window.at = performance.now(); performance.now = () => window.at")


def later(page):
    page.evaluate("window.at += 250")


def open_again(page, load, name, text):
    """A busy browser can read for a new page before what the last one wrote has arrived: then it is opened once more."""
    for _ in range(30):
        load()
        with suppress(AssertionError):  # what arrives while the page is open shows, too
            expect(page.locator(f"#sheet-{name}")).to_have_text(text, timeout=2_000)
            break
    expect(page.locator(f"#sheet-{name}")).to_have_text(text)


def second_tab(page):
    """Open the same sheet in a tab that shares the first one's process: between two a busy browser may lose what one of them wrote."""
    with page.expect_popup() as told:
        page.evaluate("() => void window.open(location.href)")
    other = told.value
    other.heard = page.heard
    return other


def shown(page):
    return page.locator("#sheet-item-id").text_content()


def status(page):
    return page.locator("#sheet-status").text_content()


def download(page, button="CSV"):
    files = page.locator("#sheet-files")
    if files.get_attribute("open") != "":
        files.locator("summary").click()
    with page.expect_download() as told:
        page.get_by_role("button", name=button).click()
    return told.value


def rows_of(page):
    text = download(page).path().read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def test_a_sheet_is_judged_by_keyboard_and_downloaded(opened, made):
    page = opened(made())
    expect(page.get_by_role("heading", name="What counts")).to_be_visible()
    press(page, "3")  # before the name is given
    begin(page)
    assert (shown(page), status(page)) == ("d0", "1 of 6 · 0 judged")
    press(page, "9", "x", "Control+1")  # no grade of the scale, no key of the sheet, a key of the browser
    assert shown(page) == "d0"
    press(page, "3")
    assert shown(page) == "d1"
    press(page, "c")
    page.keyboard.type('2 said "no", 3')  # digits in a comment are no grades
    press(page, "Escape", "0", "s", "1")
    assert (shown(page), status(page)) == ("d4", "5 of 6 · 3 judged · 1 skipped")
    press(page, "u", "2")
    press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft")
    assert shown(page) == "d1"
    assert page.get_by_role("button", name="0 not relevant").get_attribute("aria-pressed") == "true"
    press(page, "1")  # a new grade, after which it goes on with what is left
    assert shown(page) == "d4"
    press(page, "0", "0")
    expect(page.get_by_role("heading", name="Nothing is left to judge")).to_be_visible()
    rows = rows_of(page)
    assert [(row["item"], row["grade"], row["order"]) for row in rows] == [
        ("d0", "3", "1"), ("d3", "2", "4"), ("d1", "1", "5"), ("d4", "0", "6"), ("d5", "0", "7"),
    ]  # fmt: skip
    assert {(row["judge"], row["is_repeat"]) for row in rows} == {("Ann", "false")}
    assert [row["comment"] for row in rows] == ["", "", '2 said "no", 3', "", ""]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", row["time"]) for row in rows)
    found = download(page, "TREC qrels")
    assert found.suggested_filename == "judgements-Ann.qrels"
    assert found.path().read_text() == "1 0 d0 3\n2 0 d3 2\n1 0 d1 1\n2 0 d4 0\n2 0 d5 0\n"
    page.get_by_role("button", name="Go to what you skipped").click()
    assert shown(page) == "d2"
    press(page, "2")
    assert status(page) == "6 judged"


def test_a_key_that_is_held_down_grades_once_and_keys_of_other_scripts_work(opened, made):
    page = opened(made())
    begin(page)
    page.keyboard.down("1")
    page.keyboard.down("1")
    page.keyboard.down("1")
    page.keyboard.up("1")
    assert status(page) == "2 of 6 · 1 judged"
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ㄴ', code: 'KeyS', bubbles: true}))"
    )
    assert status(page) == "3 of 6 · 1 judged · 1 skipped"
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '&', code: 'Digit1', bubbles: true}))"
    )
    assert status(page) == "4 of 6 · 2 judged · 1 skipped"


def test_a_sheet_is_judged_with_the_mouse(opened, made):
    page = opened(made(lang="ko"))
    stop_clock(page)
    page.get_by_label("이름").fill("다래")
    page.get_by_role("button", name="시작").click()
    later(page)
    page.get_by_role("button", name="매우 관련 있음").dblclick()  # one grade
    assert (shown(page), status(page)) == ("d1", "6개 중 2번째 · 1개 판정")
    page.get_by_role("button", name="이전").click()
    assert page.get_by_role("button", name="매우 관련 있음").get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="다음").click()
    page.get_by_role("button", name="다음").click()
    later(page)
    page.get_by_role("button", name="건너뛰기").click()
    assert (shown(page), status(page)) == ("d3", "6개 중 4번째 · 1개 판정 · 1개 건너뜀")
    page.get_by_role("button", name="되돌리기").click()
    page.locator("#sheet-guidelines summary").click()
    expect(page.locator("#sheet-guidelines").get_by_role("heading", name="What counts")).to_be_visible()
    assert [(row["item"], row["grade"], row["judge"]) for row in rows_of(page)] == [("d0", "2", "다래")]


def test_a_sheet_is_judged_by_touch_on_a_phone(opened, made):
    page = opened(made(), size=PHONE, has_touch=True, is_mobile=True)
    stop_clock(page)
    assert sticks_out(page) == []
    page.get_by_role("button", name="Begin").tap()
    expect(page.get_by_text("Enter a name first.")).to_be_visible()
    page.get_by_label("Your name").fill("Bo")
    page.get_by_role("button", name="Begin").tap()
    for at in range(6):
        assert shown(page) == f"d{at}"
        assert sticks_out(page) == []
        later(page)
        button = page.get_by_role("button", name=re.compile(f"^{at % 4}"))
        box = button.bounding_box()
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= PHONE["height"]  # in reach, however long the text
        button.tap()
        if at == 2:
            button.tap()  # the second tap of a double tap
            page.get_by_role("button", name="Undo").tap()
            assert shown(page) == "d2"
            later(page)
            page.get_by_role("button", name="Skip").tap()
    assert [(row["item"], row["grade"]) for row in rows_of(page)] == [
        ("d0", "0"), ("d1", "1"), ("d3", "3"), ("d4", "0"), ("d5", "1"),
    ]  # fmt: skip
    assert sticks_out(page) == []


def is_kept(profile, text):
    """Whether a browser has written down a text that a page keeps."""
    # in its log or, once that was put in order, in a table
    files = [path for end in ("log", "ldb") for path in profile.glob(f"*/Local Storage/leveldb/*.{end}")]
    written = [path.read_bytes() for path in files]
    return any(text.encode(encoding) in each for each in written for encoding in ("utf-8", "utf-16-le"))


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def test_a_browser_that_is_closed_in_the_middle_goes_on_where_it_was(chromium, made, tmp_path):
    file = made(repeats=0.5)
    kinds = {
        "user_data_dir": tmp_path / "profile",
        "executable_path": CHROMIUM,
        "args": ["--no-sandbox"],
        "offline": True,
    }
    context = chromium.browser_type.launch_persistent_context(**kinds)
    page = context.new_page()
    page.goto(file.as_uri())
    begin(page)
    press(page, "1", "2")
    page.locator("#sheet-comment").fill("unfinished")
    page.wait_for_function("() => JSON.stringify(localStorage).includes('unfinished')")
    page.close()
    # a browser writes down what pages keep when it has time, which one that is closed at once may not have
    wait_for(lambda: is_kept(tmp_path / "profile", "unfinished"))
    context.close()
    file = made(repeats=0.5, title="Made again")  # the same pairs and grades are the same sheet
    context = chromium.browser_type.launch_persistent_context(**kinds)
    page = context.new_page()
    open_again(page, lambda: page.goto(file.as_uri()), "status", "3 of 9 · 2 judged")
    assert page.locator("#sheet-comment").input_value() == "unfinished"
    press(page, "u", *"2012301")
    assert status(page) == "9 of 9 · 8 judged"
    press(page, "1")
    rows = rows_of(page)
    context.close()
    assert [int(row["order"]) for row in rows] == list(range(1, 10))
    assert [row["is_repeat"] for row in rows].count("true") == 3
    assert {row["item"] for row in rows if row["is_repeat"] == "false"} == {f"d{at}" for at in range(6)}


def test_sheets_of_three_judges_are_exported_merged_and_compared(opened, made, tmp_path):
    file, paths = made(repeats=0.5, lang="ko"), []
    for judge, grades in {"Ann": "012310123", "Bo": "012312103", "다래": "112213101"}.items():
        page = opened(file)
        begin(page, judge)
        press(page, *grades)
        paths.append(tmp_path / f"{judge}.csv")
        download(page).save_as(paths[-1])
    found = rw.judging.merge(*paths)
    assert [(judge.name, judge.judged, judge.repeats) for judge in found.judges] == [
        ("Ann", 6, 3), ("Bo", 6, 3), ("다래", 6, 3),
    ]  # fmt: skip
    own = {}
    for path in paths:
        with path.open(encoding="utf-8", newline="") as read:
            for row in csv.DictReader(read):
                if row["is_repeat"] == "false":
                    own.setdefault((row["query"], row["item"]), []).append(int(row["grade"]))
    expected = {
        pair: min(grades, key=lambda grade: (-grades.count(grade), grade)) for pair, grades in own.items()
    }
    assert dict(zip(found.pairs, found.grade.tolist(), strict=True)) == expected
    assert rw.agreement(*(str(path) for path in paths)).joint.n == 6


def test_what_was_downloaded_is_taken_up_on_another_device(opened, made, tmp_path):
    file = made(repeats=0.5)
    page = opened(file)
    begin(page, 'Ann "A", B')
    press(page, "1", "c")
    page.keyboard.type('a "b", c')
    page.keyboard.press("Enter")
    page.keyboard.type("d")
    press(page, "Escape", "2", "s", "0")
    download(page).save_as(tmp_path / "first.csv")
    press(page, *"123012")
    rows = rows_of(page)
    other = opened(file, size=PHONE)
    other.get_by_text("Go on from a file").click()
    other.locator("#sheet-load").set_input_files(tmp_path / "sheet.html")
    expect(other.get_by_text("holds no judgements of this sheet")).to_be_visible()
    other.locator("#sheet-load").set_input_files(tmp_path / "first.csv")
    expect(other.get_by_text("3 judgements are taken from the file")).to_be_visible()
    assert sticks_out(other) == nameless(other) == []
    other.get_by_role("button", name="Begin").click()
    assert status(other) == "3 of 9 · 3 judged"
    press(other, "s", *"123012")
    again = rows_of(other)
    assert [dict(row, time="", order="") for row in again] == [dict(row, time="", order="") for row in rows]
    assert again[:3] == rows[:3]
    assert again[1]["comment"] == 'a "b", c\nd'
    assert {row["judge"] for row in again} == {'Ann "A", B'}


def test_a_sheet_that_is_opened_before_the_last_page_has_written_erases_nothing_and_goes_on_with_it(
    opened, made
):
    page = opened(made())
    assert page.evaluate("Object.keys(localStorage)") == []  # nothing is written before somebody begins
    begin(page)
    press(page, "3", "1")
    [[key, text]] = page.evaluate("Object.entries(localStorage)")
    page.evaluate("localStorage.clear()")
    page.reload()
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, text])  # arrives late
    begin(page, "Bob")
    assert (page.locator("#sheet-who").text_content(), status(page)) == ("Ann", "3 of 6 · 2 judged")


def test_another_judge_at_the_same_browser_begins_with_nothing_of_the_first(opened, made):
    page = opened(made())
    begin(page)
    expect(page.locator(".sheet-who")).to_contain_text("Judge: Ann")
    press(page, *"12")
    download(page)
    press(page, "3", "c")
    page.keyboard.type("of Ann")
    # it is still known that the third was not downloaded
    open_again(page, page.reload, "who", "Ann")
    another = page.get_by_role("button", name="Another judge")
    another.click()
    asked = page.get_by_role("dialog", name="not downloaded")
    expect(asked).to_be_visible()
    press(page, "1")  # grades nothing behind the question
    page.get_by_role("button", name="Go back").click()
    expect(asked).to_be_hidden()
    expect(page.locator("#sheet-status")).to_have_text("4 of 6 · 3 judged")
    another.click()
    press(page, "Escape")
    expect(asked).to_be_hidden()
    other = second_tab(page)  # goes back, too
    expect(other.locator("#sheet-who")).to_have_text("Ann")
    another.click()
    page.get_by_role("button", name="Throw them away").click()
    for each in (page, other):
        expect(each.get_by_role("button", name="Begin")).to_be_visible()
        expect(each.get_by_label("Your name")).to_have_value("")
    expect(page.get_by_label("Your name")).to_be_focused()
    kept = page.evaluate("JSON.stringify({...localStorage})")
    assert "Ann" not in kept
    begin(page, "Bo")
    expect(page.locator("#sheet-who")).to_have_text("Bo")
    expect(page.locator("#sheet-status")).to_have_text("1 of 6 · 0 judged")
    press(page, *"000000")
    rows = rows_of(page)
    assert {(row["judge"], row["grade"], row["comment"]) for row in rows} == {("Bo", "0", "")}
    another.click()  # all is downloaded: there is nothing to ask
    expect(page.get_by_role("button", name="Begin")).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_name_of_a_judge_fits_however_long_and_so_does_the_question(opened, made, lang):
    page = opened(made(lang=lang), size=PHONE)
    begin(page, "W" * 100)
    expect(page.locator("#sheet-who")).to_have_text("W" * 100)
    press(page, "1")
    assert sticks_out(page) == []
    page.get_by_role("button", name=re.compile("^(Another judge|다른 판정자)$")).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert sticks_out(page) == nameless(page) == []


def test_a_repeat_of_what_was_skipped_is_no_repeat(opened, made):
    page = opened(made(repeats=1))
    begin(page)
    press(page, *"s12012", *"012012")
    rows = rows_of(page)
    assert [row["is_repeat"] for row in rows if row["item"] == "d0"] == ["false"]
    assert [row["is_repeat"] for row in rows].count("true") == 5
    assert download(page, "TREC qrels").path().read_text().count("\n") == 6


def test_another_sheet_begins_anew_and_two_tabs_of_one_do_not_overwrite_each_other(opened, made):
    page = opened(made())
    begin(page)
    press(page, "1")
    other = second_tab(page)
    expect(other.locator("#sheet-who")).to_have_text("Ann")
    press(other, "2")
    page.wait_for_function("() => document.querySelector('#sheet-status').textContent.startsWith('3 of 6')")
    press(page, "3")
    assert [(row["item"], row["grade"]) for row in rows_of(page)] == [("d0", "1"), ("d1", "2"), ("d2", "3")]
    made(scale="0-1")
    other.goto(page.url)
    expect(other.get_by_role("button", name="Begin")).to_be_visible()


@pytest.mark.parametrize(
    "broken", ["Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
               "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError') }})"],
)  # fmt: skip
def test_a_browser_that_keeps_nothing_says_so_and_works(chromium, made, broken):
    context = chromium.new_context(offline=True)
    context.add_init_script(broken)
    page = context.new_page()
    page.goto(made().as_uri())
    expect(page.get_by_role("alert").filter(has_text="keeps nothing")).to_be_visible()
    begin(page)
    press(page, *"123")
    with page.expect_event("dialog") as told:
        page.close(run_before_unload=True)
    told.value.dismiss()
    assert told.value.type == "beforeunload"
    assert len(rows_of(page)) == 3
    context.close()


@pytest.mark.parametrize(
    "state", ["{", "null", "[]", '{"judge": 1}', '{"judge":"","started":true,"at":99,"count":0,"answers":{},"comments":{},"undo":[]}']
)  # fmt: skip
def test_damaged_progress_is_put_aside_with_a_notice(opened, made, state):
    page = opened(made())
    key = page.evaluate(
        "'rankwell.sheet.' + JSON.parse(document.getElementById('sheet-data').textContent).key"
    )
    # before any script of the page: what is written just before a page is left may come too late for the next one
    page.add_init_script(f"localStorage.setItem({json.dumps(key)}, {json.dumps(state)})")
    page.reload()
    expect(page.get_by_role("alert").filter(has_text="could not be read")).to_be_visible()
    assert page.evaluate("(key) => localStorage.getItem(`${key}.damaged`)", key) == state
    begin(page)
    press(page, "1")
    assert status(page) == "2 of 6 · 1 judged"


def test_hostile_texts_and_guidelines_stay_text(opened, made):
    page = opened(made(title=HOSTILE, scale={0: HOSTILE[:50], 1: "<b>yes</b>"}))
    begin(page, HOSTILE[:90])
    press(page, "1")
    page.locator("#sheet-comment").fill("=1+1\n<script>,\"'")
    assert "onerror" in page.locator("#sheet-item-text").text_content()
    expect(page.locator("#sheet-item-text *")).to_have_count(0)
    expect(
        page.locator("main a[href^=javascript], main img[src^=http], main script:not([type])")
    ).to_have_count(0)
    press(page, "Escape", "0", "g", "1", "1", "1", "1")
    assert page.evaluate("window.broken") is None
    rows = rows_of(page)
    assert rows[1]["comment"] == "=1+1\n<script>,\"'"
    assert rows[1]["judge"] == HOSTILE[:90]


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("dark", [False, True])
def test_everything_has_a_name_in_both_languages(opened, made, lang, dark):
    page = opened(made(lang=lang, scale="0-9"), dark=dark, size=PHONE)
    assert page.evaluate("document.documentElement.lang") == lang
    for step in (
        lambda: None,
        lambda: begin(page),
        lambda: press(page, "1", "1"),
        lambda: press(page, *"1111"),
    ):
        step()
        assert nameless(page) == []
        assert jumps(page) == []
        assert sticks_out(page) == []


def test_ids_with_spaces_are_for_csv_alone(opened):
    sheet = rw.judging.sheet(
        {"q": ["a b", "c,d"]},
        items=[{"item": "a b", "text": "x"}, {"item": "c,d", "text": "y"}],
        order="given",
    )
    page = opened(sheet.to_html())
    begin(page)
    press(page, "1", "2")
    assert page.get_by_role("button", name="TREC qrels").is_disabled()
    expect(page.get_by_text("cannot hold these ids")).to_be_visible()
    assert [(row["item"], row["grade"]) for row in rows_of(page)] == [("a b", "1"), ("c,d", "2")]


def test_a_sheet_with_other_texts_never_shows_the_grades_of_one_with_the_same_ids(opened, tmp_path):
    # pages from disk share their storage, as two projects of one judge do
    files = {}
    for name in "AB":
        items = [{"item": str(at), "text": f"text of project {name} {at}"} for at in (1, 2, 3)]
        made = rw.judging.sheet(
            {"1": {"1": 0, "2": 0, "3": 0}}, items=items, queries={"1": f"question of {name}"}, title=name
        )
        files[name] = tmp_path / f"sheet{name}.html"
        made.save(files[name])
    page = opened(files["A"])
    begin(page)
    press(page, *"312")
    assert [row["grade"] for row in rows_of(page)] == ["3", "1", "2"]
    page.goto(files["B"].as_uri())
    expect(page.get_by_role("button", name="Begin")).to_be_visible()
    expect(page.get_by_label("Your name")).to_have_value("")
    begin(page, "Bo")
    expect(page.locator("#sheet-status")).to_have_text("1 of 3 · 0 judged")
    press(page, "0")
    assert [(row["grade"], row["judge"]) for row in rows_of(page)] == [("0", "Bo")]
    page.goto(files["A"].as_uri())  # the same sheet again still has its own
    assert [(row["grade"], row["judge"]) for row in rows_of(page)] == [
        ("3", "Ann"),
        ("1", "Ann"),
        ("2", "Ann"),
    ]


def test_a_sheet_that_is_made_again_with_the_same_texts_goes_on_where_it_was(opened, made):
    page = opened(made())
    begin(page)
    press(page, "3", "1")
    again = made(title="Another title", guidelines=None).as_uri()
    open_again(page, lambda: page.goto(again), "status", "3 of 6 · 2 judged")
    page.goto(made(queries={"1": "what is another?", "2": HOSTILE}).as_uri())
    expect(page.get_by_role("button", name="Begin")).to_be_visible()
