import { liquid } from './engine.js';

/** Whether each operator has its values. The engine takes a missing one for nothing, and ignores one too many. */
export function isWholeCondition(text: string): boolean {
  const { defaultOperators, Tokenizer, TypeGuards } = liquid();
  const tokenizer = new Tokenizer(text, defaultOperators);
  let isValueDue = true;
  for (const token of tokenizer.readExpressionTokens()) {
    const isNot = TypeGuards.isOperatorToken(token) && token.operator === 'not';
    const isBetween = TypeGuards.isOperatorToken(token) && !isNot;
    if (isBetween === isValueDue) return false;
    isValueDue = isBetween || isNot;
  }
  tokenizer.readFilters();
  tokenizer.skipBlank();
  return !isValueDue && tokenizer.end();
}
