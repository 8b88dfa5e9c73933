"""Files that rankwell saved and somebody damaged: they are refused in one sentence, or say the same as before in all they hold.

The files in ``tests/data/saved/every_kind`` are damaged by a seeded generator: values removed, replaced, repeated, keys written twice,
numbers at the ends of what there is, bytes changed, the metadata and the rows of Parquet. What is read is used: printed, added, drawn on.
"""

from __future__ import annotations

import copy
import json
import math
import random
import shutil
import tomllib
from pathlib import Path

import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run as command
from rankwell.efficiency import Costs
from rankwell.efficiency.grow import Growth
from rankwell.errors import DataError, InputError
from rankwell.metrics import metric_of
from rankwell.metrics.metric import QueryMetric
from rankwell.results.saving.load import is_saved, load_all
from rankwell.tables.states import Mean

SOUND = Path(__file__).parents[1] / "data" / "saved" / "every_kind"
QUERIES = [f"q{number:02}" for number in range(6)]
QRELS = {query: {"a": 2, "b": 1, "c": 0} for query in QUERIES}
RUNS = {
    name: {query: {item: float(at * sign) for at, item in enumerate("abcu")} for query in QUERIES}
    for name, sign in (("A", 1), ("B", -1))
}
TEXTS = [{"item": item, "text": "t"} for item in "abcuvwx"]
VALUES = [
    None, True, False, -1, 0, 3, 1e308, -1e308, 5e-324, 10**400, 10**18, 2**63, "", "x", "NaN", "inf", "ndcg@5", "../../etc/passwd", "\ud800", [], {}, [1],
    {"a": 1}, "\0", float("nan"), float("inf"), -0.5, 0.5, 1.5, [None], {"": None}, "A" * 1000, [["q00", "a"]], "all", "1" * 5000,
]  # fmt: skip


# ------------------------------------------------------------------------------------------ what is done with a file


def use_results(path, sound):
    is_saved(path)
    res = rw.Results.load(path)
    assert str(res)
    assert res._repr_html_()
    assert res.to_json(per_query=True)
    assert str(res.segments) if res.has_segments else True
    assert all(str(part) for part in res.slices.values())
    frame = res.per_query
    for name in res.mean:
        metric = metric_of(name)
        if isinstance(metric, QueryMetric) and name in frame.columns:
            values = frame[name].drop_nulls().to_numpy()
            assert res.n[name] == len(values)
            if len(values) and isinstance(metric.summary(values), Mean):  # a second way to the mean: NumPy's
                assert res.plain_mean[name] == pytest.approx(values.mean(), rel=1e-9)
            assert ((values >= metric.range[0] - 1e-6) & (values <= metric.range[1] + 1e-6)).all()
    for name in ("ndcg@3", "rr") if not res.weights else ():
        res.interval(name)
    other = rw.Results.load(sound)
    try:
        total = res + _renamed(other)
    except rw.RankwellError:
        return
    assert str(total)


def _renamed(res):
    """The same results of queries with other names, to be added."""
    from dataclasses import replace

    from rankwell.tables.ids import Ids

    part = copy.copy(res.part)
    part.queries = Ids.of([f"x{number}" for number in range(len(part.queries))])
    return replace(res, part=part)


def use_comparison(path, sound):
    found = rw.Comparison.load(path)
    assert str(found)
    assert found._repr_html_()
    assert found.to_json()
    assert found.to_pair_table().to_text()
    assert found.to_frame().height
    assert found.to_pair_frame().height
    for left, right in found.pairs.T.tolist():
        for metric in found.metrics:
            each = found.difference(found.names[left], found.names[right], metric)
            assert not each.p < 0
            assert not each.p > 1
    if found.bounding is not None:
        assert str(found.to_bounds_table())
    assert [str(table) for table in found.to_cost_tables()] or found.costs is None


def use_trend(path, sound):
    found = rw.Trend.load(path)
    assert str(found)
    assert found._repr_html_()
    assert found.to_json()
    assert found.to_frame().height == len(found.dates) * len(found.metrics)
    assert rw.plot.trend(found).to_dict(validate=False)


