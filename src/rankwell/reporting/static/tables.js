// Tables that are sorted by their headers (class "sortable"), filtered (data-filter) and shown in part (data-columns).
"use strict";
(() => {
  const words = JSON.parse(document.getElementById("texts")?.textContent || "{}");
  const order = new Intl.Collator(document.documentElement.lang, { numeric: true, sensitivity: "base" });
  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const headsOf = (table) => [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const rowsOf = (table) => [...table.tBodies].flatMap((body) => [...body.rows]);

  // ---- sorting: numbers by the value behind what is shown, undefined last in both directions
  const keyOf = (row, at) => {
    const cell = row.cells[at];
    const data = cell?.querySelector("data");
    if (!data) return cell?.textContent.trim() ?? "";
    const number = Number.parseFloat(data.value.replace("inf", "Infinity"));
    return Number.isNaN(number) ? null : number;
  };
  const isUndefined = (key) => key === null || key === "" || key === "–";
  const compare = (one, other) =>
    typeof one === "number" && typeof other === "number" ? one - other : order.compare(String(one), String(other));

  const sort = (table, at, direction) => {
    const sign = direction === "ascending" ? 1 : -1;
    for (const body of table.tBodies) {
      const keyed = [...body.rows].map((row) => [keyOf(row, at), row]);
      keyed.sort(([one], [other]) => {
        const last = isUndefined(one) - isUndefined(other);
        return last || (isUndefined(one) ? 0 : sign * compare(one, other));
      });
      body.append(...keyed.map(([, row]) => row));
    }
    headsOf(table).forEach((head, place) => {
      if (place === at) head.setAttribute("aria-sort", direction);
      else head.removeAttribute("aria-sort");
    });
  };

  const sortable = (table) => {
    headsOf(table).forEach((head, at) => {
      if (!head.textContent.trim()) return;
      const own = [...head.childNodes].filter((each) => !each.classList?.contains("plain")); // which is read beside the name, not as it
      const button = element("button", { type: "button", className: "sort" }, ...own);
      head.prepend(button);
      const isNumber = head.matches(".value, .count") && head.dataset.better !== "lower";
      button.addEventListener("click", () => {
        const first = isNumber ? "descending" : "ascending";
        const now = head.getAttribute("aria-sort");
        sort(table, at, now === null ? first : now === "ascending" ? "descending" : "ascending");
      });
    });
  };

  // ---- what stands above a table
  const toolsOf = (table) => {
    const box = table.closest(".scroll") || table;
    const there = box.previousElementSibling;
    if (there?.matches(".tools")) return there;
    const tools = element("div", { className: "tools" });
    box.before(tools);
    return tools;
  };

  const filtered = (table) => {
    const input = element("input", { type: "search", autocomplete: "off", spellcheck: false });
    const label = element("label", { className: "filter" }, table.dataset.filter || words.filter || "", " ", input);
    const said = element("output", { className: "quiet" });
    toolsOf(table).append(label, said);
    const plain = (text) => text.normalize("NFKC").toLocaleLowerCase();
    input.addEventListener("input", () => {
      const wanted = plain(input.value).split(/\s+/).filter(Boolean);
      const rows = rowsOf(table);
      for (const row of rows) {
        const text = plain(row.textContent);
        row.hidden = !wanted.every((word) => text.includes(word));
      }
      const left = rows.filter((row) => !row.hidden).length;
      const fields = { "{shown}": left.toLocaleString(), "{all}": rows.length.toLocaleString() };
      said.textContent = wanted.length ? (words.rows || "").replace(/\{\w+\}/g, (field) => fields[field]) : "";
    });
  };

  // ---- a column is chosen by its header, or with others by the data-metric that they share; the first one stays
  const chosen = (table) => {
    const heads = headsOf(table);
    const groups = new Map();
    heads.forEach((head, at) => {
      const name = head.dataset.metric || head.textContent.trim();
      if (at > 0) groups.set(name, [...(groups.get(name) || []), at]);
    });
    const list = element("fieldset", {});
    list.append(element("legend", { className: "unseen" }, words.columns || ""));
    for (const [name, places] of groups) {
      const box = element("input", { type: "checkbox", checked: !heads[places[0]].hidden });
      list.append(element("label", {}, box, " ", name));
      box.addEventListener("change", () => {
        for (const row of [table.tHead.rows[table.tHead.rows.length - 1], ...rowsOf(table)]) {
          for (const at of places) row.cells[at].hidden = !box.checked;
        }
      });
    }
    toolsOf(table).append(element("details", { className: "columns" }, element("summary", {}, words.columns || ""), list));
  };

  document.querySelectorAll("table[data-filter]").forEach(filtered);
  document.querySelectorAll("table[data-columns]").forEach(chosen);
  document.querySelectorAll("table.sortable").forEach(sortable);
})();
