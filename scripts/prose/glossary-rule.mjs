import { BANNED_WORDS } from './banned-words.mjs';

const LONGEST_SENTENCE = 35;
const OPENING = /(?<=^|[.!?]\s+)(?:And|But|Or|Nor|So|Also|Which|That|Who|Whom|Whose|Whoever|Whatever|What)\b/g;
const SENTENCE = /\S[\s\S]*?(?:[.!?][)"*_]*(?=\s+[^a-z\s])|$(?![\s\S]))/g;
const CODE_SPAN = /(`+)[\s\S]*?\1/g;

/**
 * Reports words that docs/glossary.md replaces and sentences that are too long. In comments, it also reports sentences
 * that cannot be understood without the one before them. The published rules for the length of sentences end a sentence
 * at each line break, so they never report one in wrapped text.
 * @param {any} context textlint's context, whose types are not published
 * @param {{ openings?: boolean }} options
 */
export function glossaryRule({ Syntax, RuleError, report, getSource }, { openings = false } = {}) {
  /**
   * @param {any} node
   * @param {number} index
   * @param {string} message
   */
  const refuse = (node, index, message) => report(node, new RuleError(message, { index }));

  return {
    /** @param {any} node */
    [Syntax.Str](node) {
      for (const { found, write, insteadOf } of BANNED_WORDS) {
        for (const { 0: word, index } of getSource(node).matchAll(found)) {
          refuse(node, index, `"${word}" is not used. Instead of ${insteadOf}, write: ${write}.`);
        }
      }
    },

    /** @param {any} node */
    [Syntax.Paragraph](node) {
      const text = getSource(node).replace(CODE_SPAN, (/** @type {string} */ code) => '`'.repeat(code.length));
      for (const { 0: sentence, index } of text.matchAll(SENTENCE)) {
        const words = sentence.split(/\s+/).length;
        if (words > LONGEST_SENTENCE) {
          refuse(node, index, `A sentence has at most ${LONGEST_SENTENCE} words; this one has ${words}.`);
        }
      }
      if (!openings) return;
      for (const { 0: word, index } of text.matchAll(OPENING)) {
        refuse(node, index, `A sentence of a comment does not begin with "${word}".`);
      }
    },
  };
}
