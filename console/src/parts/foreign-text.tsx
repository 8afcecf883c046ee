import { clamped } from './clamped.js';
import { withVisibleMarks } from './visible-marks.js';

/** A name within a sentence. Its letters do not reorder the sentence. */
export function ForeignName({ children }: { children: string }) {
  return <bdi>{withVisibleMarks(children)}</bdi>;
}

/** A text that takes at most two lines of a cell, and is whole under the pointer. */
export function ShortText({ children }: { children: string }) {
  const text = withVisibleMarks(children);
  return <span {...clamped(text)}>{text}</span>;
}
