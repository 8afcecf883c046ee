import { eventDefinitions } from '../../kernel/events.js';
import type { Names } from './names.js';

/** Refuses a second event of the same name. Modules define events while they are loaded, those of one owner at a time. */
export class EventNames {
  private taken = 0;

  constructor(private readonly names: Names) {}

  /** Takes the names of the events that were defined since the last call. */
  take(owner: string): void {
    const all = eventDefinitions().map(({ name }) => name);
    this.names.take(owner, 'event', all.slice(this.taken));
    this.taken = all.length;
  }
}
