const RAW = /\{%-?\s*raw\s*-?%\}.*?\{%-?\s*endraw\s*-?%\}/gs;
const TAGS = /\{\{.*?\}\}|\{%.*?%\}/gs;
const QUOTED = /'[^']*'|"[^"]*"/g;
/** Names after a dot are left out, because they are members of another value. */
const NAMES = /(?<![\w.-])[A-Za-z_][\w-]*/g;

/**
 * Whether the templates in a value name one of these variables. The text is searched instead of parsed, because the
 * engine's own analysis takes seconds for a few deeply nested tags.
 */
export function isNamedIn(value: unknown, names: readonly string[]): boolean {
  if (typeof value === 'string') return namesIn(value).some((name) => names.includes(name));
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => isNamedIn(member, names));
}

function namesIn(text: string): string[] {
  const tags = text.replace(RAW, '').match(TAGS) ?? [];
  return tags.flatMap((tag) => insideOf(tag).replace(QUOTED, '').match(NAMES) ?? []);
}

/** Removes the marks that strip the whitespace around a tag. */
function insideOf(tag: string): string {
  return tag.slice(2, -2).replace(/^-|-$/g, '');
}