def use_watch(path, sound):
    found = rw.Watch.load(path)
    assert str(found)
    assert found._repr_html_()
    assert found.to_json()
    assert found.to_frame().height == len(found.days)


def use_launches(path, sound):
    found = rw.Launches.load(path)
    assert str(found)
    assert found.to_json()
    assert found.to_frame().height == len(found.rows)


def use_costs(path, sound):
    costs = Costs.load(path)
    assert repr(costs)
    assert costs.to_dict()
    assert not (costs.calls["ended"] < costs.calls["began"]).any()
    for system in costs.systems:
        for load in costs.loads:
            costs.latencies(system, load)
    for load in costs.loads:
        costs.estimates(load)


def use_growth(path, sound):
    grown = Growth.load(path)
    assert repr(grown)
    assert grown.to_json()


def use_simulation(path, sound):
    found = rw.judging.Simulation.load(path)
    assert repr(found)
    assert found.to_json()
    assert found.to_frame().columns


def use_next(path, sound):
    rw.judging.sheet(path, items=TEXTS, queries=dict.fromkeys(QUERIES, "t"))


def use_sample(path, sound):
    drawn = {query: {item: QRELS[query].get(item, 0) for item in "abcuvw"} for query in QUERIES}
    assert str(rw.judging.estimate(RUNS, drawn, ["ap"], frame=path))


def use_key(path, sound):
    found = rw.judging.answers(path, SOUND / "answers.jsonl", date="2026-01-01")
    assert str(found)
    assert found.to_dict()
    assert found.requests >= len(found.rows)
    found.notes()
    found.qrels()


def use_answers(path, sound):
    found = rw.judging.answers(SOUND / "prompts.key.json", path)
    assert str(found)
    found.notes()


def use_evaluated(path, sound):
    for res in load_all(path):
        assert str(res)
        assert res.to_table().to_text()
        assert res.to_json()


def use_experiment(path, sound):
    for name in ("qrels.txt", "old.run", "new.run"):
        if not (path.parent / name).exists():
            lines = [f"q{q} 0 {item} {at}" for q in range(3) for at, item in enumerate("ab")]
            runs = [
                f"q{q} Q0 {item} 0 {1 / (1 + at + q)} x"
                for q in range(3)
                for at, item in enumerate("ba" if name == "old.run" else "ab")
            ]
            (path.parent / name).write_text("\n".join(lines if name == "qrels.txt" else runs))
    (path.parent / "users.csv").write_text("query,g,w\nq0,x,1\nq1,x,2\nq2,y,1\n")
    assert command(["compare", str(path)]) in range(4)
    assert command(
        ["gate", str(path), str(path.parent / "new.run"), "--baseline", str(path.parent / "old.run")]
    ) in range(4)
    assert str(rw.compare(**rw.read_experiment(path)))


USES = {
    "results.json": use_results, "results.parquet": use_results, "evaluated.json": use_evaluated, "comparison.json": use_comparison, "trend.json": use_trend, "watch.json": use_watch, "launches.json": use_launches, "costs.json": use_costs,
    "growth.json": use_growth, "simulation.json": use_simulation, "next.json": use_next, "sample.frame.jsonl": use_sample,
    "drawn.frame.csv": use_sample, "drawn.frame.parquet": use_sample, "poisson.frame.tsv": use_sample, "next.csv": use_next, "drawn.parquet": use_next,
    "prompts.key.json": use_key, "answers.jsonl": use_answers, "rankwell.toml": use_experiment,
}  # fmt: skip


# ------------------------------------------------------------------------------------------------------ how it is damaged


def paths(value, before=()):
    yield before
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, child in children:
        yield from paths(child, (*before, name))


