// This file renders the statements of repositories, so that a reviewer sees the SQL that is composed. The examples are
// in test/<module>/<module>.statements.ts, beside the samples of routes. They are made-up arguments, for which the
// program has no use, and the compiler checks them against the methods that they call. They are loaded from the source,
// as tests are, so that an example and its statement change together without a build.
import 'reflect-metadata';
import '../test/support/typescript.mjs';

/** @typedef {import('../src/platform/database/statement.js').Statement<unknown>} Statement */

const EXAMPLES = new URL('../test/support/statement-examples.ts', import.meta.url);
const GENERATED = '-- Made from the code by `npm run docs`; changes here are lost.\n';
const WIDTH = 120;
const STRING = /('(?:[^']|'')*')/;
/** A line may be broken at spaces behind commas and before words that begin a part of a statement. */
const TOKEN = /'(?:[^']|'')*'|[()]|(?<=,) | (?=(?:from|where|and|left join|join|set|values|returning|order by)\b)/g;

/**
 * Returns the documents by their paths.
 * @returns {Promise<Record<string, string>>}
 */
export async function sqlDocuments() {
  /** @type {unknown} */
  const module = await import(EXAMPLES.href);
  const { statementExamples } = /** @type {typeof import('../test/support/statement-examples.js')} */ (module);
  /** @type {Record<string, string>} */
  const documents = {};
  for (const [name, examples] of await statementExamples()) {
    const titles = Object.keys(examples).sort();
    const parts = titles.map((title) => `-- ${title}\n${render(/** @type {Statement} */ (examples[title]))}`);
    documents[`docs/sql/${name}.sql`] = [GENERATED, ...parts].join('\n');
  }
  return documents;
}

/** @param {Statement} statement */
function render({ sql, locks }) {
  const { name, isPlannedForAll, text } = sql.toQuery();
  const facts = [
    ...(isPlannedForAll ? ['planned once for all values'] : name === undefined ? [] : ['planned once']),
    ...locks.map((lock) => `takes the lock '${lock}'`),
  ];
  return `${facts.length > 0 ? `-- ${facts.join(', ')}\n` : ''}${laidOut(text)};\n`;
}

/**
 * Indents the lines of a text by the parentheses that they are in. Templates within templates have indentations of
 * their own, which mean nothing here.
 * @param {string} text
 */
function laidOut(text) {
  let depth = 0;
  const lines = text.split('\n').map((line) => withSingleSpaces(line).trim());
  return lines
    .filter((line) => line !== '')
    .flatMap((line) => {
      const indent = '  '.repeat(depth);
      const parentheses = line.split(STRING).filter((_, at) => at % 2 === 0);
      depth += count(parentheses, '(') - count(parentheses, ')');
      return wrapped(line, indent);
    })
    .join('\n');
}

/** @param {string} line */
function withSingleSpaces(line) {
  return line
    .split(STRING)
    .map((part, at) => (at % 2 === 0 ? part.replace(/\s+/g, ' ') : part))
    .join('');
}

/**
 * Breaks long lines as far outside of parentheses as possible, because reviewers compare documents line by line.
 * @param {string} line
 * @param {string} indent
 * @returns {string[]}
 */
function wrapped(line, indent) {
  if (indent.length + line.length <= WIDTH) return [indent + line];
  const pieces = piecesOf(line);
  if (pieces.length === 1) return [indent + line];
  /** @type {string[]} */
  const lines = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && indent.length + last.length + piece.length < WIDTH) lines.push(`${lines.pop()} ${piece}`);
    else lines.push(piece);
  }
  return lines.flatMap((one, at) => wrapped(one, at === 0 ? indent : `${indent}  `));
}

/** @param {string} line */
function piecesOf(line) {
  let depth = 0;
  const breaks = [];
  for (const { 0: token, index } of line.matchAll(TOKEN)) {
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (token === ' ') breaks.push({ index, depth });
  }
  const outermost = Math.min(...breaks.map((one) => one.depth));
  const ends = breaks.filter((one) => one.depth === outermost).map(({ index }) => index);
  return [...ends, line.length].map((end, at) => line.slice(at === 0 ? 0 : ends[at - 1], end).trim());
}

/**
 * @param {string[]} parts
 * @param {string} character
 */
function count(parts, character) {
  return parts.join('').split(character).length - 1;
}
