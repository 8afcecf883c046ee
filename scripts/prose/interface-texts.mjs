import ts from 'typescript';

/** @typedef {(name: string) => boolean} IsText whether the member of this name has a text for users */

/** @type {IsText} */
const isDescription = (name) => ['summary', 'description', 'help', 'allows'].includes(name);
/** @type {IsText} */
const isMessage = (name) => name === 'message' || isDescription(name);
/** @type {IsText} */
const isAnyText = () => true;

/** The functions and constants whose objects have other texts for users. */
const OBJECTS = new Map([
  ['defineErrors', isMessage],
  ['defineReasons', isAnyText],
  ['TAGS', isAnyText],
]);

/**
 * Returns the texts that users of the API, of settings and of metrics read, as Markdown with one paragraph for each.
 * `lines` has the line of the file from which each line of the Markdown comes.
 * @param {string} path
 * @param {string} source
 */
export function interfaceTextsOf(path, source) {
  /** @type {string[]} */
  const text = [];
  /** @type {number[]} */
  const lines = [];
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest);
  const describing = describingFunctions(file);
  for (const node of textsIn(file, isDescription, describing)) {
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
    const words = ['', ...wordsOf(node).split('\n')];
    text.push(...words);
    lines.push(...words.map(() => line));
  }
  return { text: text.join('\n'), lines };
}

/**
 * @param {ts.Node} node
 * @param {IsText} isText
 * @param {Map<string, number>} describing
 * @returns {Generator<ts.Expression>}
 */
function* textsIn(node, isText, describing) {
  if (ts.isCallExpression(node)) {
    const text = node.arguments[describing.get(nameOf(node)) ?? -1];
    if (text) yield* literalsIn(text);
  } else if (ts.isPropertyAssignment(node) && isText(nameOf(node))) yield* literalsIn(node.initializer);
  const isTextWithin = OBJECTS.get(nameOf(node)) ?? isText;
  for (const child of childrenOf(node)) yield* textsIn(child, isTextWithin, describing);
}

/**
 * Returns the functions that describe something, with the position of the argument that is the text. They are
 * `describe` itself, and the functions of the file that pass an argument to it or to a member for users.
 * @param {ts.Node} file
 */
function describingFunctions(file) {
  const found = new Map([['describe', 0]]);
  /** @param {ts.Node} node */
  const visit = (node) => {
    const made = ts.isVariableDeclaration(node) ? node.initializer : node;
    if (made && (ts.isArrowFunction(made) || ts.isMethodDeclaration(made))) {
      const at = made.parameters.findIndex((parameter) => made.body && describesBy(made.body, nameOf(parameter)));
      if (at >= 0 && nameOf(node) !== '') found.set(nameOf(node), at);
    }
    childrenOf(node).forEach(visit);
  };
  visit(file);
  return found;
}

/**
 * @param {ts.Node} node
 * @param {string} parameter
 * @returns {boolean}
 */
function describesBy(node, parameter) {
  if (ts.isShorthandPropertyAssignment(node)) return nameOf(node) === parameter && isDescription(parameter);
  if (ts.isCallExpression(node) && nameOf(node) === 'describe') {
    const [text] = node.arguments;
    if (text && usesName(text, parameter)) return true;
  }
  return childrenOf(node).some((child) => describesBy(child, parameter));
}

/**
 * @param {ts.Node} node
 * @param {string} name
 * @returns {boolean}
 */
function usesName(node, name) {
  return ts.isIdentifier(node) ? node.text === name : childrenOf(node).some((child) => usesName(child, name));
}

/** @param {ts.Node} node */
function childrenOf(node) {
  /** @type {ts.Node[]} */
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

/**
 * Returns the name of the called function, of the variable or of the member.
 * @param {ts.Node} node
 */
function nameOf(node) {
  const name = ts.isCallExpression(node) ? calleeOf(node.expression) : /** @type {{ name?: ts.Node }} */ (node).name;
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : '';
}

/** @param {ts.Expression} callee */
function calleeOf(callee) {
  return ts.isPropertyAccessExpression(callee) ? callee.name : callee;
}

/**
 * Returns the texts of which an expression chooses one.
 * @param {ts.Expression} expression
 * @returns {ts.Expression[]}
 */
function literalsIn(expression) {
  if (ts.isConditionalExpression(expression)) {
    return [...literalsIn(expression.whenTrue), ...literalsIn(expression.whenFalse)];
  }
  const isText =
    ts.isStringLiteralLike(expression) || ts.isTemplateExpression(expression) || ts.isBinaryExpression(expression);
  return isText ? [expression] : [];
}

/**
 * Returns the text of an expression. Its computed parts are shown as code, whose words are not checked.
 * @param {ts.Expression} expression
 * @returns {string}
 */
function wordsOf(expression) {
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (ts.isBinaryExpression(expression)) return wordsOf(expression.left) + wordsOf(expression.right);
  if (!ts.isTemplateExpression(expression)) return '`…`';
  return expression.head.text + expression.templateSpans.map(({ literal }) => '`…`' + literal.text).join('');
}
