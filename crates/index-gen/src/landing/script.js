"use strict";
for (const code of document.querySelectorAll("code[data-open]")) {
  const here = new URL(".", location.href).href.replace(/\/$/, "");
  code.textContent = code.textContent.replace("https://THIS-SITE", here);
}
for (const hint of document.querySelectorAll(".without-script")) hint.hidden = true;

async function copy(text, code) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Not a secure page: select the text, so that the old way or the user's own keys can copy it.
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }
  return true;
}
for (const button of document.querySelectorAll("button.copy")) {
  const code = button.closest(".command").querySelector("code");
  const label = button.getAttribute("aria-label");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const word = (await copy(code.textContent, code)) ? "Copied" : "Selected";
    button.textContent = word;
    button.setAttribute("aria-label", word);
    setTimeout(() => {
      button.textContent = "Copy";
      button.setAttribute("aria-label", label);
    }, 2000);
  });
}

const filter = document.getElementById("filter");
const query = document.getElementById("query");
const matches = document.getElementById("matches");
const rows = [...document.querySelectorAll("tbody tr")].map((row) => ({
  row,
  text: row.textContent.toLowerCase(),
}));
function apply() {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { row, text } of rows) {
    row.hidden = !words.every((word) => text.includes(word));
    shown += row.hidden ? 0 : 1;
  }
  for (const index of document.querySelectorAll("section.index")) {
    index.hidden = words.length > 0 && !index.querySelector("tbody tr:not([hidden])");
  }
  matches.textContent = words.length ? `${shown} of ${rows.length} wheels` : "";
}
query.addEventListener("input", apply);
filter.hidden = false;
