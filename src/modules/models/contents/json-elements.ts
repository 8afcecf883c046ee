import { ImportFault } from './import-fault.js';
import { LONGEST_RECORD } from './text-lines.js';

/** Characters that begin a string, change the depth or end an element. */
const MARK = /["[\]{},]/g;
/** Characters that end a string, or escape the next character. */
const IN_STRING = /["\\]/g;

/**
 * Parses a JSON array of any length element by element, and counts the elements. An object counts as one element. The
 * text arrives in pieces that may end anywhere; kernel/json-outline.ts needs the complete text.
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
  /** The beginning of an element whose end has not arrived. */
  private partial = '';
  private kind: 'array' | 'object' | undefined;
  private isOver = false;

  add(given: string): void {
    const piece = this.kind === undefined ? this.open(this.partial + given) : given;
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      at = this.next(piece, at);
      if (at < 0) break;
      if (this.step(piece[at]!)) {
        this.countElement(this.partial + piece.slice(from, at), piece[at] === ']' && this.depth === 0);
        this.partial = '';
        from = at + 1;
      }
    }
    this.partial += piece.slice(from);
    if (this.partial.length > LONGEST_RECORD && this.kind !== undefined) {
      throw invalid('an element has more than 16 MiB');
    }
  }

  end(): number {
    if (this.kind === 'object') {
      checkJson(this.partial);
      return 1;
    }
    if (!this.isOver || this.partial.trim() !== '')
      throw invalid('it is not one array that ends at the end of the file');
    return this.count;
  }

  /** Returns the text after the opening bracket of an array, or the whole text of an object. */
  private open(text: string): string {
    const [space] = /^\ufeff?\s*/.exec(text)!;
    const first = text[space.length];
    this.partial = '';
    if (first === undefined) return '';
    if (first !== '[' && first !== '{') throw invalid('it is neither an array nor an object');
    this.kind = first === '[' ? 'array' : 'object';
    if (this.kind === 'object') return text.slice(space.length);
    this.depth = 1;
    return text.slice(space.length + 1);
  }

  /** Returns the position of the next character that matters, or -1. */
  private next(piece: string, at: number): number {
    if (this.isEscaped) return at;
    const mark = this.isInString ? IN_STRING : MARK;
    mark.lastIndex = at;
    return mark.exec(piece)?.index ?? -1;
  }

  /** Processes a character, and returns whether it ends an element. */
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

  private countElement(text: string, isLast: boolean): void {
    this.isOver = isLast;
    if (isLast && text.trim() === '' && this.count === 0) return;
    checkJson(text);
    this.count += 1;
  }
}

function checkJson(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    throw invalid('it is not JSON');
  }
}

function invalid(what: string): ImportFault {
  return new ImportFault('DATASET_INVALID', `The file cannot be read: ${what}.`);
}
