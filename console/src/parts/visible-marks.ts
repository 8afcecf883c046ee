/** They turn the direction of what follows them, also in front of and behind the text that has them. */
const MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text with the invisible marks of direction as signs, such as `⟨U+202E⟩`, which turn nothing. */
export function withVisibleMarks(text: string): string {
  return text.replace(MARKS, (mark) => `⟨U+${mark.charCodeAt(0).toString(16).toUpperCase()}⟩`);
}
