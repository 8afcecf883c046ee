const RAW = /\{%-?\s*raw\s*-?%\}.*?\{%-?\s*endraw\s*-?%\}/gs;
const TAGS = /\{\{.*?\}\}|\{%.*?%\}/gs;
const QUOTED = /'[^']*'|"[^"]*"/g;
/** Not behind a dot: there it is a member of something else. */
const NAMES = /(?<![\w.-])[A-Za-z_][\w-]*/g;

/**
 * Whether the templates in a value name one of these variables. They are looked at and not read: the engine's own analysis
 * takes seconds for a few tags that are nested deeply.
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

/** Without the marks that take the space around a tag away. */
function insideOf(tag: string): string {
  return tag.slice(2, -2).replace(/^-|-$/g, '');
}
