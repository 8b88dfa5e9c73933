// Draws the specifications of #charts into the figures that name them, when they come near or are printed.
"use strict";
(() => {
  // Vega loses its way among values that are named like what every object has (an item "constructor")
  const renamed = (_key, value) => (typeof value === "string" && value in Object.prototype ? `${value}\u2060` : value);
  const block = (id) => JSON.parse(document.getElementById(id)?.textContent || "{}", renamed);
  const specs = block("charts");
  const themes = block("themes");
  const words = block("texts");
  const ERRORS = 1; // no warnings: that a scale has no values to span is no news to a reader
  const NARROW = 520; // px: below, legends stand under the picture
  const SMALLEST = 0.25; // of the width that a picture was made for; what is still too wide scrolls
  const LARGEST = 2;
  const TALLEST = 190; // px on paper: how high the axes of a picture are
  const shown = new Map(); // figure -> { theme, narrow, view, widths, heights }

  const element = (name, className, text) => {
    const made = document.createElement(name);
    made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // ---- the tooltip: text only, whatever a name holds
  const tip = element("div", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  const tooltip = (_handler, event, _item, value) => {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    tip.replaceChildren();
    const pairs = typeof value === "object" ? Object.entries(value) : [["", value]];
    for (const [name, text] of pairs) {
      tip.append(element("span", "quiet", name), element("span", "", String(text)));
    }
    const room = document.documentElement;
    const left = Math.min(event.clientX + 14, room.clientWidth - tip.offsetWidth - 8);
    const below = event.clientY + 18;
    const top = below + tip.offsetHeight > room.clientHeight ? event.clientY - tip.offsetHeight - 10 : below;
    tip.style.left = `${Math.max(8, left) + scrollX}px`;
    tip.style.top = `${Math.max(8, top) + scrollY}px`;
  };

  addEventListener("keydown", (event) => {
    if (event.key === "Escape") tip.hidden = true;
  });

  // ---- one picture
  const caption = (figure, title) => {
    if (!title || figure.querySelector("figcaption")) return;
    const lines = typeof title === "string" ? { text: title } : title;
    const made = element("figcaption", "");
    made.append(element("strong", "", [lines.text].flat().join(" ")));
    for (const line of [lines.subtitle || []].flat()) made.append(element("span", "quiet", line));
    figure.prepend(made);
  };

  const configured = (theme, narrow) => {
    const config = { ...themes[theme] };
    if (narrow) {
      config.legend = { ...config.legend, orient: "bottom", columns: 1 };
      config.axis = { ...config.axis, labelLimit: 110 };
    }
    return config;
  };
  const oneColumn = (key, value) => (key === "legend" && value?.columns ? { ...value, columns: 1 } : value);

  // what a picture is wide, without its axes and legends, is a signal with a number; one that counts steps has none
  const sizesOf = (spec, size) => {
    const named = new RegExp(`${size}$`, "i");
    const own = (spec.signals || []).filter((each) => named.test(each.name) && typeof each.value === "number");
    const found = new Map(own.map((each) => [each.name, each.value]));
    if (typeof spec[size] === "number") found.set(size, spec[size]);
    return found;
  };

  // the whole is wider by a step of the same size for each step of these widths: two measures tell which
  const fit = async (figure) => {
    const { view, widths, heights } = shown.get(figure);
    const room = figure.querySelector(".drawing").clientWidth - 2; // widths are rounded
    const measured = () => Number(figure.querySelector("svg").getAttribute("width"));
    if (!view || room <= 0) return;
    const most = document.documentElement.matches(".printing") ? TALLEST : Infinity;
    for (const [name, made] of heights) view.signal(name, Math.min(made, most));
    await view.resize().runAsync();
    if (!widths.size) return;
    const [name, made] = widths.entries().next().value;
    let part = view.signal(name) / made;
    let whole = measured();
    let slope = [...widths.values()].reduce((sum, width) => sum + width, 0);
    for (let turn = 0; turn < 2; turn++) {
      const wanted = Math.min(LARGEST, Math.max(SMALLEST, part + (room - whole) / slope));
      if (Math.abs(wanted - part) * slope < 2) return;
      for (const [each, width] of widths) view.signal(each, Math.floor(width * wanted));
      await view.resize().runAsync();
      const now = measured();
      slope = (now - whole) / (wanted - part) || slope;
      [part, whole] = [wanted, now];
    }
  };

  // a picture whose legend is wider than the figure is drawn once more, as in a narrow one
  const draw = async (figure, narrow = figure.clientWidth < NARROW) => {
    const theme = rankwell.theme();
    const before = shown.get(figure);
    if (before && before.theme === theme && before.narrow === narrow) return;
    const now = { theme, narrow, view: before?.view, widths: new Map(), heights: new Map() };
    shown.set(figure, now);
    const drawing = figure.querySelector(".drawing") || figure.appendChild(element("div", "drawing scroll"));
    drawing.dataset.hint = words.wider || "";
    try {
      const { title, ...spec } = specs[figure.dataset.chart];
      caption(figure, title);
      const drawn = narrow ? JSON.parse(JSON.stringify(spec), oneColumn) : spec;
      const made = await vegaEmbed(drawing, drawn, {
        ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip, logLevel: ERRORS, config: configured(theme, narrow),
      });
      before?.view?.finalize();
      now.view = made.view;
      now.widths = sizesOf(made.vgSpec, "width");
      now.heights = sizesOf(made.vgSpec, "height");
      await fit(figure);
      if (!narrow && drawing.scrollWidth > drawing.clientWidth + 1) await draw(figure, true);
    } catch (error) {
      drawing.replaceChildren(element("p", "failed", (words.failed || "{error}").replace("{error}", () => error.message)));
    }
    figure.classList.add("drawn");
  };

  // ---- all of them
  const figures = [...document.querySelectorAll("figure.chart[data-chart]")];
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) draw(target);
      }
    },
    { rootMargin: "600px" },
  );
  const again = () => {
    for (const [figure, { narrow }] of shown) draw(figure, narrow);
  };
  let waiting = 0;
  const resized = new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      for (const [figure, { view }] of shown) {
        if (view) draw(figure).then(() => fit(figure));
      }
    }, 150);
  });
  for (const figure of figures) {
    near.observe(figure);
    resized.observe(figure);
  }
  document.addEventListener("themechange", again);
  // nothing in a picture waits for the network or a clock, so all are there when this event has been handled
  for (const when of ["beforeprint", "afterprint"]) {
    addEventListener(when, () => {
      document.documentElement.classList.toggle("printing", when === "beforeprint");
      for (const figure of figures) draw(figure).then(() => fit(figure));
    });
  }
})();
