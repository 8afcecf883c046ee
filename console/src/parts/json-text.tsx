import { Text } from '@mantine/core';
import { CutText } from './cut-text.js';
import { formatJson } from './format.js';
import { TextBlock } from './text-block.js';
import { withVisibleMarks } from './visible-marks.js';

/** A browser lays out a longer text slowly. */
const MAX_SHOWN = 20_000;

/** The whitespace of a text in JSON, and its strings as a group, in which it has a meaning. */
const BLANKS = /("(?:[^"\\]|\\.)*")|\s+/g;

/**
 * Returns the object or list that a text in JSON has, which is shown with indents. Other texts stay as they are, also
 * those of which an object would show something else, such as a number with too many digits.
 */
export function readableJson(text: string | null): unknown {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    const isSame = JSON.stringify(value) === text.replace(BLANKS, '$1');
    return typeof value === 'object' && isSame ? (value ?? text) : text;
  } catch {
    return text;
  }
}

interface JsonTextProps {
  title: string;
  value: unknown;
  /** Names what the value belongs to, such as `turn 3`, if several parts of a page have the same titles. */
  of?: string;
}

/** Shows a value as text, whatever it contains. Of a long one, it shows the beginning until it is asked for the rest. */
export function JsonText({ title, value, of }: JsonTextProps) {
  if (value === null || value === undefined || value === '') return null;
  return (
    <section aria-label={of === undefined ? title : `${title}, ${of}`} role={of === undefined ? undefined : 'group'}>
      <Text fw={600} size="sm">
        {withVisibleMarks(title)}
      </Text>
      <CutText text={formatJson(value)} max={MAX_SHOWN}>
        {(shown) => <TextBlock isProse={typeof value === 'string'}>{shown}</TextBlock>}
      </CutText>
    </section>
  );
}
