// Takes a script for SQL*Plus apart, as SQL*Plus does: PL/SQL is ended by a line with a slash, everything else by a semicolon
// at the end of a line. What cannot be told apart is an error: SQL*Plus would not understand it either.

const COMMANDS = /^(SET|WHENEVER|PROMPT|SHOW|EXIT)\b/;
const PLSQL = /^(BEGIN|DECLARE|CREATE( OR REPLACE)? (PACKAGE|PROCEDURE|FUNCTION|TRIGGER|TYPE))\b/;
const READING = '-- | ';

/** The statements of a script, each without what ends it. */
export function split(script, name) {
  const lines = script.split('\n');
  const read = lines.filter((line) => line.startsWith(READING)).map((line) => line.slice(READING.length));
  return [...parts(lines, name), ...parts(read, `${name}, for reading`)];
}

function parts(lines, name) {
  const statements = [];
  let open = null;
  for (const [index, line] of lines.entries()) {
    const at = `${name}, line ${index + 1}`;
    if (open === null) {
      if (line.trim() === '' || line.startsWith('--') || COMMANDS.test(line)) continue;
      if (!/^[A-Z]/.test(line)) throw new Error(`${at}: no statement begins like this: ${line}`);
      open = { at, plsql: PLSQL.test(line), lines: [] };
    }
    if (open.plsql && line === '/') {
      statements.push({ at: open.at, plsql: true, sql: open.lines.join('\n') });
      open = null;
      continue;
    }
    open.lines.push(line);
    if (!open.plsql && line.trimEnd().endsWith(';')) {
      statements.push({ at: open.at, plsql: false, sql: open.lines.join('\n').trimEnd().slice(0, -1) });
      open = null;
    }
  }
  if (open !== null) throw new Error(`${open.at}: nothing ends this statement`);
  return statements;
}

/** Each text once, with the first place that it stands in. */
export function distinct(statements) {
  const found = new Map();
  for (const statement of statements) if (!found.has(statement.sql)) found.set(statement.sql, statement);
  return [...found.values()];
}
