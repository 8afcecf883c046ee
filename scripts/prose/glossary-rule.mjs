import { BANNED_WORDS } from './banned-words.mjs';

const LONGEST_SENTENCE = 35;
const OPENING = /(?<=^|[.!?]\s+)(?:And|But|Or|Nor|So|Also|Which|That|Who|Whom|Whose|Whoever|Whatever|What)\b/g;
/** The first words of a text that says nothing without the name of what it describes. */
const FRAGMENT =
  /^(?:Of|As|Where|Which|What|Who|Whom|Whose|Whoever|Why|Is|Are|Was|Has|Those|Until when|Begun|Kept|There(?! (?:is|are|was|were)))\b/g;
const SENTENCE = /\S[\s\S]*?(?:[.!?][)"*_]*(?=\s+[^a-z\s])|$(?![\s\S]))/g;
const CODE_SPAN = /(`+)[\s\S]*?\1/g;

/** @typedef {{ index: number, message: string }} Fault */
/** @typedef {Parameters<import('@textlint/types').TextlintRuleContext['report']>[0]} Node */

/**
 * Reports words that docs/glossary.md replaces and sentences that are too long. The published rules for the length of
 * sentences end a sentence at each line break, so they never report one in wrapped text.
 * @param {(paragraph: string) => Iterable<Fault>} faultsOf finds more faults of each paragraph
 * @returns {import('@textlint/types').TextlintRuleReporter}
 */
export function glossaryRule(faultsOf) {
  return ({ Syntax, RuleError, report, getSource }) => {
    /** @type {(node: Node, faults: Iterable<Fault>) => void} */
    const reportAll = (node, faults) => {
      for (const { index, message } of faults) report(node, new RuleError(message, { index }));
    };
    return {
      [Syntax.Str]: (/** @type {Node} */ node) => reportAll(node, bannedWords(getSource(node))),
      [Syntax.Paragraph]: (/** @type {Node} */ node) => {
        const text = getSource(node).replace(CODE_SPAN, (code) => '`'.repeat(code.length));
        reportAll(node, longSentences(text));
        reportAll(node, faultsOf(text));
      },
    };
  };
}

/** @param {string} text */
function* bannedWords(text) {
  for (const { found, write, insteadOf } of BANNED_WORDS) {
    for (const { 0: word, index } of text.matchAll(found)) {
      yield { index, message: `"${word}" is not used. Instead of ${insteadOf}, write: ${write}.` };
    }
  }
}

/** @param {string} text */
function* longSentences(text) {
  for (const { 0: sentence, index } of text.matchAll(SENTENCE)) {
    const words = sentence.split(/\s+/).length;
    if (words <= LONGEST_SENTENCE) continue;
    yield { index, message: `A sentence has at most ${LONGEST_SENTENCE} words; this one has ${words}.` };
  }
}

/**
 * Finds sentences of a comment that cannot be understood without the one before them.
 * @param {string} text
 */
export function* dependentSentences(text) {
  for (const { 0: word, index } of text.matchAll(OPENING)) {
    yield { index, message: `A sentence of a comment does not begin with "${word}".` };
  }
}

/**
 * Finds the beginning of a text that is not a sentence, and that cannot be understood on its own.
 * @param {string} text
 */
export function* fragments(text) {
  for (const { 0: word, index } of text.matchAll(FRAGMENT)) {
    yield { index, message: `A text for users does not begin with "${word}".` };
  }
}
