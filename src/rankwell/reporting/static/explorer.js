// The query explorer: shows, searches, sorts and filters what the data say; every decision was made before.
"use strict";
(() => {
  const app = document.getElementById("explorer-app");
  if (!app) return;
  const data = JSON.parse(document.getElementById("explorer-data").textContent);
  const words = JSON.parse(document.getElementById("explorer-words").textContent);
  const part = (name) => app.querySelector(`[data-part="${name}"]`);
  const UNDEFINED = "–";
  const isLower = data.better === "lower";
  const hasBetter = data.better !== "neither";

  // ---------------------------------------------------------------------------------------------- words and numbers
  const plain = (n) => n.toLocaleString("en-US");
  const say = (key, fields = {}) =>
    words[key].replace(/\{(\w+)(:,)?\}/g, (_, name, many) => (many ? plain(fields[name]) : fields[name]));
  /** A number as the rest of the page has it: rounded half to even, and never to a whole one that it is not. */
  const number = (value, digits = 4) => {
    if (value === null) return UNDEFINED;
    if (typeof value === "string") return value.replace("inf", "∞");
    if (Math.abs(value) >= 1e15) return value.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");
    let text = value.toFixed(digits);
    const isTie = value % 2 ** -digits !== 0 && value % 2 ** -(digits + 1) === 0; // toFixed rounds it away from 0
    if (isTie && "13579".includes(text.at(-1))) text = value.toFixed(digits + 1).slice(0, -1);
    if (Number(text) === 0) text = (0).toFixed(digits);
    const near = Number(text);
    if (near === value || ![-1, 0, 1].includes(near)) return text;
    const step = 10 ** -digits;
    return value > near ? `<${(near + step).toFixed(digits)}` : `>${(near - step).toFixed(digits)}`;
  };
  const signed = (value) => (value > 0 && /^\d/.test(number(value)) ? `+${number(value)}` : number(value));

  // ------------------------------------------------------------------------------------------------------- elements
  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  const bdi = (text, kind) => element("bdi", kind ? { class: kind } : {}, text);
  const quietly = (text) => element("span", { class: "hidden" }, text);
  const options = (select, pairs, chosen) => {
    select.replaceChildren(...pairs.map(([value, text]) => element("option", { value }, text)));
    select.value = chosen;
  };

  // ---------------------------------------------------------------------------------------------------------- state
  const NONE = "none";
  const WIDE = 10; // a value from which on it needs more room
  const SHORT = 9; // characters of an id that stands beside its values
  const state = { a: data.first[0], b: data.first.length > 1 ? data.first[1] : null, show: "every", sort: "difference", search: "", query: null };
  /** The pair of the two systems; ``turned`` if it is kept with A and B in the other order. */
  const pairOf = () => {
    if (state.b === null || state.a === state.b) return null;
    const turned = state.a > state.b;
    const [a, b] = turned ? [state.b, state.a] : [state.a, state.b];
    return { ...data.pairs.find((pair) => pair.a === a && pair.b === b), turned };
  };
  const turn = (value, turned) => (value === null || value === undefined || !turned ? value : -value);
  const valuesOf = (at) => {
    const pair = pairOf();
    return {
      a: data.queries[at].values[state.a],
      b: state.b === null ? null : data.queries[at].values[state.b],
      delta: pair ? turn(pair.deltas[at], pair.turned) : null,
      outcome: pair ? turn(pair.outcomes[at], pair.turned) : null,
    };
  };
  const searched = data.queries.map((query) => `${query.id} ${query.text ?? ""}`.normalize().toLowerCase());
  const hasUnjudged = (at) =>
    [state.a, state.b].some((system) => system !== null && data.queries[at].lists?.[system].found[1] > 0);
  const FILTERS = {
    every: () => true,
    better: (at) => valuesOf(at).outcome === 1,
    worse: (at) => valuesOf(at).outcome === -1,
    tied: (at) => valuesOf(at).outcome === 0,
    unjudged: hasUnjudged,
    undefined: (at) => valuesOf(at).a === null || (state.b !== null && valuesOf(at).b === null),
  };
  const least = (key, sign = 1) => (left, right) => {
    const [x, y] = [key(left), key(right)];
    if (x === null || y === null) return (x === null) - (y === null);
    return sign * (x < y ? -1 : x > y ? 1 : 0);
  };
  const size = (at) => (valuesOf(at).delta === null ? null : Math.abs(valuesOf(at).delta));
  const SORTS = {
    difference: least(size, -1),
    gains: least((at) => valuesOf(at).delta, isLower ? 1 : -1),
    losses: least((at) => valuesOf(at).delta, isLower ? -1 : 1),
    a_high: least((at) => valuesOf(at).a, -1),
    a_low: least((at) => valuesOf(at).a),
    b_high: least((at) => valuesOf(at).b, -1),
    b_low: least((at) => valuesOf(at).b),
    id: () => 0,
  };
  const listed = () =>
    data.queries.map((_, at) => at)
      .filter((at) => searched[at].includes(state.search) && FILTERS[state.show](at))
      .sort(SORTS[state.sort]);

  // ------------------------------------------------------------------------------------------------------- controls
  const word = (key) => words[hasBetter || !(`${key}_plain` in words) ? key : `${key}_plain`];
  const drawControls = () => {
    const systems = data.systems.map((name, at) => [String(at), name]);
    options(part("a"), systems, String(state.a));
    const others = systems.filter(([at]) => at !== String(state.a));
    if (part("b")) options(part("b"), [...others, [NONE, words.none]], state.b === null ? NONE : String(state.b));
    const isPair = state.b !== null;
    const show = ["every", ...(isPair ? ["better", "worse", "tied"] : []), ...(data.kind === "judgements" ? ["unjudged"] : [])];
    if (data.queries.some((query) => query.values.includes(null))) show.push("undefined");
    if (!show.includes(state.show)) state.show = "every";
    options(part("show"), show.map((key) => [key, word(`show_${key}`)]), state.show);
    const sort = isPair ? Object.keys(SORTS) : ["a_high", "a_low", "id"];
    if (!sort.includes(state.sort)) state.sort = sort[0];
    options(part("sort"), sort.map((key) => [key, isPair ? word(`sort_${key}`) : words[`sort_${key}`].replace("A: ", "")]), state.sort);
    app.classList.toggle("alone", !isPair);
    const isWide = data.queries.some((query) => query.values.some((value) => Math.abs(value ?? 0) >= WIDE));
    app.classList.toggle("wide", isWide);
    app.classList.toggle("long", isWide || data.queries.some((query) => query.id.length > SHORT));
    const head = [words.query, ...(isPair ? ["A", "B", "B − A"] : [data.metric])];
    part("head").replaceChildren(...head.map((text) => element("span", {}, text)));
  };
  const difference = ({ delta, outcome }, isTold = false) => {
    if (delta === null) return element("span", {}, UNDEFINED, isTold ? `: ${words.unknown}` : "");
    const kind = !hasBetter || outcome === 0 ? "" : outcome === 1 ? "up" : "down";
    const sign = outcome === 0 ? "=" : outcome === 1 ? "▲" : "▼";
    const told = word(outcome === 0 ? "tied" : outcome === 1 ? "better" : "worse");
    const shown = element("span", { class: kind || null }, element("span", { "aria-hidden": "true" }, `${sign} `), signed(delta));
    return element("span", {}, shown, isTold ? `: ${told}` : quietly(`, ${told}`));
  };
  const drawQueries = () => {
    const rows = listed();
    const box = part("queries");
    box.replaceChildren(...rows.map((at) => {
      const query = data.queries[at];
      const values = valuesOf(at);
      return element(
        "div", { class: "explorer-query", role: "option", id: `explorer-query-${at}`, "aria-selected": "false" },
        bdi(query.id),
        element("span", {}, quietly(", A "), number(values.a)),
        ...(state.b === null ? [] : [element("span", {}, quietly(", B "), number(values.b)), difference(values)]),
        query.text ? element("span", { class: "text", dir: "auto" }, query.text) : null,
      );
    }));
    part("count").textContent = rows.length ? say("count", { n: rows.length, all: data.queries.length }) : words.nothing;
    choose(rows.includes(state.query) ? state.query : rows.length ? rows[0] : null);
  };
  const choose = (at) => {
    state.query = at;
    const box = part("queries");
    box.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    const row = at === null ? null : document.getElementById(`explorer-query-${at}`);
    if (row) {
      row.setAttribute("aria-selected", "true");
      box.setAttribute("aria-activedescendant", row.id);
      const [above, below] = [row.offsetTop, row.offsetTop + row.offsetHeight];
      if (above < box.scrollTop) box.scrollTop = above;
      if (below > box.scrollTop + box.clientHeight) box.scrollTop = below - box.clientHeight;
    } else box.removeAttribute("aria-activedescendant");
    drawDetail();
  };

  // --------------------------------------------------------------------------------------------------------- detail
  const grade = (place) => {
    if (place === null) return element("span", { class: "grade grade-none" }, UNDEFINED, quietly(` ${words.unjudged}`));
    const { text, level } = data.grades[place];
    return element("span", { class: `grade grade-${level}` }, text, quietly(level ? ` ${words.relevant}` : ` ${words.irrelevant}`));
  };
  const move = (rise, isFirst) => {
    if (rise === null) return element("span", { class: "moved" }, words[isFirst ? "gone" : "new"]);
    const [sign, told] = rise === 0 ? ["=", words.same] : rise > 0 ? ["▲", words.up] : ["▼", words.down];
    const kind = rise > 0 ? "up" : rise < 0 ? "down" : null;
    return element("span", { class: kind }, element("span", { "aria-hidden": "true" }, sign), quietly(`${told} `), rise ? plain(Math.abs(rise)) : "");
  };
  const item = (place) => {
    const { id, text, picture, address } = data.items[place];
    return element(
      "td", { class: "explorer-item" },
      picture === undefined ? null : element("img", { src: data.pictures[picture], alt: "" }),
      text ? bdi(text, "text") : null,
      bdi(id, text ? "id" : null),
      address ? element("span", { class: "text id", dir: "ltr" }, address) : null,
    );
  };
  const caption = (system, letter, own) => {
    const [relevant, unjudged, all] = own.found;
    const told = data.has_grades ? say("found", { relevant, all, top: data.cut ?? own.retrieved }) : "";
    const open = data.kind === "judgements" && data.has_grades ? say("open", { n: unjudged }) : "";
    return element("caption", {}, `${letter}: `, bdi(data.systems[system]), element("small", {}, [told, open].filter(Boolean).join(" · ")));
  };
  const list = (at, system, letter, moves) => {
    const own = data.queries[at].lists[system];
    const box = element("div", { class: "explorer-list" });
    if (!own.rows.length) {
      box.append(element("p", {}, element("strong", {}, `${letter}: `, bdi(data.systems[system]))), element("p", {}, words.no_list));
      return box;
    }
    const hasScores = own.rows.some((row) => row[3] !== null);
    const columns = [
      [words.rank, "count"], [words.item, "item"],
      ...(data.has_grades ? [[words.grade, "grade-of"]] : []),
      ...(data.is_additive ? [[words.adds, "value"]] : []),
      ...(hasScores ? [[words.score, "value score"]] : []),
      ...(moves ? [[letter === "A" ? words.in_b : words.from_a, "move"]] : []),
    ];
    const head = element("tr", {}, ...columns.map(([text, kind]) => element("th", { scope: "col", class: kind }, text)));
    const body = own.rows.map(([rank, place, level, score, adds], row) =>
      element(
        "tr", { "data-item": place },
        element("td", { class: "count" }, plain(rank)),
        item(place),
        data.has_grades ? element("td", { class: "grade-of" }, grade(level)) : null,
        data.is_additive ? element("td", { class: "value" }, adds ? number(adds) : "") : null,
        hasScores ? element("td", { class: "value score quiet" }, number(score, own.digits)) : null,
        moves ? element("td", { class: "move" }, move(moves[row], letter === "A")) : null,
      ));
    box.append(element("table", {}, caption(system, letter, own), element("thead", {}, head), element("tbody", {}, ...body)));
    if (own.retrieved > own.rows.length) box.append(element("p", { class: "quiet" }, say("shown", { n: own.rows.length, all: own.retrieved })));
    return box;
  };
  const legend = () => {
    const parts = [];
    if (data.has_grades) {
      parts.push(`${words.grade}: `);
      data.grades.forEach((each, place) => parts.push(grade(place), " "));
      parts.push(`(${words.legend_grades}) `, grade(null), ` ${words.unjudged}. `);
    }
    if (data.is_additive) parts.push(say("legend_adds", { metric: data.metric }), " ");
    else parts.push(say("legend_none", { metric: data.metric }), " ");
    if (pairOf()) parts.push(words.legend_moves);
    return element("p", { class: "explorer-legend" }, ...parts);
  };
  const drawDetail = () => {
    const box = part("detail");
    if (state.query === null) return box.replaceChildren();
    const at = state.query;
    const query = data.queries[at];
    const values = valuesOf(at);
    const systems = [["A", state.a, values.a], ...(state.b === null ? [] : [["B", state.b, values.b]])];
    const told = element("p", { class: "values" }, `${data.metric}: `);
    systems.forEach(([letter, system, value], n) =>
      told.append(n ? ", " : "", state.b === null ? "" : `${letter} `, element("strong", {}, number(value)), " (", bdi(data.systems[system]), ")"));
    if (pairOf()) told.append(", B − A ", difference(values, true));
    const back = element("button", { type: "button", class: "explorer-back" }, words.back);
    back.addEventListener("click", () => { part("queries").focus(); part("queries").scrollIntoView({ block: "center" }); });
    const pair = pairOf();
    const moves = pair?.moves?.[at];
    const [ofA, ofB] = moves ? (pair.turned ? [moves[1], moves[0]] : moves) : [null, null];
    const turned = (own) => own?.map((rise) => turn(rise, pair.turned));
    const lists = "items" in data
      ? element("div", { class: "explorer-lists" }, list(at, state.a, "A", turned(ofA)), state.b === null ? null : list(at, state.b, "B", turned(ofB)))
      : element("p", {}, words.values_only);
    box.replaceChildren(back, element("h3", {}, bdi(query.id)), ...(query.text ? [element("p", { dir: "auto" }, query.text)] : []), told, lists, ...("items" in data ? [legend()] : []));
  };

  // --------------------------------------------------------------------------------------------------------- events
  const redraw = () => { drawControls(); drawQueries(); };
  const onChange = (name, change) => part(name)?.addEventListener("change", (event) => { change(event.target.value); redraw(); });
  onChange("a", (value) => {
    const before = state.a;
    state.a = Number(value);
    if (state.b === state.a) state.b = before;
  });
  onChange("b", (value) => { state.b = value === NONE ? null : Number(value); });
  onChange("show", (value) => { state.show = value; });
  onChange("sort", (value) => { state.sort = value; });
  part("search").addEventListener("input", (event) => {
    state.search = event.target.value.trim().normalize().toLowerCase();
    drawQueries();
  });
  part("controls").addEventListener("submit", (event) => event.preventDefault());
  const numberOf = (row) => Number(row.id.replace("explorer-query-", ""));
  part("queries").addEventListener("click", (event) => {
    const row = event.target.closest(".explorer-query");
    if (!row) return;
    choose(numberOf(row));
    if (matchMedia("(max-width: 52rem)").matches) part("detail").scrollIntoView({ block: "start" });
  });
  part("queries").addEventListener("keydown", (event) => {
    const rows = [...part("queries").children];
    if (!rows.length) return;
    if (event.key === "Enter") return part("detail").focus();
    const now = rows.findIndex((row) => row.getAttribute("aria-selected") === "true");
    const steps = { ArrowDown: now + 1, ArrowUp: now - 1, PageDown: now + 10, PageUp: now - 10, Home: 0, End: rows.length - 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    choose(numberOf(rows[Math.min(Math.max(steps[event.key], 0), rows.length - 1)]));
  });
  const mark = (event) => {
    const place = event.target.closest?.("tr[data-item]")?.dataset.item;
    app.querySelectorAll("tr[data-item]").forEach((row) => row.classList.toggle("same", row.dataset.item === place));
  };
  part("detail").addEventListener("mouseover", mark);
  part("detail").addEventListener("mouseleave", mark);
  app.hidden = false;
  redraw();
})();
