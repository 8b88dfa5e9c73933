// Judgements as files: CSV with everything, which can be read again, and TREC qrels, which hold one grade per pair.
"use strict";
rankwell.exported = (() => {
  const COLUMNS = ["query", "item", "grade", "judge", "time", "order", "is_repeat", "comment"];
  const field = (value) => {
    const text = String(value);
    return /[",\r\n]|^\s|\s$|^#/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (rows) => [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))]
    .map((each) => `${each.map(field).join(",")}\n`).join("");
  // what a CSV file holds, by the names in its first row
  const read = (text) => {
    const lines = [[""]];
    let isQuoted = false;
    for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length; at += 1) {
      const sign = text[at];
      const line = lines.at(-1);
      if (isQuoted && sign === '"' && text[at + 1] === '"') {
        line.push(`${line.pop()}"`);
        at += 1;
      } else if (sign === '"') isQuoted = !isQuoted;
      else if (!isQuoted && sign === ",") line.push("");
      else if (!isQuoted && sign === "\n") lines.push([""]);
      else if (isQuoted || sign !== "\r") line.push(line.pop() + sign);
    }
    const [names, ...rows] = lines;
    return rows.filter((row) => row.length === names.length)
      .map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
  };
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
    read,
  };
})();
