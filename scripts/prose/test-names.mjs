import ts from 'typescript';

const DECLARES = new Set(['describe', 'it', 'test']);

/**
 * Returns the names of all tests of a file as Markdown, with one paragraph for each. `lines` has the line of the file
 * from which each line of the Markdown comes.
 * @param {string} path
 * @param {string} source
 */
export function testNamesOf(path, source) {
  /** @type {string[]} */
  const text = [];
  /** @type {number[]} */
  const lines = [];
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest);
  /** @param {ts.Node} node */
  const visit = (node) => {
    const name = ts.isCallExpression(node) && declares(node.expression) ? node.arguments[0] : undefined;
    if (name && ts.isStringLiteralLike(name)) {
      const line = file.getLineAndCharacterOfPosition(name.getStart(file)).line + 1;
      text.push('', name.text);
      lines.push(line, line);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { text: text.join('\n'), lines };
}

/**
 * Whether the callee is `it`, `it.skip`, or what `it.each(…)` returns.
 * @param {ts.Expression} callee
 * @returns {boolean}
 */
function declares(callee) {
  if (ts.isIdentifier(callee)) return DECLARES.has(callee.text);
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return declares(callee.expression);
  return ts.isTaggedTemplateExpression(callee) && declares(callee.tag);
}
