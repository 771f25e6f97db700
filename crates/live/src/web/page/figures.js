// What is drawn: charts and their figures, by the paths that readings have. Paths lead to reasons, too.
const CHARTS = [
  { id: 'rate', title: 'Operations and commits', unit: '1/s', series: [
    ['load.ops_per_s', 'operations'], ['database.commits_per_s', 'commits'], ['load.errors_per_s', 'errors'],
    ['load.retries_per_s', 'retries']] },
  { id: 'times', title: 'Time of an operation', unit: 's', log: true, series: [
    ['load.service_time_s.p50', 'service p50'], ['load.service_time_s.p99', 'service p99'],
    ['load.response_time_s.p50', 'response p50'], ['load.response_time_s.p99', 'response p99']] },
  { id: 'waits', title: 'Average active sessions, by wait class', unit: 'sessions', stack: true, keys: waitClasses,
    path: 'database.waits' },
  { id: 'cpu-kind', title: 'Processors, by kind', unit: '%', stack: true, top: 100, series: [
    ['cpu.user_pct', 'user'], ['cpu.system_pct', 'system'], ['cpu.iowait_pct', 'I/O wait'], ['cpu.steal_pct', 'steal']] },
  { id: 'cpu-whom', title: 'Processors, by whom', unit: '%', stack: true, top: 100, series: [
    ['cpu.server_pct', 'database'], ['cpu.harness_pct', 'dbdyno'], ['cpu.others_pct', 'others']] },
  { id: 'iops', title: 'Device I/Os', unit: '1/s', series: [['io.read_iops', 'reads'], ['io.write_iops', 'writes']] },
  { id: 'mib', title: 'Device transfer', unit: 'MiB/s', series: [
    ['io.read_mib_per_s', 'read'], ['io.write_mib_per_s', 'written'],
    ['server_io.read_mib_per_s', 'read by the database'], ['server_io.write_mib_per_s', 'written by the database']] },
  { id: 'io-times', title: 'Device service time', unit: 's', log: true, series: [
    ['io.read_service_time_s', 'read'], ['io.write_service_time_s', 'write']] },
  { id: 'redo', title: 'Redo', unit: 'MiB/s', series: [['database.redo.mib_per_s', 'redo']] },
  { id: 'redo-writes', title: 'Redo writes and sync waits', unit: '1/s', series: [
    ['database.redo.writes_per_s', 'writes'], ['database.redo.sync_writes_per_s', 'sync waits'],
    ['database.redo.page_images_per_s', 'page images']] },
  { id: 'redo-times', title: 'Time of a redo write', unit: 's', log: true, series: [
    ['database.redo.write_service_time_s', 'write'], ['database.redo.sync_service_time_s', 'sync wait']] },
  { id: 'sessions', title: 'Sessions by state', unit: 'sessions', stack: true, series: [
    ['database.sessions.active', 'active'], ['database.sessions.idle_in_transaction', 'idle in transaction'],
    ['database.sessions.idle', 'idle']] },
  { id: 'blocks', title: 'Blocks', unit: '1/s', series: [
    ['database.logical_reads_per_s', 'logical reads'], ['database.physical_reads_per_s', 'physical reads'],
    ['database.physical_writes_per_s', 'written'], ['database.rows_changed_per_s', 'rows changed']] },
  { id: 'hit', title: 'Reads served by the cache', unit: '%', top: 100, series: [
    ['database.buffer_hit_pct', "engine's cache"]] },
  { id: 'foreign', title: 'Commits of others', unit: '1/s', optional: true, series: [
    ['database.foreign_commits_per_s', 'at least']] },
  { id: 'foreign-sessions', title: 'Active sessions of others', unit: 'sessions', optional: true, series: [
    ['database.foreign_sessions', 'sessions']] },
  { id: 'lag', title: 'Lag of the standby', unit: 's', optional: true, series: [['database.replication_lag_s', 'lag']] },
  { id: 'runnable', title: 'Run queue', unit: 'tasks', series: [['cpu.runnable', 'runnable']] },
  { id: 'memory', title: 'Memory', unit: 'B', series: [
    ['memory.available_bytes', 'available'], ['memory.page_cache_bytes', 'page cache'],
    ['memory.harness_rss_bytes', 'dbdyno']] },
  { id: 'network', title: 'Network', unit: 'MiB/s', series: [
    ['network.receive_mib_per_s', 'received'], ['network.send_mib_per_s', 'sent'],
    ['network.loopback_mib_per_s', 'loopback'], ['memory.swap_mib_per_s', 'swap']] },
  { id: 'pressure', title: 'Pressure: some task waited', unit: '%', top: 100, series: [
    ['pressure.cpu_some_pct', 'for a processor'], ['pressure.io_some_pct', 'for I/O'],
    ['pressure.memory_some_pct', 'for memory']] },
];

