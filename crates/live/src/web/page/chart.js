// A chart: one drawing, its key with the values of a moment, and why values are absent.
const SVG = 'http://www.w3.org/2000/svg';
const LEFT = 52, RIGHT = 8, TOP = 16, BOTTOM = 20, HEIGHT = 190;
const SLOTS = 8;
/** Marks of points that are closer than this are not drawn. */
const CLOSEST = 5;

/** A new element with a class and a text. Texts are never parsed. */
function make(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = clean(text);
  return made;
}
function draw(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = clean(text);
  return made;
}

/** A round number that is not less. */
function ceiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  // Quarters of these are round, too.
  for (const step of [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8]) if (step * power >= value * 0.9999) return step * power;
  return 10 * power;
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
/** Round moments of a range, by the browser's own clock. */
function moments(from, to, most) {
  const step = 1000 * (STEPS.find(s => (to - from) / (s * 1000) <= most) || 86400);
  const offset = new Date(to).getTimezoneOffset() * 60000;
  const found = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step) found.push(at);
  return { found, seconds: step < 60000 };
}

class Chart {
  constructor(spec) {
    this.spec = spec;
    this.log = false;
    this.slots = new Map();
    this.figure = make('figure', 'chart');
    this.figure.id = 'chart-' + spec.id;
    const caption = make('figcaption');
    caption.append(make('b', '', spec.title), ' ', make('span', 'unit', spec.unit === 's' || spec.unit === 'B' ? '' : spec.unit));
    if (spec.log) {
      const button = make('button', 'log', 'log');
      button.type = 'button';
      button.setAttribute('aria-pressed', 'false');
      button.setAttribute('aria-label', 'Logarithmic scale: ' + spec.title);
      button.addEventListener('click', () => {
        this.log = !this.log;
        button.setAttribute('aria-pressed', String(this.log));
        this.render();
      });
      caption.append(button);
    }
    this.svg = draw('svg', { role: 'img', tabindex: 0 });
    this.body = draw('g', {});
    this.line = draw('path', { class: 'cursor' });
    this.box = draw('rect', { class: 'zoombox', y: TOP, height: HEIGHT - TOP - BOTTOM, width: 0 });
    this.svg.append(this.body, this.line, this.box);
    this.legend = make('ul', 'legend');
    this.lines = make('ul', 'required');
    this.why = make('p', 'why');
    this.figure.append(caption, this.svg, this.legend, this.lines, this.why);
    listen(this);
  }

  /** The figures of the readings: a name, a path, a value for each reading. */
  columns() {
    const { spec } = this;
    if (!spec.keys) {
      return spec.series.map(([path, name], slot) => ({ name, path, slot, values: view.readings.map(r => figure(r, path)) }));
    }
    const all = view.readings.map(spec.keys), totals = new Map();
    for (const one of all) for (const [key, value] of one) totals.set(key, (totals.get(key) || 0) + value);
    // A class keeps its place and colour as long as the page is open.
    for (const key of [...totals].sort((a, b) => b[1] - a[1]).map(([key]) => key)) {
      if (!this.slots.has(key)) this.slots.set(key, this.slots.size);
    }
    return [...this.slots].filter(([key]) => totals.has(key)).map(([name, slot]) => ({
      name, path: spec.path, slot,
      values: all.map((one, n) => view.readings[n].database && one.size ? one.get(name) || 0 : undefined),
    }));
  }

