import ts from 'typescript';

/** Programs whose texts no user reads. */
const UNREAD = /(?:^|\/)(?:test|bench|migrations)\/|\.test\.ts$/;
/** Members whose texts are values that a user or a model could send. */
const VALUES = new Set(['examples']);
const PHRASE = /\p{L}[\p{L}’',;:.`)]* [\p{L}`(]/u;
/** SQL, programs, media types, and texts that are laid out in columns. */
const CODE = /^(?:curl|-H|\s*(?:select|with|update|insert|delete)) |[;{}]\n|\n {2}|\w\/[\w.+-]+;/;

/**
 * Returns the texts that users of the API, of settings, of metrics and of the log read, as Markdown with one paragraph
 * for each. They are all literals of a program that have more than one word and are not code, so no text needs to be
 * declared as one. `lines` has the line of the file from which each line of the Markdown comes.
 * @param {string} path
 * @param {string} source
 */
export function interfaceTextsOf(path, source) {
  /** @type {string[]} */
  const text = [];
  /** @type {number[]} */
  const lines = [];
  if (UNREAD.test(path)) return { text: '', lines };
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest);
  for (const node of textsIn(file)) {
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
    const words = ['', ...wordsOf(node).split('\n')];
    text.push(...words);
    lines.push(...words.map(() => line));
  }
  return { text: text.join('\n'), lines };
}

/**
 * @param {ts.Node} node
 * @returns {Generator<ts.Expression | ts.JsxText>}
 */
function* textsIn(node) {
  if (isCode(node)) return;
  const isRead = isText(node) && isPhrase(wordsOf(node));
  if (isRead) yield node;
  for (const part of isRead ? computedPartsOf(node) : childrenOf(node)) yield* textsIn(part);
}

/**
 * Returns the parts of a text that are not words of it, but may have texts within them.
 * @param {ts.Expression | ts.JsxText} text
 * @returns {ts.Node[]}
 */
function computedPartsOf(text) {
  if (ts.isBinaryExpression(text)) return [...computedPartsOf(text.left), ...computedPartsOf(text.right)];
  if (ts.isTemplateExpression(text)) return text.templateSpans.map(({ expression }) => expression);
  return ts.isStringLiteralLike(text) || ts.isJsxText(text) ? [] : [text];
}

/** @param {ts.Node} node */
function childrenOf(node) {
  /** @type {ts.Node[]} */
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

/** @param {string} words */
function isPhrase(words) {
  return PHRASE.test(words) && !CODE.test(words);
}

/** @param {ts.Node} node */
function isCode(node) {
  if (ts.isTaggedTemplateExpression(node)) return true;
  if (ts.isPropertyAssignment(node)) return VALUES.has(nameOf(node.name));
  return ts.isCallExpression(node) && nameOf(node.expression) === 'raw';
}

/**
 * Returns the name of an identifier, of the last member of an expression, or of a property.
 * @param {ts.Node} node
 * @returns {string}
 */
function nameOf(node) {
  if (ts.isPropertyAccessExpression(node)) return nameOf(node.name);
  return ts.isIdentifier(node) || ts.isStringLiteral(node) ? node.text : '';
}

/**
 * @param {ts.Node} node
 * @returns {node is ts.Expression | ts.JsxText}
 */
function isText(node) {
  if (ts.isBinaryExpression(node)) {
    return node.operatorToken.kind === ts.SyntaxKind.PlusToken && (isText(node.left) || isText(node.right));
  }
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node);
}

/**
 * Returns the text of an expression. Its computed parts are shown as code, whose words are not checked.
 * @param {ts.Expression | ts.JsxText} expression
 * @returns {string}
 */
function wordsOf(expression) {
  if (ts.isJsxText(expression)) return expression.text.trim().replace(/\s+/g, ' ');
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (ts.isBinaryExpression(expression)) return wordsOf(expression.left) + wordsOf(expression.right);
  if (!ts.isTemplateExpression(expression)) return '`…`';
  return expression.head.text + expression.templateSpans.map(({ literal }) => '`…`' + literal.text).join('');
}
