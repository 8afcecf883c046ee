/**
 * Turns of phrase that a user of the API may read twice before understanding them, with what to write instead. Only texts
 * for users are checked for them.
 */
const IDIOMS = [
  {
    found: /\b(?:takes?|gives?|fits?|names?|knows?|of|in|to|by) (?:no|none|nothing)\b/g,
    write: 'a verb with "not", such as "does not accept tools"',
  },
  { found: /(?<!\bthere )\b(?:is|are|was|were) no(?:ne|body)?\b(?! longer| more than)/gi, write: '"is not a"' },
  { found: /\bthan (?:it|they) may\b/g, write: 'the limit, such as "longer than its time limit"' },
  { found: /\bstands? (?:there|in|twice)\b|\b(?:is|are) there twice\b/g, write: '"appears" or "occurs"' },
  { found: /\b(?:come|comes|came) (?:to (?:more|too)|of)\b/g, write: '"exceeds"' },
  { found: /\bthere is not\b/g, write: '"does not exist"' },
  { found: /\bhalf way\b/g, write: '"is incomplete"' },
  { found: /\bwhat (?:no|cannot)\b/g, write: 'the thing, such as "characters that headers cannot have"' },
  { found: /\b(?:is|are|was) away\b/g, write: '"does not answer"' },
];

/**
 * Finds turns of phrase that a plain sentence replaces.
 * @param {string} text
 */
export function* idioms(text) {
  for (const { found, write } of IDIOMS) {
    for (const { 0: phrase, index } of text.matchAll(found)) {
      yield { index, message: `"${phrase}" is not plain English. Write ${write}.` };
    }
  }
}
