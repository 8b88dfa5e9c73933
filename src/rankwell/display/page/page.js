// The button for light and dark. Other scripts hear "themechange" on the document and ask rankwell.theme().
"use strict";
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const button = document.querySelector("button.theme");
  let printing = false;

  const theme = () => (printing ? "light" : root.dataset.theme || (dark.matches ? "dark" : "light"));
  const changed = () => {
    button.textContent = theme() === "dark" ? button.dataset.light : button.dataset.dark;
    document.dispatchEvent(new Event("themechange"));
  };
  const print = (now) => {
    printing = now;
    changed();
  };

  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    changed();
  });
  dark.addEventListener("change", changed);
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  window.rankwell = { theme };
  changed();
})();
