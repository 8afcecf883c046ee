export type Cell = string | number | null | undefined;

/** Returns lines with aligned columns. Numbers are aligned to the right. */
export function table(titles: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => row.map(textOf));
  const widths = titles.map((title, at) => Math.max(title.length, ...texts.map((row) => row[at]!.length)));
  const isNumber = titles.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (isNumber[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd();
  return [titles, ...texts].map(line).join('\n');
}

/** A stranger's text must not move the cursor or change the colours of the terminal. */
export function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ');
}

function textOf(cell: Cell): string {
  return shown(String(cell ?? '–'));
}
