// The tables and figures beside the charts. All texts are texts, whatever is in them.

/** A table's rows: each a list of texts. Columns of figures are those that the page marks. */
function fill(id, rows, none) {
  const table = document.getElementById(id), section = table.closest('section');
  section.hidden = rows.length === 0 && !none;
  const heads = [...table.querySelectorAll('thead th')];
  table.tBodies[0].replaceChildren(...rows.map(row => {
    const line = make('tr');
    row.forEach((text, n) => {
      const cell = make('td', heads[n].className);
      cell.append(text instanceof Node ? text : clean(text));
      line.append(cell);
    });
    return line;
  }));
}
const or = (value, unit) => value === undefined || value === null ? '–' : written(value, unit);

function tables() {
  const reading = view.newest;
  if (view.top) {
    fill('statements', view.top.statements.map(s => [
      number(s.sessions), or(s.calls_per_s, '1/s'), s.calls_per_s > 0 ? written(s.sessions / s.calls_per_s, 's') : '–', s.text]));
    fill('busy', view.top.sessions.map(s => [written(s.for_s, 's'), s.session, s.user, s.application, s.wait, s.statement]));
  }
  if (!reading) return;
  const database = reading.database || {};
  fill('events', (database.waits || []).filter(w => w.sessions > 0).slice(0, 30).map(w => [
    number(w.sessions), w.class, w.event + (w.background ? ' (background)' : '')]));
  const load = reading.load || {};
  fill('transactions', Object.entries({...load.transactions, ...load.hosts}).map(([name, of]) => {
    const times = of.service_time_s || {};
    return [name, or(of.ops_per_s, '1/s'), or(times.p50, 's'), or(times.p99, 's'), or(of.errors_per_s, '1/s'), or(of.retries_per_s, '1/s')];
  }));
  fill('devices', (reading.io && reading.io.devices || []).map(d => [
    d.name, or(d.read_iops, '1/s'), or(d.write_iops, '1/s'), or(d.read_mib_per_s, 'MiB/s'), or(d.write_mib_per_s, 'MiB/s'), or(d.busy_pct, '%'),
    or(d.service_time_s, 's'), or(d.depth, '')]));
  fill('nodes', Object.entries(reading.nodes || {}).map(([name, of]) => [
    name, or(of.commits_per_s, '1/s'), or((of.sessions || {}).active, ''), or((of.redo || {}).mib_per_s, 'MiB/s'),
    or(of.logical_reads_per_s, '1/s'), or(of.physical_reads_per_s, '1/s')]));
}

const TILES = [
  ['load.ops_per_s', 'Operations', '1/s'], ['load.service_time_s.p99', 'Service time p99', 's'],
  ['database.commits_per_s', 'Commits', '1/s'], ['database.sessions.active', 'Active sessions', ''],
  ['cpu.busy_pct', 'Processors busy', '%'], ['io', 'Device I/Os', '1/s'],
];
function tiles() {
  const reading = view.newest, box = document.getElementById('tiles');
  box.replaceChildren(...TILES.map(([path, name, unit]) => {
    const value = !reading || view.stale ? undefined : path === 'io'
      ? sum(figure(reading, 'io.read_iops'), figure(reading, 'io.write_iops')) : figure(reading, path);
    const tile = make('div', 'tile');
    tile.append(make('h3', '', name), make('p', value === undefined ? 'value none' : 'value', or(value, unit)));
    const why = value !== undefined ? '' : view.stale ? 'no new reading' : reason(reading, path);
    tile.append(make('p', 'detail', why));
    return tile;
  }));
}
function sum(a, b) { return a === undefined && b === undefined ? undefined : (a || 0) + (b || 0); }

/** How far the run is, its points, and what the user is to see. */
function progress() {
  const last = view.marks[view.marks.length - 1], box = document.getElementById('progress');
  box.hidden = !last;
  if (last) {
    const done = last.index + (last.ended ? 1 : 0), bar = document.getElementById('done');
    [bar.max, bar.value] = [Math.max(1, last.of), done];
    const doing = view.newest && view.newest.doing;
    const stage = last.ended ? `recorded: ${last.outcome || ''}` : doing && doing.point === last.index ? doing.stage : 'begun';
    const left = view.over || view.replayed ? 0 : last.left_s - (view.now() - Date.parse(last.began)) / 1000;
    document.getElementById('point').textContent = clean(
      `Point ${last.index + 1} of ${last.of}: ${last.subject}, ${last.dop} – ${stage}` + (left > 1 ? `; about ${lasting(left)} left` : ''));
  }
  const rows = view.marks.slice(-200).reverse().map(mark => {
    const button = make('button', 'link', mark.subject);
    button.type = 'button';
    button.title = 'Show its time alone';
    const began = Date.parse(mark.began);
    button.addEventListener('click', () => zoom(began - 2000, mark.ended ? Date.parse(mark.ended) + 2000 : view.now()));
    const took = mark.ended ? lasting((Date.parse(mark.ended) - began) / 1000) : '–';
    return [String(mark.index + 1), button, mark.dop, `${day(began)} ${clock(began)}`, took, mark.outcome || (mark.ended ? '' : 'under way')];
  });
  fill('points', rows);
  const notes = document.getElementById('notes');
  notes.closest('section').hidden = view.notes.length === 0;
  notes.replaceChildren(...view.notes.slice(-20).reverse().map(note => make('li', '', note)));
}

/** Charts without any value are named with the reason: absent is not zero. */
function absent() {
  const items = charts.filter(chart => chart.figure.hidden && !chart.spec.optional).map(chart => {
    const paths = chart.spec.series ? chart.spec.series.map(([path]) => path) : [chart.spec.path];
    const reasons = new Set(paths.map(path => reason(view.newest, path)).filter(Boolean));
    const item = make('li');
    item.append(make('b', '', chart.spec.title), clean(': ' + ([...reasons].join('; ') || 'no reading of this time has it')));
    return item;
  });
  const list = document.getElementById('absent');
  list.replaceChildren(...items);
  list.closest('section').hidden = items.length === 0 || view.readings.length === 0;
}
