import { defaultOperators, Tokenizer, TypeGuards } from 'liquidjs';

/** Whether each operator has its values: the engine takes one that is missing for nothing, and leaves out one too many. */
export function isWholeCondition(text: string): boolean {
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
