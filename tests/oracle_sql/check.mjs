// Judges every statement of scripts for SQL*Plus by two grammars and a lint, and then the judges: each error that seeds.txt
// names must be found by at least one of them.
//
//   node check.mjs GRAMMAR SEEDS COMMAND... -- SCRIPT...      COMMAND runs Grammars.java on the two files that follow it

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { lint } from './lint.mjs';
import { distinct, split } from './statements.mjs';

const [grammar, seedsFile, ...rest] = process.argv.slice(2);
const command = rest.slice(0, rest.indexOf('--'));
const scripts = rest.slice(rest.indexOf('--') + 1);

const all = scripts.flatMap((file) => split(fs.readFileSync(file, 'utf8'), path.basename(file)));
const statements = distinct(all);
const seeds = fs.readFileSync(seedsFile, 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#')).map(seeded);

const judged = [...statements, ...seeds];
const found = judge(judged);
const problems = statements.flatMap((statement, number) => (found.get(number) ?? []).map((why) => `${statement.at}: ${why}\n    ${begin(statement.sql)}`));
const missed = seeds.filter((seed, index) => !found.has(statements.length + index));
const by = new Map();
seeds.forEach((seed, index) => (found.get(statements.length + index) ?? []).forEach((why) => by.set(why.split(':')[0], (by.get(why.split(':')[0]) ?? 0) + 1)));

problems.forEach((problem) => console.log(problem));
missed.forEach((seed) => console.log(`not found: ${seed.seed}`));
const judges = [...by].map(([name, count]) => `${name} ${count}`).join(', ');
console.log(`${all.length} statements of ${scripts.length} scripts, ${statements.length} different; ${problems.length} problems`);
console.log(`${seeds.length} seeded errors, ${missed.length} of them not found (${judges})`);
if (statements.length < 400 || seeds.length < 20) throw new Error('too little to be everything');
process.exit(problems.length + missed.length === 0 ? 0 : 1);

/** A statement with an error in it. */
function seeded(line) {
  const [from, to] = line.split(' => ');
  const wanted = from.replace(/^ +(?=END)/, '');
  // The shortest, which is soonest judged.
  const having = statements.filter((one) => one.sql.includes(wanted));
  const statement = having.sort((one, other) => one.sql.length - other.sql.length)[0];
  if (statement === undefined) throw new Error(`seeds: no statement has '${wanted}'`);
  return { ...statement, sql: statement.sql.replace(wanted, () => to ?? ''), seed: line };
}

/** What each judge says of each statement, by number. */
function judge(list) {
  const files = ['antlr', 'pmd'].map((name) => path.join(path.dirname(grammar), `${name}.statements`));
  fs.writeFileSync(files[0], list.map(({ sql, plsql }) => sql + (plsql ? '\n/\n' : ';\n')).join('\0'));
  fs.writeFileSync(files[1], list.map(({ sql, plsql }) => forPmd(sql) + (plsql ? '\n/\n' : ';\n')).join('\0'));
  const run = spawnSync(command[0], [...command.slice(1), grammar, ...files], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.status !== 0) throw new Error(`the grammars failed: ${run.stderr}`);
  const found = new Map();
  const add = (number, why) => found.set(number, [...(found.get(number) ?? []), why]);
  for (const line of run.stdout.split('\n').filter((text) => text !== '')) {
    const [number, name, why] = line.split('\t');
    add(Number(number), `${name}: ${why}`);
  }
  list.forEach(({ sql }, number) => {
    const why = lint(sql);
    if (why !== null) add(number, `lint: ${why}`);
  });
  return found;
}

/** PMD's grammar knows neither EXPLAIN PLAN nor the name of a partition after that of a table: it is shown what is left. */
function forPmd(sql) {
  const explained = sql.replace(/^EXPLAIN PLAN SET STATEMENT_ID = '\w+' FOR /, '');
  return explained.replace(/^((?:INSERT|DELETE|SELECT)[\s\S]*)$/, (text) => text.replace(/ (SUB)?PARTITION \(\w+\)/g, ''));
}

function begin(sql) {
  return sql.slice(0, 160).replace(/\s+/g, ' ');
}
