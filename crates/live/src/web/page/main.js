// What is seen, where it comes from, and what the reader does with it.
const view = {
  readings: [], coming: [], gaps: [], from: 0, to: 1, span: 0, zoomed: null, cursor: null, step: 0,
  marks: [], notes: [], requirements: [], newest: null, top: null, over: null, lost: null, replayed: false, stale: false,
  next: 0, skew: 0,
  /** The server's time, or that of the record that is played. */
  now() { return view.replayed && view.newest ? view.newest.ms : Date.now(); },
};
const MOST = 2400;
const LATEST = 5000;
const byId = id => document.getElementById(id);
const drawn = { next: 0 };
let stream = null, due = false, loading = 0;

function show(id, text) {
  byId(id).hidden = !text;
  byId(id).lastElementChild.textContent = clean(text);
}

function accept(reading, n) {
  reading.ms = Date.parse(reading.at);
  reading.n = n;
  return reading;
}

/** What has come since charts were drawn last. Between two drawings the readings stay as they are, so that the pointer
 *  finds what it sees. */
function take() {
  const last = view.readings.length ? view.readings[view.readings.length - 1].n : -1;
  if (!view.zoomed) view.readings.push(...view.coming.filter(reading => reading.n > last));
  view.coming = [];
  if (view.zoomed || !view.readings.length) return;
  if (view.span) {
    const from = view.readings[view.readings.length - 1].ms - view.span - 2000;
    const old = Math.max(0, view.readings.findIndex(reading => reading.ms >= from));
    view.readings.splice(0, old);
    if (view.cursor !== null) view.cursor = Math.max(0, view.cursor - old);
  }
  if (view.readings.length > (view.span ? 2 * MOST : MOST)) load();
}

/** A line is broken where more time has passed than readings have come. */
function measure() {
  const all = view.readings;
  view.gaps = all.map((reading, n) => {
    if (n === 0) return true;
    const passed = reading.ms - all[n - 1].ms, came = Math.max(1, reading.n - all[n - 1].n);
    return passed < 0 || passed > 2.5 * came * 1000 * Math.max(1, reading.seconds || 1);
  });
  const first = all.length ? all[0].ms : 0, last = all.length ? all[all.length - 1].ms : 1;
  if (view.zoomed) [view.from, view.to] = view.zoomed;
  else {
    view.to = Math.max(last, first + 10000);
    view.from = view.span ? Math.max(first, view.to - view.span) : first;
  }
}

/** Draws what is new. Whoever looks may do so on the machine that is measured, so charts take a twentieth of a processor
 *  at most, but are never older than a few seconds; what the reader asks for is drawn at once. */
function redraw(asked = true) {
  if (asked) drawn.next = 0;
  if (due || document.hidden) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    const begun = performance.now();
    if (begun >= drawn.next) {
      take();
      measure();
      charts.forEach(chart => chart.render());
      absent();
      cursor();
      drawn.next = begun + Math.min(LATEST, 20 * (performance.now() - begun));
    }
    tiles(); tables(); progress(); status();
  });
}

function status() {
  const last = view.newest, age = last ? (Date.now() - last.ms) / 1000 : 0;
  view.stale = !view.replayed && !view.over && age > 10;
  byId('replay').hidden = !view.replayed;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  byId('clock').textContent = last ? clean(`${day(last.ms)} ${clock(last.ms)} ${zone} (${utc(last.ms)})`) : 'no reading yet';
  show('lost', view.lost ? `The server has not answered since ${clock(Date.parse(view.lost.since))}: ${view.lost.why}` : '');
  show('over', view.over ? `Nothing more will come: ${view.over}` : '');
  const shown = view.readings.length ? between(view.from, view.to) : '';
  const range = view.zoomed || view.span || !shown ? shown : shown + ', since the start';
  const thin = view.step > 1000 ? `one reading in ${lasting(view.step / 1000)}; zoom in for all` : '';
  byId('range').textContent = [range, thin].filter(Boolean).join(', ');
  byId('reset').disabled = !view.zoomed;
  for (const button of document.querySelectorAll('[data-span]')) {
    button.setAttribute('aria-pressed', String(!view.zoomed && Number(button.dataset.span) === view.span));
  }
}

