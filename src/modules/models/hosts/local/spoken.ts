import type { GenerateLine } from './replica-messages.js';

/** What some vocabularies have for a space. */
const SPACE = '▁';

/**
 * What the model says, as it comes. A word that a stop word cuts is spelled anew by the engine, and its space may come
 * as the vocabulary's mark: a word with the mark is held until the next one, or the end.
 */
export class Spoken {
  private held = '';

  constructor(private readonly say: (line: GenerateLine) => void) {}

  add(text: string): void {
    if (this.held !== '' && /^\S/.test(text)) this.held += text;
    else if (text !== '') this.next(text);
  }

  end(isCut: boolean): void {
    this.tell(isCut ? this.held.replace(SPACE, ' ') : this.held);
    this.held = '';
  }

  private next(text: string): void {
    this.tell(this.held);
    this.held = text.includes(SPACE) ? text : '';
    if (this.held === '') this.tell(text);
  }

  private tell(text: string): void {
    if (text !== '') this.say({ text });
  }
}
