// Judgements as files: CSV with everything, and TREC qrels, which hold one grade per pair.
"use strict";
rankwell.exported = (() => {
  const COLUMNS = ["query", "item", "grade", "judge", "time", "order", "is_repeat", "comment"];
  const field = (value) => {
    const text = String(value);
    return /[",\r\n]|^\s|\s$|^#/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (rows) => [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))]
    .map((each) => `${each.map(field).join(",")}\n`).join("");
  const trec = (rows) => rows.filter((row) => !row.is_repeat)
    .map((row) => `${row.query} 0 ${row.item} ${row.grade}\n`).join("");
  const fitsTrec = (data) => [...data.queries, ...data.items].every((each) => !/\s/.test(each.id) && each.id !== "");

  const save = (text, suffix, kind) => {
    const { data, state } = rankwell.progress;
    const judge = state.judge.normalize("NFC").replace(/[^\p{L}\p{N}_-]+/gu, "-").slice(0, 40);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
    link.download = [data.name, judge].filter(Boolean).join("-") + suffix;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    rankwell.progress.exported();
  };
  return {
    csv: () => save(csv(rankwell.progress.rows()), ".csv", "text/csv"),
    trec: () => save(trec(rankwell.progress.rows()), ".qrels", "text/plain"),
    fitsTrec,
  };
})();
