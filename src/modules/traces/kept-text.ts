/** An observation is for reading: the whole of a call is in the ledger's payload. */
const MAX_TEXT = 100_000;

export function keptText(text: string, length = MAX_TEXT): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
