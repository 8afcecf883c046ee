import type { GenerateLine } from '../replica-calls.js';

/** The mark that some vocabularies have in place of a space. */
const SPACE = '▁';

/**
 * Passes the text of an answer on as it is generated. The engine spells a word again that a stop sequence cuts, and may
 * then write its space as the vocabulary's mark. A word with the mark is therefore buffered until the next word or the
 * end shows whether it was cut.
 */
export class OutputText {
  private buffered = '';

  constructor(private readonly onLine: (line: GenerateLine) => void) {}

  add(text: string): void {
    if (this.buffered !== '' && /^\S/.test(text)) this.buffered += text;
    else if (text !== '') this.next(text);
  }

  end(isCut: boolean): void {
    this.pass(isCut ? this.buffered.replace(SPACE, ' ') : this.buffered);
    this.buffered = '';
  }

  private next(text: string): void {
    this.pass(this.buffered);
    this.buffered = text.includes(SPACE) ? text : '';
    if (this.buffered === '') this.pass(text);
  }

  private pass(text: string): void {
    if (text !== '') this.onLine({ text });
  }
}