  render() {
    const { spec } = this;
    const all = this.columns();
    this.data = all.filter(column => column.values.some(value => value !== undefined));
    this.never = all.filter(column => !this.data.includes(column));
    this.figure.hidden = this.data.length === 0;
    if (this.figure.hidden) return;
    this.width = Math.max(200, Math.round(this.figure.clientWidth || 400));
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${HEIGHT}`);
    const paths = this.data.map(column => column.path);
    this.needs = view.requirements.filter(line => paths.includes(line.path));
    this.scale();
    const parts = [...this.grid(), ...this.marks()];
    if (spec.stack) parts.push(...this.areas()); else parts.push(...this.data.flatMap(column => this.curve(column)));
    for (const line of this.needs) parts.push(draw('path', { class: 'need', d: `M${LEFT} ${this.y(line.value)}H${this.width - RIGHT}` }));
    this.body.replaceChildren(...parts);
    const ends = view.readings.length ? between(view.from, view.to) : '';
    this.svg.setAttribute('aria-label', clean(`${spec.title}, ${ends}. Arrow keys move through time, plus and minus zoom.`));
    this.key();
    this.point();
  }

  scale() {
    const { spec } = this;
    let high = 0, low = Infinity;
    const count = view.readings.length;
    if (spec.stack) {
      for (let n = 0; n < count; n += 1) high = Math.max(high, this.data.reduce((sum, c) => sum + (c.values[n] || 0), 0));
    } else {
      for (const column of this.data) for (const value of column.values) {
        if (value > high) high = value;
        if (value > 0 && value < low) low = value;
      }
    }
    for (const line of this.needs) high = Math.max(high, line.value * 1.05);
    const unit = spec.unit === 'B' && high > 0 ? 1024 ** Math.floor(Math.log2(high) / 10) : 1;
    this.top = spec.top ? Math.max(spec.top, high) : unit * ceiling(high / unit);
    const room = HEIGHT - TOP - BOTTOM;
    this.floor = 10 ** Math.floor(Math.log10(low));
    if (this.log && low < Infinity) {
      const [a, b] = [Math.log10(this.floor), Math.ceil(Math.log10(Math.max(high, this.floor * 10)))];
      this.top = 10 ** b;
      this.y = v => Math.round(10 * (HEIGHT - BOTTOM - room * Math.max(0, (Math.log10(Math.max(v, this.floor)) - a) / (b - a)))) / 10;
    } else {
      this.y = v => Math.round(10 * (HEIGHT - BOTTOM - room * Math.min(1, v / this.top))) / 10;
    }
  }

  x(at) {
    const part = (at - view.from) / Math.max(1, view.to - view.from);
    return Math.round(10 * (LEFT + part * (this.width - LEFT - RIGHT))) / 10;
  }
  moment(x) {
    const part = (x - LEFT) / (this.width - LEFT - RIGHT);
    return view.from + Math.min(1, Math.max(0, part)) * (view.to - view.from);
  }

  grid() {
    const parts = [], right = this.width - RIGHT;
    const ticks = [];
    if (this.log) for (let v = this.floor; v <= this.top * 1.001; v *= 10) ticks.push(v);
    else for (let n = 0; n <= 4; n += 1) ticks.push(this.top * n / 4);
    for (const value of ticks) {
      const y = this.y(value);
      parts.push(draw('path', { class: 'grid', d: `M${LEFT} ${y}H${right}` }));
      const label = written(value, ['s', 'B', '%'].includes(this.spec.unit) ? this.spec.unit : '').replace(/\.0+(?=\D|$)/, '');
      parts.push(draw('text', { class: 'tick end', x: LEFT - 5, y: y + 4 }, label));
    }
    const { found, seconds } = moments(view.from, view.to, Math.max(2, Math.floor(this.width / 90)));
    for (const at of found) {
      const x = this.x(at);
      parts.push(draw('path', { class: 'axis', d: `M${x} ${HEIGHT - BOTTOM}v4` }));
      if (x > LEFT + 14 && x < right - 14) parts.push(draw('text', { class: 'tick mid', x, y: HEIGHT - 4 }, clock(at, seconds)));
    }
    parts.push(draw('path', { class: 'axis', d: `M${LEFT} ${HEIGHT - BOTTOM}H${right}` }));
    return parts;
  }

  /** Where points begin and end, with their names where there is room. */
  marks() {
    const parts = [], right = this.width - RIGHT;
    // Where all points are of one workload, their degrees tell them apart.
    const one = view.marks.every(mark => mark.subject === view.marks[0].subject);
    const seen = [];
    for (const mark of view.marks) {
      const from = Date.parse(mark.began), to = mark.ended ? Date.parse(mark.ended) : view.to;
      if (to >= view.from && from <= view.to) seen.push([mark, from, to]);
    }
    // So many lines would be all that is seen; a narrower range has them again.
    if (seen.length * CLOSEST > this.width) return [];
    for (const [mark, from, to] of seen) {
      const [a, b] = [Math.max(LEFT, this.x(from)), Math.min(right, this.x(to))];
      if (mark.index % 2) parts.push(draw('rect', { class: 'band', x: a, y: TOP, width: Math.max(0, b - a), height: HEIGHT - TOP - BOTTOM }));
      if (from >= view.from) parts.push(draw('path', { class: 'mark', d: `M${a} ${TOP - 12}V${HEIGHT - BOTTOM}` }));
      const fits = Math.floor((b - a - 8) / 5.6), names = [`${mark.subject} · ${mark.dop}`, one ? mark.dop : mark.subject].map(clean);
      const number = one ? mark.dop.split(' ')[0] : '';
      if (/^\d+$/.test(number)) names.push(number);
      const name = names.find(text => text.length <= fits) || (fits > 6 ? names[1].slice(0, fits - 1) + '…' : '');
      if (name) parts.push(draw('text', { class: 'name', x: a + 3, y: TOP - 4 }, name));
    }
    return parts;
  }

  curve(column) {
    let path = '', pen = false;
    const dots = [];
    view.readings.forEach((reading, n) => {
      const value = column.values[n];
      if (value === undefined || (this.log && value <= 0)) { pen = false; return; }
      if (pen && view.gaps[n]) pen = false;
      const at = `${this.x(reading.ms)} ${this.y(value)}`;
      // A value between two gaps has no line, and would not be seen.
      const next = column.values[n + 1];
      if (!pen && (next === undefined || view.gaps[n + 1])) dots.push(at);
      path += (pen ? 'L' : 'M') + at;
      pen = true;
    });
    const alone = dots.map(at => `M${at}h.01`).join('');
    const parts = [draw('path', { class: `curve c${column.slot % SLOTS}`, d: path })];
    if (alone) parts.push(draw('path', { class: `dot c${column.slot % SLOTS}`, d: alone }));
    return parts;
  }

  areas() {
    const below = view.readings.map(() => 0), parts = [];
    for (const column of this.data) {
      let path = '', up = [], down = [];
      const close = () => {
        if (up.length === 1) { const [x, y] = up[0], [, z] = down[0]; path += `M${x - 1} ${y}H${x + 1}V${z}H${x - 1}Z`; }
        else if (up.length) path += 'M' + [...up, ...down.reverse()].map(p => p.join(' ')).join('L') + 'Z';
        up = []; down = [];
      };
      view.readings.forEach((reading, n) => {
        const value = column.values[n];
        if (value === undefined || view.gaps[n]) close();
        if (value === undefined) return;
        const x = this.x(reading.ms);
        down.push([x, this.y(below[n])]);
        below[n] += value;
        up.push([x, this.y(below[n])]);
      });
      close();
      parts.push(draw('path', { class: `area c${column.slot % SLOTS}`, fill: `url(#fill${column.slot % SLOTS})`, d: path }));
    }
    return parts;
  }

