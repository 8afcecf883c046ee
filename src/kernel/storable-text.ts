/** With U+FFFD in the place of what PostgreSQL does not take as text: NUL characters and lone surrogates. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
