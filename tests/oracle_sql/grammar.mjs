// Takes the ANTLR PL/SQL grammar out of its package for Node: the tables that ANTLR's run-time library works by are the same
// in every language, and the one for Java is ten times as fast with a grammar of this size. Prints one list a line.

import { PlSqlLexer, PlSqlParser } from '@griffithswaite/ts-plsql-parser';

const named = (names) => Array.from(names, (name) => name ?? '').join('\t');
for (const part of [PlSqlLexer, PlSqlParser]) {
  console.log(part._serializedATN.join(' '));
  console.log(named(part.ruleNames));
  console.log(named(part.literalNames));
  console.log(named(part.symbolicNames));
}
console.log(named(PlSqlLexer.channelNames));
console.log(named(PlSqlLexer.modeNames));
