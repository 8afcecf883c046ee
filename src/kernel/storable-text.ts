/** Returns why PostgreSQL does not accept a text, or undefined. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character';
  if (!text.isWellFormed()) return 'contains a lone surrogate, which is not valid Unicode';
  return undefined;
}

export function isStorable(text: string): boolean {
  return textFault(text) === undefined;
}

/** Replaces what PostgreSQL does not accept in a text, NUL characters and lone surrogates, by U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