def damaged_value(value, rng):
    """Plain values with one to four changes."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        where = [path for path in paths(value) if path]
        if not where:
            break
        path, inner = rng.choice(where), value
        for name in path[:-1]:
            inner = inner[name]
        old, dice = inner[path[-1]], rng.random()
        if dice < 0.25:
            del inner[path[-1]]
        elif dice < 0.35 and isinstance(inner, list):
            inner.append(copy.deepcopy(old))
        elif dice < 0.45 and isinstance(inner, dict):
            inner[rng.choice(["x", "", "n", "mean"])] = inner.pop(path[-1])
        elif dice < 0.65 and isinstance(old, int | float):
            inner[path[-1]] = rng.choice([-old, old + 1, old / 2, old * 1.001, f"{old}", [old]])
        else:
            inner[path[-1]] = copy.deepcopy(rng.choice(VALUES))
    return value


def damaged_text(text, rng):
    """JSON with a key that stands twice, or brackets in brackets."""
    at = rng.choice([place for place, sign in enumerate(text) if sign in '{["'])
    if text[at] == "{":
        keys = [part for part in text.split('"')[1::2] if part.isascii()]
        return f'{text[:at]}{{"{rng.choice(keys)}": {json.dumps(rng.choice(VALUES))},{text[at + 1 :]}'
    more = rng.choice(["[", "[", '{"a":', "[" * 20_000])
    return f"{text[:at]}{more}{text[at:]}"


def damaged_bytes(content, rng):
    """Bytes with one to four changes; or in another encoding."""
    if rng.random() < 0.05:
        return content.decode("latin-1").encode(rng.choice(["utf-16", "utf-8-sig", "utf-32"]))
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at, size = rng.randrange(len(content) + 1), rng.choice([1, 1, 4, 30])
        match rng.randrange(6):
            case 0:
                del content[at : at + size]
            case 1:
                content[at:at] = rng.randbytes(size)
            case 2:
                content[at : at + size] = rng.randbytes(len(content[at : at + size]))
            case 3:
                content[at:at] = content[at : at + 8 * size]
            case 4 if rng.random() < 0.3:
                del content[at:]
            case _ if at < len(content):
                content[at] ^= 1 << rng.randrange(8)
        if not content:
            break
    return bytes(content)


def damaged_rows(frame, rng):
    """A frame with other rows or columns."""
    name = rng.choice(frame.columns)
    match rng.randrange(7):
        case 0:
            return frame.drop(name)
        case 1:
            return frame.sample(len(frame), shuffle=True, seed=rng.randrange(99))
        case 2:
            return frame[: rng.randrange(len(frame))]
        case 3:
            return pl.concat([frame, frame[:1]])
        case 4:
            return frame.with_columns(
                pl.col(name).cast(rng.choice([pl.String, pl.Categorical]) if name == "query" else pl.String)
            )
        case 5:
            return frame.rename({name: "x"})
        case _:
            column = frame[name].to_list()
            values = (
                [None, "x", ""] if name == "query" else [None, -1.0, 0.5, 7.5, float("nan"), float("inf")]
            )
            column[rng.randrange(len(column))] = rng.choice(values)
            return frame.with_columns(pl.Series(name, column, frame[name].dtype))


MORE_OF_AN_EXPERIMENT = [
    {},
    {"seeds": {"A": ["a1", "b"], "B": ["b", "a1"]}, "baseline": "A"},
    {"folds": {"A": ["a1"], "B": ["b"]}, "baseline": "A"},
    {"tables": {"users": "users.csv"}, "by": ["g"], "weights": "w", "clusters": "g"},
    {"gate": {"min_sure": {"rr": 0.1}, "improve": ["rr"], "strict": True, "fail_on": "margin"}},
]


def toml(value):
    """A plain value as TOML writes it; ValueError for null."""
    match value:
        case None:
            raise ValueError
        case dict():
            return f"{{{', '.join(f'{json.dumps(name)} = {toml(each)}' for name, each in value.items())}}}"
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case float():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False)


def write_damaged_table(source, target, rng):
    """Write a table with other cells, rows or columns; ValueError for cells that no table holds."""
    if source.suffix == ".parquet":
        rows = damaged_value(pl.read_parquet(source).to_dicts(), rng)
        try:
            pl.DataFrame(rows, infer_schema_length=None).write_parquet(target)
        except (TypeError, pl.exceptions.PolarsError) as error:
            raise ValueError from error
        return
    sign = "," if source.suffix == ".csv" else "\t"
    rows = damaged_value([line.split(sign) for line in source.read_text().splitlines()], rng)
    cells = [row if isinstance(row, list) else [row] for row in rows]
    target.write_text(
        "\n".join(sign.join("" if cell is None else str(cell) for cell in row) for row in cells)
    )


def damage(name, folder, rng):
    """Write a damaged copy of a file."""
    source, target = SOUND / name, folder / f"damaged-{name}"
    content, dice = source.read_bytes(), rng.random()
    if dice < 0.25:
        target.write_bytes(damaged_bytes(content, rng))
    elif name.startswith(("next.csv", "drawn.", "poisson.")):
        write_damaged_table(source, target, rng)
    elif name.endswith(".parquet"):
        frame, text = pl.read_parquet(source), pl.read_parquet_metadata(source)["rankwell"]
        if dice < 0.5:
            frame = damaged_rows(frame, rng)
        elif dice < 0.6:
            text = damaged_text(text, rng)
        else:
            text = json.dumps(damaged_value(json.loads(text), rng))
        frame.write_parquet(target, metadata={"rankwell": text})
    elif name.endswith(".toml"):
        data = tomllib.loads(content.decode()) | copy.deepcopy(rng.choice(MORE_OF_AN_EXPERIMENT))
        lines = [f"{json.dumps(word)} = {toml(each)}" for word, each in damaged_value(data, rng).items()]
        if dice < 0.5:  # what no value of JSON is
            lines = content.decode().splitlines()
            at = rng.randrange(len(lines))
            new = rng.choice(["2020-01-01", "0x10", "1e999", "[" * 5000, '{a = "x"}', "99999999999999999999"])
            lines[at] = rng.choice(
                [f"{lines[at].split('=')[0]} = {new}", "", f"x{lines[at]}", f"{lines[at]}\n{lines[at]}"]
            )
        target.write_text("\n".join(lines))
    elif dice < 0.35:
        target.write_bytes(damaged_text(content.decode(), rng).encode())
    elif name.endswith(".jsonl"):
        lines = damaged_value([json.loads(line) for line in content.splitlines()], rng)
        target.write_text("\n".join(map(json.dumps, lines)))
    else:
        target.write_text(json.dumps(damaged_value(json.loads(content), rng)))
    return target


def fuzz(name, folder, cases):
    """Damage a file so often; the numbers of those refused and read."""
    lines = []
    for number in cases:
        rng = random.Random(f"{name} {number}")
        try:
            path = damage(name, folder, rng)
        except (OverflowError, UnicodeEncodeError, ValueError):  # such a value cannot be written at all
            continue
        try:
            USES[name](path, SOUND / name)
        except rw.RankwellError as error:
            lines.append(str(error).count("\n"))
        except Exception as error:
            error.add_note(f"{name}, case {number}: {path}")
            raise
    assert not any(lines)
    return len(lines)


EACH = 800 // len(USES) + 1


# --------------------------------------------------------------------------------------------------------------- promises


@pytest.mark.parametrize("name", USES)
def test_a_sound_file_of_each_kind_is_read(name, tmp_path):
    shutil.copy(SOUND / name, tmp_path / name)
    USES[name](tmp_path / name, SOUND / name)


@pytest.mark.parametrize("name", USES)
def test_a_damaged_file_is_refused_in_one_line_or_agrees_with_itself(name, tmp_path):
    assert fuzz(name, tmp_path, range(EACH)) > EACH / 5  # or nothing was damaged


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", USES)
def test_twenty_thousand_damaged_files(name, tmp_path):
    cases = range(EACH, 20_000 // len(USES))
    assert fuzz(name, tmp_path, cases) > len(cases) / 5


def changed(name, folder, change):
    """A copy of a file of JSON with a change."""
    data = json.loads((SOUND / name).read_text(encoding="utf-8"))
    change(data)
    (folder / name).write_text(json.dumps(data))
    return folder / name


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
@pytest.mark.parametrize("value", [0.123, None])
@pytest.mark.parametrize("options", [{}, {"weights": "w"}, {"bounds": True}])
def test_values_of_queries_that_are_not_those_of_the_mean_are_refused(options, value, suffix, tmp_path):
    users = [{"query": query, "w": 1.0 + at} for at, query in enumerate(QUERIES)]
    path = tmp_path / f"edited{suffix}"
    rw.evaluate(RUNS["B"], QRELS, ["rr", "p@2"], users=users, **options).save(path)
    if suffix == ".json":
        data = json.loads(path.read_text(encoding="utf-8"))
        data["per_query"][0]["rr"] = value
        path.write_text(json.dumps(data), encoding="utf-8")
    else:
        frame, text = pl.read_parquet(path), pl.read_parquet_metadata(path)["rankwell"]
        rr = [value, *frame["rr"][1:]]
        frame.with_columns(pl.Series("rr", rr)).write_parquet(path, metadata={"rankwell": text})
    with pytest.raises(
        DataError, match=rf"edited{suffix}: this file of results is damaged \(.*rr.* in place of "
    ):
        rw.Results.load(path)


def test_a_weighted_mean_beyond_the_values_is_refused(tmp_path):
    path, users = tmp_path / "res.json", [{"query": query, "w": 1.0 + at} for at, query in enumerate(QUERIES)]
    rw.evaluate(RUNS["A"], QRELS, ["p@3"], users=users, weights="w").save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    own = data["states"]["metrics"]["p@3"]["weighted"]["fields"]
    own["total"]["whole"] = "1"
    mean = (1 << own["total"]["shift"]) / (int(own["weight"]["whole"], 16) << own["weight"]["shift"])
    assert mean < min(row["p@3"] for row in data["per_query"])
    data["mean"]["p@3"] = data["metrics"][0]["value"] = (
        mean  # whoever edits all places agrees with the states
    )
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(DataError, match=r"mean\.p@3: the weighted mean [0-9.e-]+ is not from 0\.\d+ to "):
        rw.Results.load(path)


def test_bounds_of_queries_without_those_of_the_mean_are_refused(tmp_path):
    path = tmp_path / "res.json"
    rw.evaluate(RUNS["A"], QRELS, ["rr"]).save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    for row in data["per_query"]:
        row["rr high"] = 1.0
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(DataError, match=r"per_query\.rr high: it does not fit the bounds of the mean"):
        rw.Results.load(path)


def state(data, metric):
    return data["states"]["metrics"][metric]["state"]["fields"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data["per_query"][0].update(rr=7.5), r"per_query\.rr: 7\.5 is not from 0 to 1"),
        (lambda data: data["per_query"][0].update(rr=0.123), r"mean\.rr|metrics|segments"),
        (lambda data: data["mean"].update(rr=0.99), r"mean\.rr: 0\.99 in place of 0\.\d+"),
        (lambda data: data["metrics"][1].update(value=0.99), r"metrics\[1\]\.value: 0\.99 in place of"),
        (lambda data: data["metrics"][1].update(n=5), r"metrics\[1\]\.n: 5 in place of 6"),
        (lambda data: data["per_query"].pop(), r"states\.judged: \(6,\) bool values for 5 queries"),
        (lambda data: data["per_query"].reverse(), "per_query: the queries are not in order"),
        (lambda data: data["per_query"].append(data["per_query"][-1]), "states.judged: "),
        (
            lambda data: data["per_query"][2].pop("rr"),
            r"per_query\[2\]: its columns are not those of the first row",
        ),
        (lambda data: data["per_query"][2].update(rr="x"), r"per_query\.rr: a value is text"),
        (lambda data: data.pop("policy"), "policy: it is missing"),
        (lambda data: data["policy"].pop("ties"), "policy: a rule is missing"),
        (lambda data: data["policy"].update(ties="coin"), r"ties must be item-desc, .*"),
        (lambda data: data["metrics"][0].pop("metric"), r"metrics\[0\]\.metric: it is missing"),
        (lambda data: data["metrics"][0].update(n="6"), r"metrics\[0\]\.n: expected `int`, got `str`"),
        (lambda data: data["segments"][0].update(queries=-1), r"segments"),
        (lambda data: state(data, "rr").update(n=10**400), r"in place of 0\.0|too large"),
        (
            lambda data: state(data, "rr")["total"].update(shift=10**12),
            r"states\.metrics\.rr\.shift: the number is too large",
        ),
        (
            lambda data: data["states"]["judged"].update(shape=[10**15]),
            r"states\.judged\.shape: .* bytes cannot be in \d+ compressed ones",
        ),
        (
            lambda data: data["states"]["segment"].update(array="|O"),
            r"states\.segment\.array: .* is no kind of number",
        ),
    ],
)
def test_results_that_contradict_themselves_are_refused_with_the_place(change, said, tmp_path):
    path = changed("results.json", tmp_path, change)
    with pytest.raises(
        DataError,
        match=rf"results\.json: this file of results is damaged \(.*{said}.*\); evaluate and save it again\.$",
    ):
        rw.Results.load(path)


@pytest.mark.parametrize(
    "content",
    [b"", b"[" * 100_000, b'{"rankwell": "1", "schema": 1, "metrics": ' + b"[" * 100_000, b'{"schema": 1' + b"0" * 5000, b"{\xff", b'{"schema": NaN}', "{}".encode("utf-16")],
)  # fmt: skip
def test_what_is_no_json_is_refused_by_every_kind(content, tmp_path):
    readers = {
        "results": rw.Results.load, "comparison": rw.Comparison.load, "trend": rw.Trend.load, "watch": rw.Watch.load, "launches": rw.Launches.load, "costs": Costs.load, "growth": Growth.load,
        "simulation": rw.judging.Simulation.load, "key": lambda path: rw.judging.answers(path, SOUND / "answers.jsonl"),
    }  # fmt: skip
    for name, load in readers.items():
        (tmp_path / f"{name}.json").write_bytes(content)
        with pytest.raises(DataError, match=rf"{name}\.json: this is no \w+ .*; "):
            load(tmp_path / f"{name}.json")


def test_results_that_say_more_of_the_judgements_than_their_metrics_ask_are_added_or_refused(tmp_path):
    def change(data):
        for part in paths(data["states"]):
            if part[-2:] == ("conditions", "judgements"):
                inner = data["states"]
                for name in part[:-1]:
                    inner = inner[name]
                inner["judgements"] = ""

    res = rw.Results.load(changed("results.json", tmp_path, change))
    total = res + _renamed(rw.Results.load(SOUND / "results.json"))
    assert total.n["rr"] == 2 * res.n["rr"]


def test_a_parquet_file_that_is_cut_off_is_refused(tmp_path):
    content = (SOUND / "results.parquet").read_bytes()
    for size in (0, 4, 100, len(content) // 2, len(content) - 1):
        (tmp_path / "cut.parquet").write_bytes(content[:size])
        with pytest.raises(
            InputError,
            match=r"cut\.parquet: the (file is empty|Parquet file cannot be read; it is damaged or cut off)",
        ):
            rw.Results.load(tmp_path / "cut.parquet")


def test_one_kind_of_file_is_not_taken_for_another(tmp_path):
    for name, load in (
        ("results.json", rw.Comparison.load),
        ("comparison.json", Costs.load),
        ("costs.json", Growth.load),
    ):
        with pytest.raises(DataError, match=rf"{name}: this is no file of .*; "):
            load(SOUND / name)
    with pytest.raises(
        DataError,
        match=r"costs\.json: this is no file of results; Results.load reads files written by Results.save",
    ):
        rw.Results.load(SOUND / "costs.json")


@pytest.mark.parametrize(
    "words",
    [
        ["gate", "none", "BAD", "--baseline", "GOOD"], ["gate", "none", "GOOD", "--baseline", "BAD"], ["merge", "BAD", "GOOD"], ["merge", "BAD", "-o", "OUT"],
        ["compare", "none", "BAD", "GOOD"], ["diff", "none", "BAD", "GOOD"], ["report", "none", "BAD", "-o", "OUT"], ["plot", "forest", "BAD", "-o", "OUT"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("change", [lambda data: data.pop("policy"), lambda data: data.update(metrics=[{}])])
def test_a_damaged_file_of_results_is_exit_3_in_every_command(words, change, tmp_path, capsys):
    bad = changed("results.json", tmp_path, change)
    places = {"BAD": str(bad), "GOOD": str(SOUND / "results.json"), "OUT": str(tmp_path / "out.html")}
    words = [places.get(word, word) for word in words if not (word == "none" and words[0] != "gate")]
    assert command(words) == 3
    out, err = capsys.readouterr()
    assert not out
    assert err.count("\n") == 1
    assert "results.json: this file of results is damaged (" in err


def test_a_key_that_asks_for_pairs_that_are_not_there_is_refused(tmp_path):
    for change, said in (
        (lambda data: data["tasks"][0].update(pair=99), "tasks: they do not ask for each pair once"),
        (lambda data: data["grades"].reverse(), "grades: this is no scale"),
        (lambda data: data["grades"][0].pop("label"), r"grades\[0\]\.label: it is missing"),
    ):
        path = changed("prompts.key.json", tmp_path, change)
        with pytest.raises(
            DataError,
            match=rf"prompts\.key\.json: this key to requests is damaged \({said}\); write the requests again",
        ):
            rw.judging.answers(path, SOUND / "answers.jsonl")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data.pop("settling"), "settling: it is missing"),
        (lambda data: data.pop("items"), "items: it is missing"),
        (lambda data: data.update(items=5), r"items: expected `array`, got `int`"),
        (lambda data: data.update(aim="gain"), "aim: invalid enum value 'gain'"),
        (lambda data: data.update(budget=-1), "budget: -1 is no count"),
        (lambda data: data.update(budget=3), "items: 4 are more than the budget"),
        (lambda data: data.update(judged=33), "items: 4 are more than the 3 candidates that are not judged"),
        (lambda data: data.update(queries=1), "items: they are of more queries than there are"),
        (lambda data: data.update(method="mct"), "method: .* must be .*mtc"),
        (lambda data: data.update(metric="app"), "metric: .*app"),
        (lambda data: data["runs"].pop(), r"settling\.order: these are not the runs"),
        (lambda data: data["items"][1].pop("item"), r"items\[1\]\.item: it is missing"),
        (
            lambda data: data["items"][1].update(item=None),
            r"items\[1\]\.item: expected `int \| str`, got `null`",
        ),
        (
            lambda data: data["items"][1].update(weight="1"),
            r"items\[1\]\.weight: expected `float`, got `str`",
        ),
        (
            lambda data: data["items"][1].update(weight=math.inf),
            r"items\[1\]\.weight: it is no finite number",
        ),
        (
            lambda data: data["items"].__setitem__(0, data["items"][1]),
            "items: a pair of query and item stands",
        ),
        (lambda data: data["settling"].update(expected=34), r"settling\.expected: 34 in place of 33"),
        (
            lambda data: data["settling"].update(expected_of_pairs=[]),
            r"expected_of_pairs: 0 values for 1 pairs",
        ),
        (lambda data: data["settling"].update(confidence=1.0), r"settling\.confidence: it is not above 0\.5"),
    ],
)
def test_items_to_judge_that_contradict_themselves_are_refused_with_the_place(change, said, tmp_path, capsys):
    path = changed("next.json", tmp_path, change)
    with pytest.raises(
        DataError,
        match=rf"next\.json: this list of items to judge is damaged \(.*{said}.*\); let judging next choose again\.$",
    ):
        use_next(path, None)
    (tmp_path / "items.json").write_text(json.dumps(TEXTS))
    words = ["--items", str(tmp_path / "items.json"), "-o", str(tmp_path / "sheet.html")]
    assert command(["judging", "sheet", str(path), *words]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_a_comparison_whose_differences_are_not_those_of_its_means_is_refused(tmp_path):
    for change, said in (
        (
            lambda data: data["cells"][0]["differences"]["mean"].__setitem__(0, 0.77),
            r"cells\[0\]\.differences\.mean: one is not the difference",
        ),
        (
            lambda data: data["cells"][0]["means"]["mean"].__setitem__(0, 7.5),
            r"cells\[0\]\.means\.mean: one is not from 0 to 1",
        ),
        (lambda data: data["cells"][0]["means"]["n"].pop(), r"cells\[0\]\.means\.n: 1 values in place of 2"),
        (lambda data: data["cells"].pop(), "cells: there is not one for each metric and segment"),
        (lambda data: data["pairs"][0].__setitem__(0, 5), "pairs: a number is that of no system"),
    ):
        path = changed("comparison.json", tmp_path, change)
        with pytest.raises(
            DataError, match=rf"comparison\.json: this file of a comparison is damaged \({said}"
        ):
            rw.Comparison.load(path)
