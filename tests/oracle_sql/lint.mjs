// What both grammars let pass and the server does not, or what would not run as dbdyno needs it.

const RULES = [
  // A parameter or a result has a type without a length.
  ['a constrained parameter type', (sql) => heads(sql).some((head) => /\b(IN|OUT)\s+[A-Z_0-9]+\s*\(\s*\d/i.test(head))],
  ['a constrained result type', (sql) => /\bRETURN\s+[A-Z_0-9]+\s*\(\s*\d+[^)]*\)\s*(AS|IS)\b/i.test(sql)],
  // A parameter of the server's own begins with an underscore, and stands in quotes.
  ['text in double quotes', (sql) => /"/.test(sql.replace(/'[^']*'/g, "''").replace(/SET "_\w+"/, ''))],
  ['a variable without a type', (sql) => /^\s+v_\w+\s*(:=|;)\s*$/m.test(sql)],
  ['= where := must be', (sql) => /^\s+v_\w+ = /m.test(sql)],
  ['another language\'s operator', (sql) => /==|!==|&&|\bELSEIF\b|\bELSE IF\b|\bDIV\b/i.test(bare(sql))],
  ['a procedure that ends under another name', (sql) => namesDiffer(sql)],
  ['an assignment to a parameter that is only read', (sql) => /\bp_(first|passes|state|jobs?|rows_per_tx|ops_per_pass|argument|table_rows|small_rows|n)\s*:=/.test(sql)],
  ['a variable that nobody declares', (sql) => undeclared(sql).length > 0],
  ['a placeholder that is left', (sql) => /[{}]/.test(sql)],
  ['a line that ends the statement too early', (sql) => /^\s*(\/|\.)\s*$/m.test(sql)],
  ['a limit of another dialect', (sql) => /\bLIMIT\s+\d|\bAUTO_INCREMENT\b|\bIF (NOT )?EXISTS\b/i.test(bare(sql))],
  ['an alias of a table after AS', (sql) => /\)\s+AS\s+\w+\s+(WHERE|ORDER|GROUP|JOIN)\b/i.test(bare(sql))],
  ['a hint that is none', (sql) => /\/\*\s+\+|\/\*(QB_NAME|INDEX|FULL)/.test(sql)],
  ['more than 30 bytes in a name', (sql) => /\b[A-Za-z][\w$]{30,}\b/.test(bare(sql))],
];

/** What is wrong with a statement, or nothing. */
export function lint(sql) {
  const rule = RULES.find(([, broken]) => broken(sql));
  return rule === undefined ? null : rule[0];
}

/** Without comments and without what stands in texts. */
function bare(sql) {
  return sql.replace(/--.*$/gm, '').replace(/\/\*(?!\+)[\s\S]*?\*\//g, '').replace(/'(?:[^']|'')*'/g, "''");
}

/** Parameter lists of procedures and functions. */
function heads(sql) {
  const text = bare(sql);
  return [...text.matchAll(/\b(?:PROCEDURE|FUNCTION)\s+\w+\s*\(/gi)].map((found) => {
    let depth = 0;
    const from = found.index + found[0].length - 1;
    for (let at = from; at < text.length; at++) {
      if (text[at] === '(') depth++;
      if (text[at] === ')' && --depth === 0) return text.slice(from, at + 1);
    }
    return text.slice(from);
  });
}

/** Each procedure with a body, and the name after its END. */
function namesDiffer(sql) {
  const text = bare(sql);
  if (!/^CREATE OR REPLACE PACKAGE/.test(text)) return false;
  const begun = [...text.matchAll(/^  (?:PROCEDURE|FUNCTION) (\w+)\([^;]*?\) (?:RETURN \w+ )?AS$/gm)].map((found) => found[1]);
  const ended = [...text.matchAll(/^  END (\w+);$/gm)].map((found) => found[1]);
  return begun.join() !== ended.join();
}

/** Variables that are used in a procedure of a package, or in a block, and stand in none of its declarations. */
function undeclared(sql) {
  const text = bare(sql);
  if (!/\bBEGIN\b/.test(text)) return [];
  const declaration =
    /\b([pv]_\w+)\s+(?:IN\s+|OUT\s+)?(?:NUMBER|PLS_INTEGER|BINARY_FLOAT|BINARY_DOUBLE|VARCHAR2|DATE|integers|\w+\.\w+%TYPE)|\bFOR (v_\w+) IN\b/g;
  return text.split(/^  (?=PROCEDURE |FUNCTION )/m).flatMap((part) => {
    const declared = new Set([...part.matchAll(declaration)].map((found) => found[1] ?? found[2]));
    return [...new Set(part.match(/\b[pv]_\w+/g) ?? [])].filter((name) => !declared.has(name));
  });
}
