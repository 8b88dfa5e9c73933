"""Ids that do not meet are no number: every engine and every verb says which change would make them meet."""

from __future__ import annotations

import gzip
import random
import subprocess
import unicodedata
import warnings

import polars as pl
import pytest
from tests.evidence import evidence

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import DataWarning, NothingInCommonError

ENGINES = ["memory", "stream"]
CHANGES = {
    "prefix": (lambda text: f"msmarco_{text}", "without the prefix 'msmarco_'"),
    "suffix": (lambda text: f"{text}.txt", "without the suffix '.txt'"),
    "zeros": (lambda text: f"000{text}", "without leading zeros"),
    "case": (str.upper, "in lower case"),
    "quotes": (lambda text: f"'{text}'", "without quotation marks around them"),
    "blanks": (lambda text: f"{text}\u00a0", "without white space around them"),
    "unicode": (lambda text: unicodedata.normalize("NFD", text), r"in one Unicode form \(NFC\)"),
    "cut": (lambda text: text[:20], "cut at 20 signs"),
}
IDS = [f"é{number}-{random.Random(number).getrandbits(96):024x}" for number in range(30)]


def data(items=str, queries=str):
    run = {queries(f"é{q}x" * 8): {items(each): 100.0 - n for n, each in enumerate(IDS)} for q in range(12)}
    qrels = {f"é{q}x" * 8: {each: n % 3 for n, each in enumerate(IDS[:20])} for q in range(12)}
    return run, qrels


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", CHANGES)
def test_items_that_would_meet_after_a_change_are_an_error_with_the_remedy(kind, engine):
    change, how = CHANGES[kind]
    run, qrels = data(items=change)
    with pytest.raises(
        rw.RankwellError,
        match=rf"^run: no judged item is in any list; 20 of 20 would match {how}.*write each item id as ",
    ):
        rw.evaluate(run, qrels, "ndcg@10", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", CHANGES)
def test_queries_that_would_meet_after_a_change_are_told_so(kind, engine):
    change, how = CHANGES[kind]
    run, qrels = data(queries=change)
    with pytest.raises(
        NothingInCommonError,
        match=rf"^run: no query of the run is judged; 12 of 12 would match {how}.*write each query id as ",
    ):
        rw.evaluate(run, qrels, "ndcg@10", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", [str, int])
def test_swapped_columns_are_told(kind, engine):
    pairs = [(user, item) for user in range(30) for item in range(1000 + user, 1020 + user)]
    if kind is str:
        pairs = [(f"u{user}", f"i{item}") for user, item in pairs]
    qrels = pl.DataFrame(pairs, schema=["user_id", "item_id"], orient="row")
    run = qrels.rename({"user_id": "item_id", "item_id": "user_id"}).with_columns(score=1.0)
    with pytest.raises(
        rw.RankwellError,
        match=r"with query and item swapped.*columns=\{'user_id': 'item', 'item_id': 'query'\}",
    ):
        rw.evaluate(run, qrels, "ndcg@10", engine=engine)
    mended = {"columns": {"user_id": "item", "item_id": "query"}}
    assert rw.evaluate(rw.read_run(run, **mended), qrels, "r@50")["r@50"] == 1.0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_tenth_that_would_match_only_after_a_change_is_a_warning(engine):
    upper = {each: each.upper() for each in IDS[::4]}
    run, qrels = data(items=lambda text: upper.get(text, text))
    both = {f"more{n}": 1 for n in range(40)}
    run = {query: items | dict.fromkeys(both, 0.5) for query, items in run.items()}
    qrels = {query: items | both for query, items in qrels.items()}
    wrong = {f"doc{n}": 1 for n in range(12)}
    run = {query: items | {each.upper(): 0.1 for each in wrong} for query, items in run.items()}
    qrels = {query: items | wrong for query, items in qrels.items()}
    with pytest.warns(
        DataWarning, match="of judged items that are in no list, 17 of 17 would match in lower case"
    ):
        found = rw.evaluate(run, qrels, "r@100", engine=engine)
    assert 0.5 < found["r@100"] < 0.8


def test_nine_are_too_few_for_an_error_and_are_said():
    run, qrels = {"q": {f"D{n}": 1.0 for n in range(9)}}, {"q": {f"{n}": 1 for n in range(9)}}
    with pytest.warns(DataWarning, match="9 of 9 would match without the prefix 'D'"):
        assert rw.evaluate(run, qrels, "rr")["rr"] == 0


@pytest.mark.parametrize(
    "verb",
    [
        lambda run, qrels: rw.evaluate(run, qrels, "ap"),
        lambda run, qrels: rw.Evaluator(qrels, "ap").evaluate(run),
        lambda run, qrels: rw.Evaluator(qrels, "ap").evaluate_all({"a": run, "b": run}),
        lambda run, qrels: rw.compare({"a": run, "b": run}, qrels, ["ap"]),
        lambda run, qrels: rw.gate(run, qrels, ["ap"], baseline=run),
        lambda run, qrels: rw.diff({"old": run, "new": dict(run)}, qrels, "ap"),
        lambda run, qrels: rw.rosetta(run, qrels, "ap"),
        lambda run, qrels: rw.report({"a": run, "b": run}, qrels, ["ap"], path="never.html"),
    ],
)
def test_no_verb_gives_a_number(verb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run, qrels = data(items=str.upper)
    with pytest.raises(rw.RankwellError, match="20 of 20 would match in lower case"):
        verb(run, qrels)
    assert not [*tmp_path.iterdir()]


def movies(change):
    run = pl.read_parquet(evidence("movietweetings-100k/recs/recs_itemknn.parquet"))
    qrels = pl.read_csv(
        evidence("movietweetings-100k/split/test.csv"), schema_overrides={"item_id": pl.String}
    )
    item = pl.col("item_id").cast(pl.String).str.zfill(7)
    return run.with_columns(change(item)), qrels.with_columns(item)


@pytest.mark.parametrize("engine", ENGINES)
def test_movies_that_lost_their_zeros_are_told(engine):
    run, qrels = movies(lambda item: item.str.strip_chars_start("0"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", DataWarning)
        try:
            rw.evaluate(run, qrels, "ndcg@10", grades="interactions", engine=engine)
            [message] = [str(each.message) for each in said]
        except rw.RankwellError as error:
            message = str(error)
    assert "would match without leading zeros" in message


@pytest.mark.parametrize("engine", ENGINES)
def test_honest_data_are_not_doubted(engine):
    pairs = [
        (evidence(f"cranfield/runs/{name}.run"), evidence("cranfield/qrels.graded.txt"))
        for name in ("bm25", "lsi", "coord")
    ]
    covid = evidence("trec-covid-round1/runs")
    pairs += [(path, evidence("trec-covid-round1/qrels-rnd1.txt")) for path in sorted(covid.iterdir())]
    pairs.append(movies(lambda item: item))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for run, qrels in pairs:
            assert rw.evaluate(run, qrels, "ndcg@10", grades="judgements", engine=engine)["ndcg@10"] > 0.05


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", [str, int])
def test_random_ids_are_not_explained(seed, kind):
    draw = random.Random(seed)
    run = {kind(q): {kind(draw.randrange(10**6)): draw.random() for _ in range(20)} for q in range(50)}
    qrels = {kind(q): {kind(draw.randrange(10**6)): 1 for _ in range(20)} for q in range(50)}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", DataWarning)
        rw.evaluate(run, qrels, "ndcg@10")
    assert all("match" not in str(each.message) for each in said)


def test_the_shell_stops_with_a_command_that_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_text("".join(f"1 Q0 ms_{n} {n + 1} {30 - n} t\n" for n in range(20)))
    (tmp_path / "q.txt").write_text("".join(f"1 0 {n} 1\n" for n in range(20)))
    assert command(["evaluate", "q.txt", "a.run", "-m", "r@20"]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.endswith("> fixed-a.run\n")
    subprocess.run(shown.err.partition("alike: ")[2], shell=True, check=True)
    assert command(["evaluate", "q.txt", "fixed-a.run", "-m", "r@20"]) == 0
    assert "1.0000" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["a 'b'.run", 'a"b".run', "a\\b.run", "a$b`c.run"])
def test_the_command_works_for_any_name_of_a_file(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("".join(f"1 Q0 ms_{n} {n + 1} {30 - n} t\n" for n in range(20)))
    (tmp_path / "q.txt").write_text("".join(f"1 0 {n} 1\n" for n in range(20)))
    assert command(["evaluate", "q.txt", name, "-m", "r@20"]) == 3
    subprocess.run(capsys.readouterr().err.partition("alike: ")[2], shell=True, check=True)
    assert command(["evaluate", "q.txt", f"fixed-{name}", "-m", "r@20"]) == 0


def test_no_command_is_said_for_what_a_command_cannot_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = "".join(f"1 Q0 ms_{n} {n + 1} {30 - n} t\n" for n in range(20))
    (tmp_path / "a.run.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "q.txt").write_text("".join(f"1 0 {n} 1\n" for n in range(20)))
    assert command(["evaluate", "q.txt", "a.run.gz", "-m", "r@20"]) == 3
    said = capsys.readouterr().err
    assert "write each item id as id.removeprefix(" in said
    assert "python3 -c" not in said


@pytest.mark.parametrize("verb", [["evaluate"], ["compare"], ["diff"]])
def test_the_shell_says_in_front_that_nothing_was_found(tmp_path, monkeypatch, capsys, verb):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (tmp_path / f"{name}.run").write_text("".join(f"{q} Q0 x{name} 1 1 t\n" for q in range(3)))
    (tmp_path / "q.txt").write_text("".join(f"{q} 0 y 1\n" for q in range(3)))
    assert command([*verb, "q.txt", "a.run", "b.run", "-m", "rr"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "no judged item" in line] == [
        f"rankwell: note: {name}: no judged item is in any list. Is it the run of these judgements?"
        for name in "ab"
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_scores_that_grow_or_are_all_equal_are_said(engine):
    items = [f"d{n}" for n in range(30)]
    qrels = {f"q{q}": {"d3": 1, "d29": 1} for q in range(5)}
    for score, text in (
        (float, "scores grow down the lists"),
        (lambda _: 1.0, "all scores of a list are equal"),
    ):
        run = {query: {item: score(n) for n, item in enumerate(items)} for query in qrels}
        with pytest.warns(DataWarning, match=f"^run: {text}"):
            found = rw.evaluate(run, qrels, "rr", engine=engine)
        assert not any("neighbours" in name for name in found.counts)


def test_three_lines_are_shown_and_where_the_rest_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = "abcde"
    for name in names:
        (tmp_path / f"{name}.run").write_text(f"1 Q0 x{name} 1 1 t\n")
    (tmp_path / "q.txt").write_text("1 0 y 1\n")
    assert command(["evaluate", "q.txt", *(f"{name}.run" for name in names), "-m", "rr"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 3
    assert said[-1].endswith("(rankwell lint QRELS RUN shows the rest)")
    runs = {name: {"1": [name]} for name in names}
    with pytest.warns(DataWarning) as found:
        rw.Evaluator({"1": {"y": 1}}, "rr").evaluate_all(runs)
    assert [str(each.message).count("\n") for each in found] == [2]


@pytest.mark.parametrize("engine", [None, "stream"])
def test_queries_of_which_some_only_meet_after_a_change_are_told(engine):
    qrels = {str(at): {"a": 1} for at in range(200)}
    padded = {f"{at:03d}": ["b", "a"] for at in range(200)}  # half of them meet as they are
    with pytest.raises(
        rw.errors.DataError, match=r"judged queries .*100 of 100 would match without leading zeros"
    ):
        rw.evaluate(padded, qrels, "rr", engine=engine)
    fewer = {f"{at:03d}": ["b", "a"] for at in range(70, 200)}
    with pytest.warns(rw.errors.DataWarning, match="30 of 100 would match without leading zeros"):
        rw.evaluate(fewer, qrels, "rr", engine=engine)
    half = {str(at): ["b", "a"] for at in range(100)}
    assert rw.evaluate(half, qrels, "rr", engine=engine).mean["rr"] == 0.25


EPC, OWN = "epc@2", "delta_gap@2"  # the second looks at each user's own history
STRANGE_TRAINING = [
    ({"u": ["x_a"], "v": ["x_b"]}, EPC, "item"),
    ({"u": ["x_a"], "v": ["x_b"]}, OWN, "item"),
    ({"p_u": ["a"], "p_v": ["c"]}, OWN, "user"),
    ({"p_u": ["a"]}, EPC, None),
    ({"u": ["a"]}, EPC, None),
    ({"v": ["a"], "w": ["d"]}, OWN, None),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("train", "metric", "what"), STRANGE_TRAINING)
def test_training_data_of_which_no_judged_item_or_user_is_known_are_warned_of(engine, train, metric, what):
    run, qrels = {"u": ["b", "a"], "v": ["c"]}, {"u": {"a": 1}, "v": {"c": 1}}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        rw.evaluate(run, qrels, metric, train=train, engine=engine)
    texts = [str(each.message) for each in said]
    assert any(f"no judged {what} is in the training data" in text for text in texts) == bool(what)
    assert what or not any("training data" in text for text in texts)


@pytest.mark.parametrize("engine", ENGINES)
def test_training_ids_of_the_other_kind_are_refused(engine):
    with pytest.raises(rw.RankwellError):
        rw.evaluate({"u": ["b"]}, {"u": {"a": 1}}, EPC, train={"u": [1]}, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_users_and_slices_that_meet_no_query_and_no_relevant_item_are_warned_of(engine):
    run, qrels = {"u": ["b", "a"], "v": ["c"]}, {"u": {"a": 1, "b": 0}, "v": {"c": 1}}
    users = pl.DataFrame({"user": ["x_u", "x_v"], "tier": ["old", "new"]})
    with pytest.warns(DataWarning, match="no query has a value of tier in users="):
        rw.evaluate(run, qrels, "rr", users=users, by="tier", engine=engine)
    with pytest.warns(DataWarning, match="no relevant item is in the slice long"):
        rw.evaluate(run, qrels, ["rr", "p@1"], slices={"long": ["x_a"], "all": ["a"]}, engine=engine)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        some = pl.DataFrame({"user": ["u", "x_v"], "tier": ["old", "new"]})
        rw.evaluate(run, qrels, "rr", users=some, by="tier", slices={"all": ["a"]}, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_number_of_a_passage_is_not_taken_for_a_suffix(engine):
    passages = {"q": [f"d{n}#{part}" for n in range(20) for part in range(2)]}
    # not: without the suffix '#0'
    with pytest.raises(
        rw.errors.DataError, match=r"20 of 20 judged ids are what ids of the run say before '#'"
    ):
        rw.evaluate(passages, {"q": {f"d{n}": 1 for n in range(20)}}, "rr", engine=engine)
    with pytest.raises(rw.errors.DataError, match="without the suffix '#0'"):  # one part of each is one
        rw.evaluate(
            {"q": [f"d{n}#0" for n in range(20)]}, {"q": {f"d{n}": 1 for n in range(20)}}, "rr", engine=engine
        )
    versions = {"q": [f"d{n}.v2" for n in range(20)]}
    with pytest.raises(rw.errors.DataError, match=r"without the suffix '\.v2'"):
        rw.evaluate(versions, {"q": {f"d{n}": 1 for n in range(20)}}, "rr", engine=engine)
