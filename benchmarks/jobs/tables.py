"""Recommendations in Parquet, CSV and NDJSON, and as arrays in memory."""

from __future__ import annotations

from dataclasses import replace

from harness import Command
from workload import Maker, Setting, Workload, at_least, at_most, faster_than

from jobs.commands import FIVE_AT_10, by_hand, evaluate, in_sql, in_sql_checked, polars

NDCG = "RecTools divides by a list whose 10 places are all relevant (its divide_by_achievable=False)"


def rectools(setting: Setting, truth: str, rec: str, **given: object) -> Command:
    return setting.peer("rectools", "peer_tables.py", f"{{data}}/{truth}", f"{{data}}/{rec}", **given)


def w3(setting: Setting) -> Workload:
    setting.data("w3")
    files = truth, rec = "w3_truth.parquet", "w3_rec.parquet"
    alike = rectools(setting, truth, rec, label=", divide_by_achievable=True")
    usual, sql = rectools(setting, truth, rec), in_sql(setting, truth, rec)
    return Workload(
        "Parquet, 1,000,000 users × 20",
        evaluate(setting, truth, [rec], FIVE_AT_10),
        (usual, *by_hand(setting, truth, rec)),
        polars(setting, rec, truth),
        (replace(alike, argv=(*alike.argv, "--achievable")),),
        files,
        (faster_than(usual, 22), faster_than(sql, 2.2), at_least("share", 0.65), at_most("peak", 0.40)),
        {"ndcg@10": NDCG},
    )


def w3_shuffled(setting: Setting) -> Workload:
    setting.data("w3", "w3_shuffled")
    files = truth, rec = "w3_truth_shuffled.parquet", "w3_rec_shuffled.parquet"
    usual, sql = rectools(setting, truth, rec), in_sql(setting, truth, rec)
    checked = in_sql_checked(setting, truth, rec)
    return Workload(
        "the same rows in random order",
        evaluate(setting, truth, [rec], FIVE_AT_10),
        (usual, *by_hand(setting, truth, rec)),
        polars(setting, rec, truth),
        (in_order(setting),),
        files,
        (faster_than(usual, 5), faster_than(sql, 0.65), faster_than(checked, 1.8), at_most("peak", 0.93)),
        {"ndcg@10": NDCG},
    )


def in_order(setting: Setting) -> Command:
    """W3 itself, whose values are those of RecTools: run once, for its values."""
    return evaluate(
        setting, "w3_truth.parquet", ["w3_rec.parquet"], FIVE_AT_10, label="Parquet with rows in order"
    )


def arrays(setting: Setting) -> Workload:
    setting.data("w3")
    files = ("{data}/w3_truth.parquet", "{data}/w3_rec.parquet")
    peer = rectools(setting, "w3_truth.parquet", "w3_rec.parquet", label=", calc_metrics", clock="evaluate")
    return Workload(
        "the same as arrays in memory, judgements prepared",
        Command("rankwell", setting.script("ours_arrays.py", *files), clock="evaluate"),
        (peer,),
        bars=(at_least("ratio", 50),),
        known={"ndcg@10": NDCG},
        repeats=3,
    )


def csv(setting: Setting) -> Workload:
    setting.data("w3", "w3_csv")
    return Workload(
        "CSV, 1,000,000 users × 20",
        evaluate(setting, "w3_truth.parquet", ["w3_rec.csv"], FIVE_AT_10),
        (in_sql(setting, "w3_truth.parquet", "w3_rec.csv"),),
        limit=polars(setting, "w3_rec.csv", "w3_truth.parquet"),
        checks=(in_order(setting),),
        inputs=("w3_rec.csv",),
        bars=(at_most("times_limit", 2), at_most("memory", 1)),
    )


def ndjson(setting: Setting) -> Workload:
    setting.data("w3", "w3_few")
    return Workload(
        "NDJSON, 200,000 users × 20",
        evaluate(setting, "w3_few_truth.parquet", ["w3_few_rec.ndjson"], FIVE_AT_10),
        limit=polars(setting, "w3_few_rec.ndjson", "w3_few_truth.parquet"),
        checks=(
            evaluate(setting, "w3_few_truth.parquet", ["w3_few_rec.parquet"], FIVE_AT_10, label="Parquet"),
        ),
        inputs=("w3_few_rec.ndjson",),
    )


def formats(setting: Setting, name: str, reader: str) -> Workload:
    """Reading a run of 2,000,000 rows into columns, beside the fastest public reader of the format that we know."""
    setting.data("w1", "formats")
    path = f"{{data}}/formats/{name}"
    return Workload(
        f"reading {name}, 2,000,000 rows",
        Command("rankwell", setting.script("ours_format.py", path), clock="read"),
        (replace(setting.peer("readers", "peer_format.py", reader, path, clock="read"), label=reader),),
        inputs=(f"formats/{name}",),
    )


# file: public reader
READERS = {
    "run.trec": "polars (blanks)",
    "run.csv": "polars.read_csv",
    "run.tsv": "polars.read_csv",
    "run.parquet": "polars.read_parquet",
    "run.arrow": "polars.read_ipc",
    "run.jsonl": "polars.read_ndjson",
    "run.json": "orjson",
    "run.dat": "pandas (python engine)",
    "run.trec.gz": "polars (blanks)",
    "run.trec.zst": "polars (blanks)",
}


def reading(name: str, reader: str) -> Maker:
    return lambda setting: formats(setting, name, reader)


WORKLOADS: dict[str, Maker] = {
    "w3": w3,
    "w3_shuffled": w3_shuffled,
    "arrays": arrays,
    "csv": csv,
    "ndjson": ndjson,
}
FORMATS: dict[str, Maker] = {
    name.replace("run.", "read_").replace(".", "_"): reading(name, reader) for name, reader in READERS.items()
}