function cursor() {
  const n = view.cursor, reading = n === null ? null : view.readings[n];
  const doing = reading && reading.doing;
  byId('moment').textContent = reading
    ? clean(`${clock(reading.ms)} (${utc(reading.ms)})` + (doing ? ` – ${doing.subject}, ${doing.dop}, ${doing.stage}` : ''))
    : view.readings.length ? `values of the ${view.zoomed ? 'last reading shown' : 'newest reading'}; point at a chart for others` : '';
}
function point(n) {
  view.cursor = n;
  charts.forEach(chart => chart.point());
  cursor();
}
function nearest(at) {
  let low = 0, high = view.readings.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.readings[middle].ms < at) low = middle + 1; else high = middle;
  }
  if (low > 0 && at - view.readings[low - 1].ms < view.readings[low].ms - at) low -= 1;
  return view.readings.length ? low : null;
}

function zoom(from, to) {
  view.zoomed = to - from < 2000 ? [from - 1000, to + 1000] : [from, to];
  view.cursor = null;
  load();
}
function reset() {
  if (!view.zoomed) return;
  view.zoomed = null;
  view.cursor = null;
  load();
}
function follow(span) {
  view.span = span;
  view.zoomed = null;
  view.cursor = null;
  load();
}

/** The pointer and the keys on a chart. */
function listen(chart) {
  const { svg, box } = chart;
  let begun = null;
  const at = event => (event.clientX - svg.getBoundingClientRect().left) * chart.width / svg.getBoundingClientRect().width;
  svg.addEventListener('pointermove', event => {
    point(nearest(chart.moment(at(event))));
    if (begun === null) return;
    const [a, b] = [begun, at(event)].sort((x, y) => x - y).map(x => Math.min(chart.width - RIGHT, Math.max(LEFT, x)));
    box.setAttribute('x', a);
    box.setAttribute('width', b - a);
  });
  svg.addEventListener('pointerleave', () => { if (begun === null) point(null); });
  svg.addEventListener('pointerdown', event => {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    begun = at(event);
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
    svg.focus({ preventScroll: true });
  });
  const end = event => {
    if (begun === null) return;
    const [a, b] = [begun, at(event)].sort((x, y) => x - y);
    begun = null;
    box.setAttribute('width', 0);
    if (event.type === 'pointerup' && b - a > 6) zoom(chart.moment(a), chart.moment(b));
  };
  svg.addEventListener('pointerup', end);
  svg.addEventListener('pointercancel', end);
  svg.addEventListener('dblclick', reset);
  svg.addEventListener('keydown', event => {
    const now = view.cursor ?? view.readings.length - 1, last = view.readings.length - 1;
    const step = event.shiftKey ? 10 : 1, width = view.to - view.from;
    const middle = view.cursor === null ? view.to - width / 2 : view.readings[now].ms;
    if (event.key === 'ArrowLeft') point(Math.max(0, now - step));
    else if (event.key === 'ArrowRight') point(Math.min(last, now + step));
    else if (event.key === 'Escape') point(null);
    else if (event.key === '+' || event.key === '=') zoom(middle - width / 4, middle + width / 4);
    else if (event.key === '-') zoom(middle - width, Math.min(middle + width, view.now()));
    else if (event.key === '0') reset();
    else return;
    event.preventDefault();
  });
}

function understand(state) {
  for (const id of ['title', 'target', 'engine', 'run']) {
    byId(id).textContent = clean(id === 'run' ? (state.run ? 'run ' + state.run : '') : state[id]);
  }
  document.title = clean(state.title ? state.title + ' – dbdyno' : 'dbdyno');
  const known = new Map(view.marks.map(mark => [mark.index + ' ' + mark.began, mark]));
  for (const mark of state.marks) known.set(mark.index + ' ' + mark.began, mark);
  view.marks = [...known.values()].slice(-2000);
  Object.assign(view, { notes: state.notes, requirements: state.requirements, over: state.over, lost: state.lost, replayed: state.replayed });
}

