import type { CSSProperties } from 'react';

/**
 * Lets the browser grow a text field with its text, up to a number of rows. The library's own way lays the whole text out
 * three times more at each key, which takes seconds at 1 MiB. Where the browser does not, the field can be dragged.
 */
export function growing(maxRows: number) {
  return {
    classNames: { input: 'growing' },
    styles: { input: { '--max-rows': maxRows } as CSSProperties },
    rows: 4,
    resize: 'vertical' as const,
  };
}
