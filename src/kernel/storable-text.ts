/** Why PostgreSQL does not take it as text, if it does not. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character';
  if (!text.isWellFormed()) return 'contains a lone surrogate, which is not valid Unicode';
  return undefined;
}

export function isStorable(text: string): boolean {
  return textFault(text) === undefined;
}

/** With U+FFFD in the place of what PostgreSQL does not take as text: NUL characters and lone surrogates. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
