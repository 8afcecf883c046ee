/** A narrow column has no room for a longer text in two lines. */
const LONG = 20;

/** Returns the attributes of an element that shows a text in at most two lines, and the whole text under the pointer. */
export function clamped(text: string) {
  return { className: 'clamped', title: text.length > LONG ? text : undefined };
}
