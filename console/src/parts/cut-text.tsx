import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { formatNumber } from './format.js';

interface CutTextProps {
  text: string;
  /** The number of characters that are shown of a longer text. */
  max: number;
  /** Draws what is shown of the text. */
  children: (shown: string) => ReactNode;
}

/** Shows the beginning of a long text until it is asked for the rest. */
export function CutText({ text, max, children }: CutTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > max && !isWhole;
  return (
    <>
      {children(isCut ? text.slice(0, max) : text)}
      {isCut && (
        <Button variant="subtle" size="xs" onClick={() => setWhole(true)}>
          Show all {formatNumber(text.length)} characters
        </Button>
      )}
    </>
  );
}
