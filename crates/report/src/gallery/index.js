"use strict";
// Sorts and filters the table, and leads to the comparison of two. Without this script the table is there as it is.
(() => {
  const byId = (id) => document.getElementById(id);
  const table = byId("platforms");
  const [groups, heads] = table.tHead.rows;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const FIRST = 3;
  const filters = ["text", "engine", "size", "layer", "from"];
  const sizes = [...byId("size").options].map((option) => option.value);

  // What a row is found by: names and all that stands below them.
  const found = new Map(rows.map((row, n) => [row, {
    n,
    words: [...row.cells].slice(0, FIRST).map((cell) => cell.textContent).join(" ").toLowerCase(),
    engine: row.cells[1].firstChild.textContent.trim(),
    size: row.cells[2].textContent,
    from: row.dataset.from ? "runs of dbdyno" : "published results",
  }]));
  const layers = [...heads.cells].map((cell) => cell.dataset.layer);

  const filter = () => {
    const wanted = Object.fromEntries(filters.map((id) => [id, byId(id).value]));
    const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    const isShown = (n) => n < FIRST || !wanted.layer || layers[n] === wanted.layer;
    let shown = 0;
    for (const row of rows) {
      const of = found.get(row);
      const fits = words.every((word) => of.words.includes(word))
        && ["engine", "size", "from"].every((id) => !wanted[id] || of[id] === wanted[id])
        && (!wanted.layer || [...row.cells].some((cell, n) => layers[n] === wanted.layer && cell.textContent));
      row.hidden = !fits;
      shown += fits;
      [...row.cells].forEach((cell, n) => { cell.hidden = !isShown(n); });
    }
    [...heads.cells].forEach((cell, n) => { cell.hidden = !isShown(n); });
    [...groups.cells].slice(1).forEach((cell) => { cell.hidden = wanted.layer && cell.textContent !== wanted.layer; });
    byId("count").textContent = `${shown} of ${rows.length}`;
    byId("none").hidden = shown > 0;
  };

  /** Keeps the filters in the address, for whoever comes back or passes it on. */
  const keep = () => {
    const set = filters.filter((id) => byId(id).value).map((id) => `${id}=${encodeURIComponent(byId(id).value)}`);
    if (location.hash.slice(1) !== set.join("&")) location.replace(`#${set.join("&")}`);
  };

  /** The filters that an address names. */
  const read = () => {
    const named = new URLSearchParams(location.hash.slice(1));
    for (const id of filters) {
      const field = byId(id), value = named.get(id) ?? "";
      if (!field.options || [...field.options].some((option) => option.value === value)) field.value = value;
    }
    filter();
  };

  /** Sound figures come before those with a doubt that bars them, and what is not there comes last. */
  const rank = (cell) => (cell.textContent.trim() === "" ? 2 : cell.classList.contains("u") ? 1 : 0);
  const number = (cell) => parseFloat(cell.firstChild.textContent.replace(/[^0-9.eE+-]/g, ""));
  const sort = (n, descending) => {
    const compare = (a, b) => {
      const [x, y] = [a.cells[n], b.cells[n]];
      if (n === 2) return sizes.indexOf(x.textContent) - sizes.indexOf(y.textContent);
      if (n < FIRST) return x.textContent.trim().localeCompare(y.textContent.trim(), "en");
      return number(x) - number(y);
    };
    const places = [...rows].sort((a, b) => {
      const apart = n < FIRST ? 0 : rank(a.cells[n]) - rank(b.cells[n]);
      const both = rank(a.cells[n]) < 2 && rank(b.cells[n]) < 2;
      return apart || (both ? compare(a, b) * (descending ? -1 : 1) : 0) || found.get(a).n - found.get(b).n;
    });
    body.append(...places);
    for (const head of heads.cells) head.removeAttribute("aria-sort");
    heads.cells[n].setAttribute("aria-sort", descending ? "descending" : "ascending");
  };

  [...heads.cells].forEach((cell, n) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...cell.childNodes);
    cell.append(button);
    // Figures begin with the best.
    button.addEventListener("click", () => {
      const now = cell.getAttribute("aria-sort");
      sort(n, now ? now === "ascending" : n >= FIRST);
    });
  });

  // Two rows are compared; a third choice takes the place of the first.
  let picked = [];
  const pick = () => {
    const [link, words] = byId("picked").children;
    byId("picked").hidden = !picked.length;
    const names = picked.map((box) => box.nextElementSibling.textContent);
    const keys = picked.map((box) => box.nextElementSibling.getAttribute("href").replace(/\.html$/, ""));
    link.removeAttribute("href");
    if (keys.length === 2) link.href = `compare.html#a=${keys[0]}&b=${keys[1]}`;
    words.textContent = keys.length === 2 ? names.join(" with ") : `${names[0]} with … – choose a second one`;
  };
  for (const row of rows) {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.autocomplete = "off";
    box.setAttribute("aria-label", `Compare ${row.cells[0].firstChild.textContent}`);
    row.cells[0].prepend(box);
    box.addEventListener("change", () => {
      picked = picked.filter((other) => other !== box);
      if (box.checked) picked.push(box);
      if (picked.length > 2) picked.shift().checked = false;
      pick();
    });
  }

  for (const id of filters) {
    byId(id).addEventListener("input", filter);
    byId(id).addEventListener("change", keep);
  }
  addEventListener("hashchange", read);
  byId("filters").hidden = false;
  read();
})();