/** Readings of what is looked at, as fine as the server has them for a screen. */
async function load() {
  const mine = ++loading;
  let query = '';
  if (view.zoomed) query = `?from=${Math.floor(view.zoomed[0])}&to=${Math.ceil(view.zoomed[1])}`;
  else if (view.span && view.newest) query = `?from=${view.newest.ms - view.span}`;
  let answer;
  try {
    answer = await fetch('history' + query, { credentials: 'same-origin' });
    if (answer.status === 401) { ask(); return; }
    if (!answer.ok) throw new Error(answer.statusText);
    answer = await answer.json();
  } catch {
    away(true);
    setTimeout(() => { if (mine === loading) load(); }, 2000);
    return;
  }
  if (mine !== loading) return;
  away(false);
  if (answer.state.life !== view.life) view.marks = [];
  view.life = answer.state.life;
  let missing = {};
  view.readings = answer.readings.map(reading => {
    missing = reading.missing || missing;
    reading.missing = missing;
    return accept(reading, reading.n);
  });
  view.coming = [];
  view.step = answer.state.step_ms;
  view.top = answer.state.top || view.top;
  if (!view.zoomed && view.readings.length) {
    view.newest = view.readings[view.readings.length - 1];
    view.newest.nodes = answer.state.nodes;
  }
  understand(answer.state);
  if (!view.zoomed || !stream) follows(answer.state.next);
  byId('content').hidden = false;
  redraw();
}

function away(is) {
  show('away', is ? 'dbdyno does not answer. What is shown is not new; this page tries again.' : '');
}

/** New readings, from a number on. */
function follows(next) {
  if (stream) stream.close();
  stream = null;
  if (view.over) return;
  const mine = stream = new EventSource(`events?from=${next}`);
  mine.addEventListener('open', () => away(false));
  mine.addEventListener('error', () => {
    if (view.over) { mine.close(); return; }
    away(true);
    if (mine.readyState === EventSource.CLOSED && stream === mine) { stream = null; setTimeout(load, 2000); }
  });
  mine.addEventListener('gap', () => load());
  mine.addEventListener('state', event => {
    understand(JSON.parse(event.data));
    if (view.over) mine.close();
    redraw();
  });
  mine.addEventListener('reading', event => {
    const reading = accept(JSON.parse(event.data), Number(event.lastEventId.split('-')[1]));
    if (view.newest && reading.n <= view.newest.n) return;
    view.newest = reading;
    if (reading.top) view.top = reading.top;
    if (!view.zoomed) {
      view.coming.push(reading);
      if (view.coming.length > MOST) view.coming.shift();
    }
    redraw(false);
  });
}

/** The token is asked for where a link had none, or an old one. */
function ask() {
  if (stream) stream.close();
  stream = null;
  byId('content').hidden = true;
  byId('ask').hidden = false;
  byId('token').focus();
}
async function enter(token) {
  const answer = await fetch('session', { method: 'POST', body: token, credentials: 'same-origin' }).catch(() => null);
  byId('refused').hidden = !answer || answer.ok;
  if (!answer || !answer.ok) { away(!answer); ask(); return; }
  byId('ask').hidden = true;
  load();
}
byId('ask').addEventListener('submit', event => {
  event.preventDefault();
  const token = byId('token').value.trim();
  byId('token').value = '';
  if (token) enter(token);
});

const charts = CHARTS.map(spec => new Chart(spec));
byId('charts').append(...charts.map(chart => chart.figure));
for (const button of document.querySelectorAll('[data-span]')) {
  button.addEventListener('click', () => follow(Number(button.dataset.span)));
}
byId('reset').addEventListener('click', reset);
new ResizeObserver(() => redraw()).observe(byId('charts'));
document.addEventListener('visibilitychange', () => { if (view.coming.length > 600) load(); else redraw(); });
setInterval(() => {
  // What came while charts rested, and nothing after it.
  if (view.coming.length) redraw(false);
  const was = view.stale;
  status();
  if (was !== view.stale) tiles();
  progress();
}, 1000);

// The token leaves the address bar, and so the history, before anything else is done.
const fragment = location.hash.slice(1);
if (fragment) {
  history.replaceState(null, '', location.pathname);
  let token = fragment;
  try { token = decodeURIComponent(fragment); } catch { /* It is taken as it is. */ }
  enter(token);
} else load();
