// What a judge has done on this sheet: answers, comments and what can be undone, kept in the browser after every step.
"use strict";
rankwell.progress = (() => {
  const data = JSON.parse(document.getElementById("sheet-data").textContent);
  const key = `rankwell.sheet.${data.key}`;
  const MOST_UNDONE = 1000;
  const blank = () => ({ judge: "", started: false, at: 0, count: 0, answers: {}, comments: {}, undo: [], isExported: true });
  let state = blank();
  let isKept = true;
  let isDamaged = false;

  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isTask = (value) => Number.isInteger(value) && value >= 0 && value < data.tasks.length;
  const isAnswer = (value) =>
    isObject(value) && (value.grade === null || data.grades.some((each) => each.grade === value.grade)) &&
    typeof value.time === "string" && Number.isInteger(value.order);
  const isState = (value) =>
    isObject(value) && typeof value.judge === "string" && typeof value.started === "boolean" &&
    (isTask(value.at) || value.at === data.tasks.length) && Number.isInteger(value.count) &&
    isObject(value.answers) && isObject(value.comments) && Array.isArray(value.undo) &&
    Object.keys({ ...value.answers, ...value.comments }).every((each) => isTask(Number(each))) &&
    Object.values(value.answers).every(isAnswer) && Object.values(value.comments).every((each) => typeof each === "string") &&
    value.undo.every((each) => isObject(each) && isTask(each.task) && (each.before === null || isAnswer(each.before)));

  const taken = (text) => {
    try {
      const found = JSON.parse(text);
      if (!isState(found)) return false;
      state = found;
      return true;
    } catch {
      return false;
    }
  };
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify(state));
      isKept = true;
    } catch { // forbidden, or full
      isKept = false;
    }
  };
  try {
    const text = localStorage.getItem(key);
    if (text !== null && !taken(text)) {
      isDamaged = true;
      localStorage.setItem(`${key}.damaged`, text); // nothing that somebody did is thrown away
      localStorage.setItem(key, JSON.stringify(state));
    }
    // a browser that keeps nothing is noticed before the first grade; under a key of its own, since what the page
    // before wrote may arrive after this one has read, and a blank state would erase it
    localStorage.setItem(`${key}.probe`, "");
    localStorage.removeItem(`${key}.probe`);
  } catch {
    isKept = false;
  }

  const isDone = (task) => task in state.answers;
  const after = (task) => {
    for (let step = 1; step <= data.tasks.length; step += 1) {
      const next = (task + step) % data.tasks.length;
      if (!isDone(next)) return next;
    }
    return data.tasks.length;
  };
  const changed = () => {
    state.isExported = false;
    keep();
  };

  addEventListener("beforeunload", (event) => {
    if (!isKept && !state.isExported) event.preventDefault();
  });
  // the same sheet in another tab: its last step is the last step of both
  addEventListener("storage", (event) => {
    if (event.key === key && event.newValue !== null && taken(event.newValue)) document.dispatchEvent(new Event("sheetchange"));
  });

  return {
    data,
    get state() { return state; },
    get isKept() { return isKept; },
    get isDamaged() { return isDamaged; },
    // goes on with what arrived since this page was opened, if anything did
    begin(judge) {
      const text = isKept ? localStorage.getItem(key) : null;
      if (text !== null && taken(text) && state.started) return;
      Object.assign(state, { judge, started: true });
      keep();
    },
    answer(grade) {
      const task = state.at;
      state.undo.push({ task, before: state.answers[task] ?? null });
      state.undo.splice(0, Math.max(0, state.undo.length - MOST_UNDONE));
      state.count += 1;
      state.answers[task] = { grade, time: new Date().toISOString(), order: state.count };
      state.at = after(task);
      changed();
    },
    undo() {
      const last = state.undo.pop();
      if (last === undefined) return;
      if (last.before === null) delete state.answers[last.task];
      else state.answers[last.task] = last.before;
      state.count -= 1;
      state.at = last.task;
      changed();
    },
    comment(text) {
      if (text) state.comments[state.at] = text;
      else delete state.comments[state.at];
      changed();
    },
    go(task) {
      state.at = Math.min(Math.max(task, 0), data.tasks.length);
      keep();
    },
    counts() {
      const answers = Object.values(state.answers);
      const skipped = answers.filter((each) => each.grade === null).length;
      return { all: data.tasks.length, judged: answers.length - skipped, skipped };
    },
    firstSkipped() {
      return data.tasks.findIndex((_, task) => isDone(task) && state.answers[task].grade === null);
    },
    // what was judged, in the order of judging; a repeat of what was skipped at first is no repeat
    rows() {
      const firsts = new Set(data.tasks.flatMap(({ pair, is_repeat }, task) =>
        !is_repeat && isDone(task) && state.answers[task].grade !== null ? [pair] : []));
      return Object.entries(state.answers)
        .filter(([, answer]) => answer.grade !== null)
        .sort(([, one], [, other]) => one.order - other.order)
        .map(([task, answer]) => {
          const { pair, is_repeat } = data.tasks[task];
          const { query, item } = data.pairs[pair];
          return {
            query: data.queries[query].id, item: data.items[item].id, grade: answer.grade, judge: state.judge,
            time: answer.time, order: answer.order, is_repeat: is_repeat && firsts.has(pair), comment: state.comments[task] ?? "",
          };
        });
    },
    // take what was exported before, and return how much of it is of this sheet
    take(rows) {
      const nameOf = (query, item, is_repeat) => JSON.stringify([query, item, is_repeat]);
      const numbers = new Map(data.tasks.map(({ pair, is_repeat }, task) => {
        const { query, item } = data.pairs[pair];
        return [nameOf(data.queries[query].id, data.items[item].id, is_repeat), task];
      }));
      const found = rows
        .map((row) => ({
          row,
          task: numbers.get(nameOf(row.query, row.item, row.is_repeat?.toLowerCase() === "true")),
          answer: { grade: row.grade ? Number(row.grade) : NaN, time: row.time, order: Number(row.order) },
        }))
        .filter(({ task, answer }) => task !== undefined && isAnswer(answer));
      for (const { row, task, answer } of found) {
        state.answers[task] = answer;
        if (row.comment) state.comments[task] = row.comment;
        state.count = Math.max(state.count, answer.order);
        state.judge = row.judge || state.judge;
      }
      if (found.length > 0) {
        state.at = after(data.tasks.length - 1);
        keep();
      }
      return found.length;
    },
    exported() {
      state.isExported = true;
      keep();
    },
    // what is lost if it is thrown away now; of progress kept by an older sheet it is not known whether it was downloaded
    get isAtRisk() {
      return !state.isExported && Object.keys({ ...state.answers, ...state.comments }).length > 0;
    },
    reset() {
      state = blank();
      isDamaged = false;
      keep();
    },
  };
})();
