/** Words of the table "Words that are not used" in docs/glossary.md that are wrong in names too, in any sense. */
const WORDS = ['anew', 'heard', 'holder', 'nobody', 'polite', 'somebody', 'told', 'whoever'];

const capitalized = WORDS.map((word) => word.replace(/^./, (first) => first.toUpperCase()));

/** The options of the ESLint rule `no-restricted-syntax` that refuse these words as names and as parts of names. */
export const BANNED_NAMES = {
  selector: `Identifier[name=/^(${WORDS.join('|')})(?![a-z])|(^|[a-z])(${capitalized.join('|')})(?![a-z])/]`,
  message: 'Names use the words of docs/glossary.md.',
};