  /** The key is made anew only when there are other figures. */
  key() {
    const names = this.data.map(column => column.name).join('\n') + '\n' + this.needs.map(line => line.words).join('\n');
    if (names === this.named) return;
    this.named = names;
    // As in the drawing: what is on top stands on top.
    const order = this.spec.stack ? [...this.data].reverse() : this.data;
    this.legend.replaceChildren(...order.map(column => {
      const item = make('li', `c${column.slot % SLOTS}`), sample = draw('svg', { class: 'sample', viewBox: '0 0 22 12', 'aria-hidden': 'true' });
      sample.append(this.spec.stack ? draw('rect', { class: 'area', width: 22, height: 12, fill: `url(#fill${column.slot % SLOTS})` })
        : draw('path', { class: `curve c${column.slot % SLOTS}`, d: 'M0 6H22' }));
      item.append(sample, make('span', 'label', column.name), make('b', 'value'));
      return item;
    }));
    this.lines.replaceChildren(...this.needs.map(line => make('li', '', 'required: ' + line.words)));
  }

  /** Values of the moment that is pointed at, or of the newest reading. */
  point() {
    if (this.figure.hidden || !this.data) return;
    const n = view.cursor ?? view.readings.length - 1, reading = view.readings[n];
    if (!reading) return;
    const inside = view.cursor !== null;
    this.line.setAttribute('d', inside ? `M${this.x(reading.ms)} ${TOP}V${HEIGHT - BOTTOM}` : '');
    const reasons = new Set(), order = this.spec.stack ? [...this.data].reverse() : this.data;
    order.forEach((column, place) => {
      const value = column.values[n], item = this.legend.children[place];
      if (!item) return;
      item.lastChild.textContent = value === undefined ? '–' : written(value, this.spec.unit);
      const why = value === undefined ? reason(reading, column.path) : '';
      item.title = clean(why);
      if (why) reasons.add('–: ' + why);
    });
    const never = new Map();
    for (const column of this.never) {
      const why = reason(reading, column.path);
      if (why) never.set(why, [...never.get(why) || [], column.name]);
    }
    for (const [why, names] of never) reasons.add(`no ${names.join(', no ')}: ${why}`);
    this.why.textContent = clean([...reasons].join('; '));
  }
}
