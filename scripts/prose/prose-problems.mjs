import { createLinter, loadTextlintrc } from 'textlint';
import { inProject } from '../project.mjs';
import { commentsOf } from './comments.mjs';
import { dependentSentences, fragments, glossaryRule } from './glossary-rule.mjs';
import { idioms } from './idioms.mjs';
import { interfaceTextsOf } from './interface-texts.mjs';
import { testNamesOf } from './test-names.mjs';

const published = await loadTextlintrc({ configFilePath: inProject('.textlintrc.json') });
const documents = linterWith(() => []);
const comments = linterWith(dependentSentences);
const interfaceTexts = linterWith((text) => [...fragments(text), ...idioms(text)]);

/**
 * Checks the text of a document, or the comments of a program, the names of its tests, and its texts for users.
 * @param {string} path
 * @param {string} source
 */
export async function proseProblems(path, source) {
  if (path.endsWith('.md')) return problemsOf(documents, source, path, (line) => line);
  const found = [
    await problemsIn(comments, commentsOf(path, source), path),
    await problemsIn(documents, testNamesOf(path, source), path),
    await problemsIn(interfaceTexts, interfaceTextsOf(path, source), path),
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

/** @param {Parameters<typeof glossaryRule>[0]} faultsOf */
function linterWith(faultsOf) {
  const own = { ruleId: 'glossary', rule: glossaryRule(faultsOf) };
  const rules = [...published.rule.toKernelRulesFormat(), own];
  return createLinter({
    descriptor: published.shallowMerge({ rules, plugins: published.plugin.toKernelPluginsFormat() }),
  });
}
