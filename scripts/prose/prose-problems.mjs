import { createLinter, loadTextlintrc } from 'textlint';
import { inProject } from '../project.mjs';
import { commentsOf } from './comments.mjs';
import { glossaryRule } from './glossary-rule.mjs';
import { testNamesOf } from './test-names.mjs';

const published = await loadTextlintrc({ configFilePath: inProject('.textlintrc.json') });
const documents = linterWith(false);
const comments = linterWith(true);

/**
 * Checks the text of a document, or the comments of a program and the names of its tests.
 * @param {string} path
 * @param {string} source
 */
export async function proseProblems(path, source) {
  if (path.endsWith('.md')) return problemsOf(documents, source, path, (line) => line);
  const found = [
    await problemsIn(comments, commentsOf(path, source), path),
    await problemsIn(documents, testNamesOf(path, source), path),
  ];
  return found.flat().sort((a, b) => a.line - b.line);
}

/**
 * @param {ReturnType<typeof createLinter>} linter
 * @param {{ text: string, lines: number[] }} prose
 * @param {string} path
 */
async function problemsIn(linter, { text, lines }, path) {
  return text === '' ? [] : problemsOf(linter, text, `${path}.md`, (line) => lines[line - 1] ?? 1);
}

/**
 * @param {ReturnType<typeof createLinter>} linter
 * @param {string} text
 * @param {string} path
 * @param {(line: number) => number} lineOf returns the line of the file from which a line of the text comes
 */
async function problemsOf(linter, text, path, lineOf) {
  const { messages } = await linter.lintText(text, path);
  return messages.map(({ ruleId, message, loc }) => ({ rule: ruleId, message, line: lineOf(loc.start.line) }));
}

/** @param {boolean} isForComments */
function linterWith(isForComments) {
  const own = { ruleId: 'glossary', rule: glossaryRule({ isForComments }) };
  const rules = [...published.rule.toKernelRulesFormat(), own];
  return createLinter({
    descriptor: published.shallowMerge({ rules, plugins: published.plugin.toKernelPluginsFormat() }),
  });
}
