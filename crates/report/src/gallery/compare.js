"use strict";
// Lays two platforms side by side. Their cards say which figures stand beside each other (the first key that both have),
// and what must be equal, or they are not divided. What is said of that comes from dbdyno, too.
(() => {
  const byId = (id) => document.getElementById(id);
  const words = JSON.parse(byId("words").textContent);
  const [FIGURE, BASE, OTHER] = words.places;
  const WHICH = ["speed", "throughput"];
  const [BEFORE_ALL, OF_WORK, AFTER_ALL] = words.bars;

  // --- Loading: a script of the folder hands over what it has.
  const taken = new Map();
  window.gallery = (what) => taken.set(what.key, what);
  const load = (key) => new Promise((done, failed) => {
    if (taken.has(key)) { done(taken.get(key)); return; }
    const script = document.createElement("script");
    const lost = () => failed(new Error(`${key}.js cannot be read. It lies beside this page: keep the folder together.`));
    script.addEventListener("load", () => (taken.has(key) ? done(taken.get(key)) : lost()));
    script.addEventListener("error", lost);
    script.src = `${key}.js`;
    document.head.append(script);
  });

  // --- What stands beside what.
  const first = (one, other) => one.find((key) => other.includes(key));
  const keyed = (all, key) => all.find((of) => of.key === key);

  /** The figures that both have, test by test. */
  const rowsOf = (a, b) => {
    const [mine, theirs] = [a, b].map((card) => new Map(card.tests.map((test) => [test.code, test])));
    const known = words.tests.map(([code]) => code);
    const further = [...mine.keys(), ...theirs.keys()].filter((code) => !known.includes(code));
    const shown = new Set(), rows = [];
    for (const code of [...known, ...new Set(further)]) {
      const tests = [mine.get(code), theirs.get(code)];
      if (!tests[0] || !tests[1] || !(tests[0].known || tests[1].known)) continue;
      const key = first(...tests.map((test) => test.metrics.map((metric) => metric.key)));
      if (key === undefined) continue;
      const metrics = tests.map((test) => keyed(test.metrics, key));
      const having = [0, 1].filter((side) => metrics[side].codes.includes(code));
      // What stands in the row of another code already has no row of its own.
      if (having.length && having.every((side) => shown.has(`${side} ${code}`))) continue;
      // Of two codes with the same work the one that both have has the row.
      const both = metrics[0].codes.filter((other) => other !== code && metrics[1].codes.includes(other));
      const ownAlone = having.length < 2 && both.length > 0;
      const size = first(tests[0].sizes, tests[1].sizes);
      WHICH.forEach((which, n) => {
        const cells = [a, b].map((card, side) => card.cells[metrics[side].cells[tests[side].sizes.indexOf(size)][n]]);
        if (!cells[0] || !cells[1] || (ownAlone && cells.some((cell) => cell.test !== null))) return;
        cells.forEach((cell, side) => shown.add(`${side} ${cell.test ?? code}`));
        const rowsEach = /^\d+$/.test(size) ? size : null;
        rows.push({ code, which, cells, rowsEach, unit: metrics[0].unit, better: metrics[0].better, sized: metrics[0].sized });
      });
    }
    const alone = [0, 1].map((side) => [...[mine, theirs][side].keys()].filter((code) => {
      if (shown.has(`${side} ${code}`)) return false;
      const [own, other] = [[mine, theirs][side].get(code), [theirs, mine][side].get(code)];
      const has = (test) => keyed(test.metrics, chosen(own, other, a.size !== b.size))?.codes.includes(code);
      return has(own) && !(other && has(other));
    }));
    return { rows, alone };
  };

  /** The metric by which a test is compared: the first that both have, or that of one alone. */
  const chosen = (own, other, sizesDiffer) => first(own.metrics.map((of) => of.key), (other?.metrics ?? []).map((of) => of.key))
    ?? (own.metrics.find((of) => !(sizesDiffer && of.sized)) ?? own.metrics[0])?.key;

  // --- What may be divided.
  const put = (text, base, other) =>
    text.split(/(\{\w+\})/).map((part) => (part === BASE ? base : part === OTHER ? other : part)).join("");

  /** Which of what must be alike differs. */
  const unlike = ([base, other]) => words.alike.map((_, n) => n)
    .filter((n) => base.alike[n] !== null && other.alike[n] !== null && base.alike[n] !== other.alike[n]);

  /** Why two figures are not divided: each reason with its place among reasons. */
  const bars = (row, texts, sizesDiffer) => {
    const own = row.cells.flatMap((cell, side) => (cell.bar ? [[cell.bar[0], cell.bar[1].replace(FIGURE, () => texts[side])]] : []));
    const differing = unlike(row.cells).map((n) => {
      const said = put(words.alike[n], row.cells[0].alike[n], row.cells[1].alike[n]);
      return n < words.of_work ? [OF_WORK, `${texts[1]} is ${said}`] : [AFTER_ALL, said];
    });
    const sized = sizesDiffer && row.sized ? [[BEFORE_ALL, words.sizes_differ]] : [];
    return [...sized, ...own, ...differing].sort((a, b) => a[0] - b[0]).map(([, why]) => why);
  };

  /** The ratio of a row; without a value where there is none. */
  const ratioOf = (row, texts, sizesDiffer, inTurn) => {
    const known = inTurn?.rows.find(([code, which]) => code === row.code && which === row.which);
    if (known) return known[2];
    const [why] = bars(row, texts, sizesDiffer);
    const [base, other] = row.cells.map((cell) => cell.value);
    if (why) return { value: null, text: "n/a", why };
    if (!(base > 0 && other > 0)) return { value: null, text: "n/a", why: words.not_positive };
    return { value: other / base, text: digits(other / base), why: words.spread };
  };

  // --- Figures as dbdyno writes them.
  const digits = (value) => {
    if (value >= 1e15) return value.toExponential(3).toUpperCase();
    if (value < 10) return value.toFixed(3);
    const rounded = Number(value.toPrecision(4));
    const decimals = Math.max(0, 3 - Math.floor(Math.log10(rounded)));
    return rounded.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  };
  const factor = (value) => value.toFixed(value < 0.9995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0);

  // --- Elements, whose texts are never markup.
  const make = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  };
  const section = (id, title, about, ...children) => {
    const all = children.filter(Boolean);
    return all.length ? make("section", { id }, make("h2", {}, title, make("span", { class: "sub" }, about)), ...all) : null;
  };
  const table = (id, caption, heads, rows, classes) => rows.length ? make("div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": `Table: ${caption}` },
    make("table", { id, class: classes }, make("caption", {}, make("span", {}, caption)),
      make("thead", {}, make("tr", {}, ...heads.map(([text, kind]) => make("th", { scope: "col", class: kind }, text)))),
      make("tbody", {}, ...rows))) : null;
  const line = (head, ...cells) =>
    make("tr", {}, make("th", { scope: "row" }, head), ...cells.map((cell) => (cell instanceof Node ? cell : make("td", {}, cell))));
  const grouped = (pairs) => {
    const groups = new Map();
    for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value]);
    return [...groups];
  };

  // --- Sections.
  const LETTERS = ["A", "B"];

  const sides = (cards, entries) => make("ol", { class: "sides" }, ...cards.map((card, side) => make("li", {},
    make("span", { class: `badge s${side}` }, LETTERS[side]),
    make("span", {}, make("b", {}, make("a", { href: `${card.key}.html` }, entries[side].name)),
      side === 0 ? " " : "", side === 0 ? make("span", { class: "base" }, "baseline") : "",
      ` ${[card.title === entries[side].name ? "" : card.title, entries[side].by].filter(Boolean).join("; ")}`,
      `. ${card.from}`))));

  /** What makes figures unlike. */
  const warnings = (cards, entries, rows) => {
    const each = (values) => values.map((value, side) => `${LETTERS[side]} ${value}`).join(", ");
    const differ = (values) => values.every((value) => value !== undefined) && values[0] !== values[1];
    const said = [];
    for (const [kind, text] of words.facts) {
      const values = cards.map((card) => card.facts[kind]);
      if (differ(values)) said.push(`${text}: ${each(values)}`);
      const places = grouped(rows.map((row) => [row.code, row.cells.map((cell) => cell.facts[kind] ?? [])]))
        .map(([code, of]) => [code, [0, 1].map((side) => [...new Set(of.flatMap((cells) => cells[side]))].sort())])
        .filter(([, of]) => disagree(of))
        .map(([code, of]) => [each(of.map((all) => all.join(" and "))), code]).sort(([, one], [, other]) => (one < other ? -1 : 1));
      const which = grouped(places).sort(([one], [other]) => (one < other ? -1 : 1)).map(([values, codes]) => `${codes.join(", ")} (${values})`);
      if (which.length) said.push(`${text}: ${which.join("; ")}`);
      // How dbdyno was built comes where a comparison says it.
      if (kind === "sizes") said.push(...builds(cards, each));
    }
    for (const [kind, pace] of Object.entries(cards[0].paces)) {
      const other = cards[1].paces[kind];
      const [least, most] = other ? [pace.ns, other.ns].sort((x, y) => x - y) : [1, 1];
      if (other && pace.bytes === other.bytes && most > words.pace[0] * least) said.push(`${words.pace[1]} ${kind} (${each([pace.words, other.words])})`);
    }
    cards.forEach((card, side) => { if (card.uneven) said.push(`${words.machine_of} ${LETTERS[side]} ${card.uneven}`); });
    return said.length ? make("div", { class: "warnings", role: "note" }, make("p", {}, make("b", {}, "⚠ Not like with like")),
      make("ul", {}, ...said.map((text) => make("li", {}, text)))) : null;
  };

  /** Whether values of figures are not the same. Of values with a first word only those with the same one count. */
  const disagree = ([one, other]) => {
    if (!one.length || !other.length || one.join("\n") === other.join("\n")) return false;
    const split = (value) => (value.includes(" ") ? [value.slice(0, value.indexOf(" ")), value.slice(value.indexOf(" "))] : ["", value]);
    return grouped([...one, ...other].map(split)).some(([, rest]) => new Set(rest).size > 1);
  };

  /** How dbdyno was built: the words of each side that the other has not. */
  const unlikeBuilds = (cards) => cards[0].builds.flatMap(([name, own]) => {
    const other = cards[1].builds.find(([known]) => known === name)?.[1];
    if (!other || own.join(" ") === other.join(" ")) return [];
    const lacking = (all, those) => all.filter((word) => !those.includes(word)).join(" ") || "none of these";
    return [[name, lacking(own, other), lacking(other, own)]];
  });
  const builds = (cards, each) => unlikeBuilds(cards).map(([name, ...values]) =>
    `${name} ${words.unlike_build}: ${each(values)}`);

  /** A figure with its marks. */
  const figure = (cell, text, apart) => make("td", { class: "r", title: cell.about || null },
    apart ? `(${text})` : text, cell.marks ? make("span", { class: "m" }, cell.marks) : "");

  const figures = (rows, cards, inTurn) => {
    const sizesDiffer = cards[0].size !== cards[1].size;
    const layerOf = new Map(words.tests.map(([code, , layer]) => [code, layer]));
    const titleOf = new Map(words.tests.map(([code, title]) => [code, title]));
    const made = rows.map((row) => {
      const printed = row.cells.every((cell) => cell.printed) && row.cells[0].printed[1] === row.cells[1].printed[1];
      const texts = row.cells.map((cell) => (printed ? cell.printed[0] : cell.text));
      const apart = unlike(row.cells).some((n) => n < words.of_work);
      const inParentheses = row.cells.map((cell, side) => cell.apart || (sizesDiffer && row.sized) || (apart && side === 1));
      const unit = printed ? row.cells[0].printed[1] : row.unit;
      return { ...row, unit, texts, inParentheses, ratio: ratioOf(row, texts, sizesDiffer, inTurn), layer: layerOf.get(row.code) };
    });
    const name = (row) => (titleOf.get(row.code) ?? "") + (row.rowsEach ? `, ${row.rowsEach} rows each` : "");
    const lines = [...words.layers, [undefined, "Other work"]].flatMap(([layer, title]) => {
      const of = made.filter((row) => row.layer === layer);
      const each = of.map((row) => line(row.code, name(row), row.which,
        make("td", {}, row.unit, row.better === "lower" ? make("span", { class: "sub" }, " less is better") : ""),
        ...row.cells.map((cell, side) => figure(cell, row.texts[side], row.inParentheses[side])),
        make("td", { class: "r", title: row.ratio.why }, row.ratio.text)));
      return of.length ? [make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: 7 }, title)), ...each] : [];
    });
    const heads = [["Test", null], ["", null], ["Of", null], ["Unit", null], ["A", "r"], ["B", "r"], ["B/A", "r"]];
    return { made, table: table("figures", "Speed is the figure of one job, throughput the best at any parallelism", heads, lines, "figures") };
  };

  /** By which factor layers differ: the geometric mean over tests that may be divided and are done by the same means. */
  const layers = (made) => {
    const lines = words.layers.flatMap(([layer, title]) => {
      const of = made.filter((row) => row.layer === layer && row.which === "throughput" && row.ratio.value !== null
        && row.cells[0].equivalent === row.cells[1].equivalent);
      const gains = of.map((row) => (row.better === "lower" ? 1 / row.ratio.value : row.ratio.value));
      if (!gains.length) return [];
      const mean = Math.exp(gains.map(Math.log).reduce((sum, log) => sum + log, 0) / gains.length);
      const range = gains.length > 1 ? `${factor(Math.min(...gains))} to ${factor(Math.max(...gains))}` : "";
      return [line(title, make("td", { class: "r" }, factor(mean)), make("td", { class: "r" }, range), of.map((row) => row.code).join(" "))];
    });
    const heads = [["Layer", null], ["B/A", "r"], ["range", "r"], ["Tests", null]];
    return section("layers", "Layers", ": throughput of B as a multiple of A", table("factors", "Factors by layer", heads, lines, "figures"),
      lines.length ? make("p", { class: "note" }, "The geometric mean over the tests that may be divided; above 1 is better. \
The range is that over the tests, and no interval.") : null);
  };

  /** What is to be said of figures: why some are not divided, and what their marks mean. */
  const notes = (made, others, cards, inTurn) => {
    const without = made.filter((row) => row.ratio.value === null).map((row) => [row.ratio.why, `${row.code} ${row.which}`]);
    const why = grouped(without).map(([reason, places]) => make("li", {}, `${places.join(", ")}: ${reason}.`));
    const used = new Set(made.flatMap((row) => row.cells.map((cell) => cell.marks).join("").split("")));
    if (made.some((row) => row.inParentheses.includes(true))) used.add("(");
    const explained = words.marks.filter(([mark]) => used.has(mark))
      .flatMap(([mark, text]) => [make("dt", {}, make("span", { class: "mark" }, mark)), make("dd", {}, text)]);
    const has = (side) => (others[side].length ? make("p", { class: "note" }, make("b", {}, `${LETTERS[side]} alone: `), others[side].join("; ")) : null);
    const spread = made.some((row) => row.ratio.value !== null && row.ratio.why === words.spread);
    const intervals = inTurn !== null && made.some((row) => row.ratio.why === null);
    return [
      intervals ? make("p", { class: "note" }, "The two were measured in turn: B/A is that of pairs, in parentheses with its 95 % interval; = no \
difference shown.") : null,
      spread ? make("p", { class: "note" }, `B/A is the figure of B over that of A, and no difference that was shown: ${words.spread}. \
\`dbdyno compare\` of two labels tells differences from chance.`) : null,
      why.length ? make("p", { class: "note" }, make("b", {}, "n/a, not divided:")) : null,
      why.length ? make("ul", { class: "why" }, ...why) : null,
      explained.length ? make("dl", { class: "marks" }, ...explained) : null,
      has(0), has(1),
      ...cards.filter((card) => card.notice).map((card) => make("p", { class: "notice" }, make("b", {}, "Notice "), card.notice)),
    ];
  };

  /** Series over something other than jobs and threads. */
  const series = (cards) => section("others", "Other series", " over something else than jobs and threads", pairs(cards[0].curves.flatMap((curve) => {
    const other = cards[1].curves.find((of) => of.test === curve.test && of.by === curve.by);
    return curve.keys.map(({ key, points }) => {
      const theirs = other ? keyed(other.keys, key)?.points : undefined;
      if (!theirs) return null;
      const places = new Map([...points, ...theirs].sort((x, y) => x[0] - y[0]).map(([at, text]) => [at, text]));
      const value = (all, at) => all.find(([place]) => place === at)?.[2] ?? "";
      const lines = [...places].map(([at, text]) => line(text, value(points, at), value(theirs, at)));
      return table(null, `${curve.test}: ${key}`, [[curve.by, null], ["A", "r"], ["B", "r"]], lines, "n");
    });
  })));
  const pairs = (tables) => (tables.some(Boolean) ? make("div", { class: "pairs" }, ...tables.filter(Boolean)) : null);

  /** Settings that are not the same. */
  const settings = (cards) => {
    const [own, other] = cards.map((card) => new Map(card.settings));
    const [mine, theirs] = cards.map((card) => new Map(card.parameters));
    const [firmwareOfA, firmwareOfB] = cards.map((card) => new Map(card.firmware));
    const alike = cards[0].kind === cards[1].kind;
    const names = (one, two) => [...new Set([...one.keys(), ...two.keys()])];
    // A text without a letter is not known, either.
    const values = (one, two, name) => [name, one.get(name) || undefined, two.get(name) || undefined];
    const facts = names(own, other).map((name) => values(own, other, name));
    const firmware = names(firmwareOfA, firmwareOfB).sort().map((name) => values(firmwareOfA, firmwareOfB, name)).filter(([, a, b]) => a && b);
    const parameters = names(mine, theirs).sort().map((name) => values(mine, theirs, name))
      .filter(([, a, b]) => alike || (a !== undefined && b !== undefined));
    const known = [...facts, ...firmware, ...parameters];
    const differing = [...known.filter(([, a, b]) => a !== b), ...unlikeBuilds(cards)];
    const lines = differing.map(([name, ...values]) => line(name, ...values.map((value) =>
      (value === undefined ? make("td", {}, make("span", { class: "sub" }, "not known")) : value))));
    return section("differs", "What differs", "", table("settings", "Settings that differ", [["Setting", null], ["A", null], ["B", null]], lines, "facts beside"));
  };

  // --- The page.
  let asked = 0;
  const show = (...parts) => { byId("content").replaceChildren(...parts.filter(Boolean)); byId("content").hidden = !parts.length; };
  const problem = (text) => { byId("problem").textContent = text; byId("problem").hidden = !text; };

  const render = async () => {
    const now = ++asked;
    const entries = LETTERS.map((letter) => keyed(words.entries, byId(letter.toLowerCase()).value));
    problem("");
    if (!entries[0] || !entries[1] || entries[0] === entries[1]) {
      show();
      document.title = "Comparison – dbdyno";
      byId("title").textContent = "Two platforms";
      if (entries[0] && entries[0] === entries[1]) problem("A comparison with itself says nothing: choose two.");
      return;
    }
    const paired = entries[0].with === entries[1].key && entries[1].with === entries[0].key;
    try {
      const cards = await Promise.all(entries.map((entry) => load(entry.key)));
      const inTurn = paired ? await load(`${entries[0].key}-${entries[1].key}`) : null;
      if (now !== asked) return;
      const { rows, alone: others } = rowsOf(...cards);
      const { made, table: all } = figures(rows, cards, inTurn);
      const title = entries.map((entry) => entry.name).join(" and ");
      byId("title").textContent = title;
      document.title = `${title} – dbdyno`;
      const said = notes(made, others, cards, inTurn);
      show(sides(cards, entries), warnings(cards, entries, rows), layers(made),
        section("rows", "Figures", " that both have", all ?? make("p", { class: "note" }, "Nothing in common: no test has a figure of the same kind on both."), ...said),
        series(cards), settings(cards));
    } catch (error) {
      if (now !== asked) return;
      show();
      problem(error.message);
    }
  };

  const options = () => [make("option", { value: "" }, "choose one"), ...words.entries.map((entry) => make("option", { value: entry.key }, entry.name))];
  const fields = LETTERS.map((letter) => byId(letter.toLowerCase()));
  fields.forEach((field) => field.append(...options()));
  /** The two that the address names. */
  const read = () => {
    const named = new URLSearchParams(location.hash.slice(1));
    fields.forEach((field) => { field.value = keyed(words.entries, named.get(field.id))?.key ?? ""; });
    render();
  };
  const keep = () => location.replace(`#a=${fields[0].value}&b=${fields[1].value}`);
  fields.forEach((field) => field.addEventListener("change", keep));
  byId("swap").addEventListener("click", () => {
    [fields[0].value, fields[1].value] = [fields[1].value, fields[0].value];
    keep();
  });
  addEventListener("hashchange", read);
  byId("choice").hidden = false;
  read();
})();
