// The judging sheet: one pair of query and item at a time, graded by keyboard, mouse or touch. All texts of data enter as text.
"use strict";
(() => {
  const { progress, exported } = rankwell;
  const { data } = progress;
  const words = JSON.parse(document.getElementById("sheet-texts").textContent);
  const $ = (name) => document.getElementById(`sheet-${name}`);
  const fill = (text, fields) => text.replace(/\{(\w+)\}/g, (_, name) => String(fields[name]));
  const TOO_SOON = 200; // milliseconds: the second tap of a double tap is no grade for the next item
  let shownAt = 0;
  let shown = -1;

  const grades = data.grades.map(({ grade, label }) => {
    const button = document.createElement("button");
    button.type = "button";
    const number = document.createElement("b");
    number.textContent = grade;
    const name = document.createElement("span");
    name.textContent = label;
    name.dir = "auto";
    button.append(number, name);
    button.setAttribute("aria-keyshortcuts", grade);
    button.addEventListener("click", () => press(() => progress.answer(grade)));
    $("grades").append(button);
    return { grade, button };
  });

  const isOpen = () => progress.state.started && progress.state.at < data.tasks.length;
  const press = (action) => {
    if (performance.now() - shownAt < TOO_SOON) return;
    step(action);
  };
  const step = (action) => {
    action();
    render();
  };
  const put = (name, text) => {
    $(name).textContent = text ?? "";
    $(name).hidden = !text;
  };

  const showTask = (task) => {
    const { query, item } = data.pairs[data.tasks[task].pair];
    const asked = data.queries[query];
    const given = data.items[item];
    put("query-text", asked.text);
    put("query-id", asked.id);
    put("item-title", given.title);
    put("item-text", given.text);
    put("item-id", given.id);
    const picture = $("picture");
    picture.hidden = given.picture === undefined;
    if (picture.hidden) picture.removeAttribute("src");
    else picture.src = data.pictures[given.picture];
    const answer = progress.state.answers[task];
    for (const { grade, button } of grades) button.setAttribute("aria-pressed", String(answer?.grade === grade));
    $("skip").setAttribute("aria-pressed", String(answer !== undefined && answer.grade === null));
    if (document.activeElement !== $("comment") || shown !== task) $("comment").value = progress.state.comments[task] ?? "";
    if (shown !== task) {
      shownAt = performance.now();
      scrollTo(0, 0);
      $("task").focus({ preventScroll: true });
    }
  };

  const render = () => {
    const { state } = progress;
    const counts = progress.counts();
    const isEnd = state.started && state.at >= data.tasks.length;
    $("start").hidden = state.started;
    $("work").hidden = !state.started;
    $("task").hidden = $("bar").hidden = !isOpen();
    $("end").hidden = !isEnd;
    $("guidelines")?.toggleAttribute("hidden", !state.started);
    $("progress").max = counts.all;
    $("progress").value = counts.judged + counts.skipped;
    const said = [fill(words.judged, counts)];
    if (isOpen()) said.unshift(fill(words.at, { at: state.at + 1, all: counts.all }));
    if (counts.skipped) said.push(fill(words.skipped, counts));
    $("status").textContent = said.join(" · ");
    $("undo").disabled = $("undo-end").disabled = state.undo.length === 0;
    $("back").disabled = state.at === 0;
    $("forward").disabled = state.at + 1 > data.tasks.length - 1 && counts.judged + counts.skipped < counts.all;
    $("csv").disabled = counts.judged === 0;
    $("trec").disabled = counts.judged === 0 || !exported.fitsTrec(data);
    $("no-trec").hidden = exported.fitsTrec(data);
    $("to-skipped").hidden = counts.skipped === 0;
    $("who").textContent = state.judge;
    put("end-text", fill(words.end, counts));
    put("notice", progress.isKept ? (progress.isDamaged ? words.damaged : "") : words.not_kept);
    if (isOpen()) showTask(state.at);
    if (isEnd && shown !== state.at) {
      $("files").open = true;
      $("end").focus();
    }
    shown = state.started ? state.at : -1;
  };

  const begin = () => {
    const judge = $("judge").value.trim();
    if (!judge) {
      $("judge").focus();
      $("judge").setAttribute("aria-invalid", "true");
      $("no-judge").hidden = false;
      return;
    }
    step(() => progress.begin(judge));
  };
  // the next judge at this browser: an empty name, and nothing of the one before
  const restart = () => {
    $("sure").close();
    $("judge").value = $("load").value = "";
    put("loaded", "");
    step(progress.reset);
    scrollTo(0, 0);
    $("judge").focus();
  };
  const comment = () => {
    $("comment").focus();
    $("comment").scrollIntoView({ block: "center" });
  };
  const guidelines = () => {
    const box = $("guidelines");
    if (!box) return;
    box.open = !box.open;
    if (box.open) box.scrollIntoView({ block: "start" });
  };
  const forward = () => {
    const isAll = progress.counts().judged + progress.counts().skipped === data.tasks.length;
    progress.go(Math.min(progress.state.at + 1, data.tasks.length - (isAll ? 0 : 1)));
  };
  const back = () => progress.go(progress.state.at - 1);
  const skip = () => progress.answer(null);

  const KEYS = { s: skip, u: progress.undo, Backspace: progress.undo, ArrowLeft: back, ArrowRight: forward };
  // the letter of a key, also under a keyboard of another script; the digit of a key, also where digits need Shift
  const nameOf = (event) => {
    if (/^[a-z]$/i.test(event.key)) return event.key.toLowerCase();
    const [, letter, digit] = /^(?:Key([A-Z])|Digit([0-9]))$/.exec(event.code) ?? [];
    if (/^[0-9]$/.test(event.key)) return event.key;
    return letter?.toLowerCase() ?? (event.shiftKey ? undefined : digit) ?? event.key;
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !progress.state.started || $("sure").open) return;
    if (event.target.matches("input, textarea, select")) {
      if (event.key === "Escape") $("task").focus();
      return;
    }
    const name = nameOf(event);
    if (name === "g") return void (event.repeat || guidelines());
    const isGrade = data.grades.some(({ grade }) => String(grade) === name);
    const isEnd = !isOpen();
    if (!(isGrade || name in KEYS || name === "c") || (isEnd && !["u", "Backspace", "ArrowLeft"].includes(name))) return;
    event.preventDefault();
    if (event.repeat && !name.startsWith("Arrow")) return; // a key that is held down grades once
    if (name === "c") comment();
    else step(isGrade ? () => progress.answer(Number(name)) : KEYS[name]);
  });

  const load = async () => {
    const [file] = $("load").files;
    const taken = file ? progress.take(exported.read(await file.text())) : 0;
    put("loaded", fill(taken ? words.loaded : words.not_loaded, { n: taken }));
    $("judge").value = progress.state.judge;
    render();
  };

  $("load").addEventListener("change", load);
  $("begin").addEventListener("click", begin);
  $("judge").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) begin();
  });
  $("skip").addEventListener("click", () => press(skip));
  for (const name of ["undo", "undo-end"]) $(name).addEventListener("click", () => step(progress.undo));
  $("back").addEventListener("click", () => step(back));
  $("forward").addEventListener("click", () => step(forward));
  $("to-skipped").addEventListener("click", () => step(() => progress.go(progress.firstSkipped())));
  $("comment").addEventListener("input", () => step(() => progress.comment($("comment").value)));
  $("csv").addEventListener("click", exported.csv);
  $("trec").addEventListener("click", exported.trec);
  $("another").addEventListener("click", () => (progress.isAtRisk ? $("sure").showModal() : restart()));
  $("sure-no").addEventListener("click", () => $("sure").close());
  $("sure-yes").addEventListener("click", restart);
  document.addEventListener("sheetchange", () => {
    if (!progress.state.started) $("judge").value = progress.state.judge;
    render();
  });
  $("judge").value = progress.state.judge;
  render();
})();
