import { ImportFault } from './import-fault.js';
import { LONGEST_RECORD } from './text-lines.js';

/** What changes the depth, or ends an element. */
const MARK = /["[\]{},]/g;
/** What ends a string, or escapes what follows. */
const IN_STRING = /["\\]/g;

/**
 * Parses a JSON array of any length element by element, and counts them. An object is one element. The text comes in
 * pieces that may end anywhere, so this is no use of kernel/json-outline.ts, which has all of it.
 */
export async function countJsonElements(pieces: AsyncIterable<string>): Promise<number> {
  const elements = new Elements();
  for await (const piece of pieces) elements.add(piece);
  return elements.end();
}

class Elements {
  private count = 0;
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private begun = '';
  private kind: 'array' | 'object' | undefined;
  private isOver = false;

  add(given: string): void {
    const piece = this.kind === undefined ? this.open(this.begun + given) : given;
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      at = this.next(piece, at);
      if (at < 0) break;
      if (this.step(piece[at]!)) {
        this.take(this.begun + piece.slice(from, at), piece[at] === ']' && this.depth === 0);
        this.begun = '';
        from = at + 1;
      }
    }
    this.begun += piece.slice(from);
    if (this.begun.length > LONGEST_RECORD && this.kind !== undefined) throw invalid('an element has more than 16 MiB');
  }

  end(): number {
    if (this.kind === 'object') {
      parsed(this.begun);
      return 1;
    }
    if (!this.isOver || this.begun.trim() !== '') throw invalid('it is no array that ends where the file does');
    return this.count;
  }

  /** What follows the opening of the array; of an object everything. */
  private open(text: string): string {
    const [space] = /^\ufeff?\s*/.exec(text)!;
    const first = text[space.length];
    this.begun = '';
    if (first === undefined) return '';
    if (first !== '[' && first !== '{') throw invalid('it is neither an array nor an object');
    this.kind = first === '[' ? 'array' : 'object';
    if (this.kind === 'object') return text.slice(space.length);
    this.depth = 1;
    return text.slice(space.length + 1);
  }

  /** Where the next mark is. */
  private next(piece: string, at: number): number {
    if (this.isEscaped) return at;
    const mark = this.isInString ? IN_STRING : MARK;
    mark.lastIndex = at;
    return mark.exec(piece)?.index ?? -1;
  }

  /** Whether an element ends here. */
  private step(mark: string): boolean {
    if (this.isEscaped) this.isEscaped = false;
    else if (this.isInString) {
      if (mark === '\\') this.isEscaped = true;
      else if (mark === '"') this.isInString = false;
    } else if (mark === '"') this.isInString = true;
    else if (mark === '[' || mark === '{') this.depth += 1;
    else if (mark === ']' || mark === '}') this.depth -= 1;
    const isEnd = mark === ',' ? this.depth === 1 : mark === ']' && this.depth === 0;
    return this.kind === 'array' && !this.isInString && !this.isEscaped && isEnd && !this.isOver;
  }

  private take(text: string, isLast: boolean): void {
    this.isOver = isLast;
    if (isLast && text.trim() === '' && this.count === 0) return;
    parsed(text);
    this.count += 1;
  }
}

function parsed(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    throw invalid('it is no JSON');
  }
}

function invalid(what: string): ImportFault {
  return new ImportFault('DATASET_INVALID', `The file cannot be read: ${what}.`);
}
