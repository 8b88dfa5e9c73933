// The copy button copies what one types: no prompts, and nothing that was printed.
const typed = {
  ">>>": /^>>> .*(\n\.\.\.( .*)?$)*/gm,
  "$": /^\$ .*((?<=\\)\n.*)*/gm, // a line that ends in a backslash goes on
};
for (const code of document.querySelectorAll("pre code")) {
  const [, prompt] = code.textContent.match(/^(>>>|\$) /) ?? [];
  if (!prompt) continue;
  const lines = code.textContent.match(typed[prompt]);
  code.dataset.copy = lines.join("\n").replace(/^(>>>|\.\.\.|\$) ?/gm, "");
}