/** A figure by its path; undefined where it is absent. */
function figure(reading, path) {
  let value = reading;
  for (const key of path.split('.')) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Sessions in each class of waits. Processes of the server's own are no sessions. */
function waitClasses(reading) {
  const sums = new Map();
  if (!reading.database) return sums;
  for (const wait of reading.database.waits || []) {
    if (!wait.background) sums.set(wait.class, (sums.get(wait.class) || 0) + wait.sessions);
  }
  return sums;
}

/** Why a figure is absent: the reason of its path, of what it is part of, or of a part of it. */
function reason(reading, path) {
  const missing = reading && reading.missing || {};
  for (let at = path; at; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
    if (Object.hasOwn(missing, at)) return missing[at];
  }
  const part = Object.keys(missing).find(key => key.startsWith(path + '.'));
  return part ? missing[part] : '';
}

const PLAIN = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** A number with three significant digits at least. */
function number(value) {
  const size = Math.abs(value);
  if (size >= 1000) return PLAIN.format(value);
  if (Number.isInteger(value)) return String(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.01 || size === 0) return String(Number(value.toFixed(2)));
  return value.toPrecision(2);
}

/** A figure with its unit, as people write it. */
function written(value, unit) {
  if (unit === 's') {
    const size = Math.abs(value);
    if (size === 0) return '0 s';
    if (size < 0.001) return number(value * 1e6) + ' µs';
    if (size < 1) return number(value * 1e3) + ' ms';
    return number(value) + ' s';
  }
  if (unit === 'B') {
    const steps = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let step = 0;
    while (Math.abs(value) >= 1024 && step < 4) { value /= 1024; step += 1; }
    return number(value) + ' ' + steps[step];
  }
  if (unit === '%') return number(value) + ' %';
  return unit === '1/s' ? number(value) + '/s' : unit === 'MiB/s' ? number(value) + ' MiB/s' : number(value);
}

// Characters that control, hide or reorder others are shown as signs, so that no text looks like another one.
const STEERS = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
function clean(text) {
  return String(text ?? '').replace(STEERS, c => '\\u{' + c.codePointAt(0).toString(16) + '}');
}

function two(n) { return String(n).padStart(2, '0'); }
function clock(ms, seconds = true) {
  const at = new Date(ms);
  return two(at.getHours()) + ':' + two(at.getMinutes()) + (seconds ? ':' + two(at.getSeconds()) : '');
}
/** The beginning and end of a range, with their days where these differ. */
function between(from, to) {
  const days = day(from) !== day(to);
  return `${days ? day(from) + ' ' : ''}${clock(from)} to ${days ? day(to) + ' ' : ''}${clock(to)}`;
}
function utc(ms) { return new Date(ms).toISOString().slice(11, 19) + ' UTC'; }
function day(ms) {
  const at = new Date(ms);
  return at.getFullYear() + '-' + two(at.getMonth() + 1) + '-' + two(at.getDate());
}
function lasting(seconds) {
  if (seconds < 90) return Math.round(seconds) + ' s';
  if (seconds < 5400) return Math.round(seconds / 60) + ' min';
  return number(seconds / 3600) + ' h';
}
