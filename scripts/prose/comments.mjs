import ts from 'typescript';

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const TAGGED = '@';
const DIRECTIVE = /^\s*(eslint-|@ts-|prettier-|@type \{import\()/;
// A type may contain braces within braces.
const BRACES = String.raw`\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`;
const TAG = new RegExp(
  String.raw`(?<=^|\s)@(?:import .*|(?:param|property|typedef)\s+${BRACES}\s+\S+|\w+\s*(?:${BRACES})?)`,
  'gm',
);

/**
 * Returns the text of all comments of a program as Markdown, with one paragraph for each. `lines` has the line of the
 * program from which each line of the Markdown comes.
 * @param {string} path
 * @param {string} source
 */
export function commentsOf(path, source) {
  /** @type {string[]} */
  const text = [];
  /** @type {number[]} */
  const lines = [];
  /**
   * @param {string} content
   * @param {number} line
   */
  const add = (content, line) => {
    text.push(content);
    lines.push(line);
  };
  let last = { line: 0, alone: false };
  const code = withoutLiterals(path, source);
  const positions = new Positions(source);
  for (const { 0: comment, index } of code.matchAll(COMMENT)) {
    const content = contentOf(source.slice(index, index + comment.length));
    if (DIRECTIVE.test(content)) continue;
    const first = positions.lineOf(index);
    const alone = comment.startsWith('//') && positions.beginsLine(index);
    const continues = alone && last.alone && first === last.line + 1;
    for (const [offset, line] of content.split('\n').entries()) {
      const begins = (offset === 0 && !continues) || line.startsWith(TAGGED);
      if (begins) add('', first + offset);
      add(line.replace(TAGGED, '').trim(), first + offset);
    }
    last = { line: first, alone };
  }
  return { text: text.join('\n'), lines };
}

/**
 * Replaces strings, templates and regular expressions by spaces, because they may contain text that looks like a
 * comment.
 * @param {string} path
 * @param {string} source
 */
function withoutLiterals(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest);
  let code = '';
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (isLiteral(node)) {
      const start = node.getStart(file);
      code += source.slice(code.length, start) + ' '.repeat(node.end - start);
    } else ts.forEachChild(node, visit);
  };
  visit(file);
  return code + source.slice(code.length);
}

/** @param {ts.Node} node */
function isLiteral({ kind }) {
  return kind >= ts.SyntaxKind.FirstLiteralToken && kind <= ts.SyntaxKind.LastTemplateToken;
}

/**
 * Returns the words of a comment. A tag of JSDoc with its type and the name of its parameter is replaced by one mark.
 * @param {string} comment
 */
function contentOf(comment) {
  if (comment.startsWith('//')) return comment.replace(/^\/+/, '').trim();
  const content = comment
    .slice(2, -2)
    .split('\n')
    .map((line) => line.replace(/^\s*\*+/, '').trim())
    .join('\n');
  return content.replace(TAG, (tag) => TAGGED + tag.replace(/[^\n]/g, ''));
}

class Positions {
  /** @param {string} source */
  constructor(source) {
    this.source = source;
    this.starts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  }

  /** @param {number} index */
  lineOf(index) {
    const next = this.starts.findIndex((start) => start > index);
    return next < 0 ? this.starts.length : next;
  }

  /** @param {number} index */
  beginsLine(index) {
    const start = this.starts[this.lineOf(index) - 1];
    return this.source.slice(start, index).trim() === '';
  }
}
