"use strict";
// What the pointer is at, and lines on and off. Without this script every figure still has its native tooltip, and stands in the
// table below its chart.
(() => {
  const tip = document.getElementById("tip");
  const NEAR = 40;
  let shown = null;

  const hide = () => {
    tip.classList.remove("on");
    if (shown) shown.classList.remove("at");
    shown = null;
  };

  const show = (mark) => {
    if (mark === shown) return;
    hide();
    shown = mark;
    mark.classList.add("at");
    tip.textContent = mark.dataset.text;
    const at = mark.getBoundingClientRect(), box = tip.getBoundingClientRect();
    const left = at.x + at.width / 2 - box.width / 2;
    const above = at.y - box.height - 10;
    const x = Math.max(4, Math.min(left, document.documentElement.clientWidth - box.width - 4));
    tip.style.transform = `translate(${x}px, ${above > 4 ? above : at.bottom + 10}px)`;
    tip.classList.add("on");
  };

  const prepare = (svg) => {
    // The browser's own tooltips would come a second later, on top.
    for (const title of svg.querySelectorAll("use > title")) {
      title.parentNode.dataset.text = title.textContent;
      title.remove();
    }
    const marks = () => [...svg.querySelectorAll("use:not(.off)")];
    const place = (mark) => [+mark.getAttribute("x"), +mark.getAttribute("y")];
    svg.addEventListener("pointermove", (event) => {
      const matrix = svg.getScreenCTM();
      if (!matrix) return;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      let nearest = null, least = NEAR;
      for (const mark of marks()) {
        const [x, y] = place(mark);
        const distance = Math.hypot(x - at.x, y - at.y);
        if (distance < least) { least = distance; nearest = mark; }
      }
      if (nearest) show(nearest); else hide();
    });
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("blur", hide);
    if (!marks().length) return;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step) return;
      event.preventDefault();
      const all = marks();
      const now = all.indexOf(shown);
      const next = now < 0 ? (step > 0 ? 0 : all.length - 1) : (now + step + all.length) % all.length;
      show(all[next]);
    });
  };

  for (const svg of document.querySelectorAll("figure > svg")) prepare(svg);

  // Marks say what they mean where they are pointed at, too.
  for (const mark of document.querySelectorAll("a.mark")) {
    const meaning = document.getElementById(mark.hash.slice(1))?.nextElementSibling;
    if (meaning?.firstElementChild) mark.title = meaning.firstElementChild.textContent;
  }

  addEventListener("scroll", hide, { passive: true });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-s]");
    if (!button) return;
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", on);
    const figure = button.closest("figure");
    for (const part of figure.querySelectorAll(`:scope > svg .s${button.dataset.s}`)) part.classList.toggle("off", !on);
    hide();
  });

  // What is folded away on the screen is printed.
  const folded = [];
  addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details:not([open])")) { part.open = true; folded.push(part); }
  });
  addEventListener("afterprint", () => {
    for (const part of folded.splice(0)) part.open = false;
  });
})();
