import type { DiscoveryService } from '@nestjs/core';
import { namesOfBoth, noteOwner } from '../../kernel/owners.js';
import { StartError } from '../../kernel/start-error.js';
import { type Base, Mark } from './mark.js';

interface Marked<Said> {
  readonly said: Said;
  readonly by: { readonly name: string };
}

const namedMarks: { find(discovery: DiscoveryService, toEntry: () => null): unknown }[] = [];

/** Throws if two providers have the same mark and name, as two that extend one marked class do. */
export function refuseTwinsOfMarks(discovery: DiscoveryService): void {
  for (const mark of namedMarks) mark.find(discovery, () => null);
}

/**
 * An extension point whose providers have names of their own. The names are known when the modules are loaded, before
 * any provider exists, so schemas can list them. The service does not start if two classes have the same name.
 */
export class NamedMark<Provider extends object, Said> {
  private readonly mark: Mark<Provider, Said>;
  private readonly byName = new Map<string, Marked<Said>>();

  /**
   * A marked class extends one of the bases, of which plugins know the first. `does` says what the marked classes do, as
   * words that follow "A and B both". `remedy` says what to do about two of one name.
   */
  constructor(
    bases: readonly [Base<Provider>, ...Base<Provider>[]],
    private readonly does: string,
    private readonly namesIn: (said: Said) => readonly string[],
    private readonly remedy = 'Rename one of them.',
  ) {
    this.mark = new Mark(bases, does);
    namedMarks.push(this);
  }

  /** The decorator, which also makes the class a provider. */
  marks(said: Said): ClassDecorator {
    return (target) => {
      noteOwner(target);
      const names = this.namesIn(said);
      for (const name of names) this.take(name, { said, by: target });
      this.mark.marks(said, `${this.does} ${names.join(' and ')}`)(target);
    };
  }

  /** Returns what the class of this name says. */
  get(name: string): Said | undefined {
    return this.byName.get(name)?.said;
  }

  /** Returns what all marked classes say, in the order in which they were loaded. */
  all(): Said[] {
    return [...new Set([...this.byName.values()].map(({ said }) => said))];
  }

  /** Returns the marked providers by their names. */
  find<Entry>(discovery: DiscoveryService, toEntry: (said: Said, provider: Provider) => Entry): Map<string, Entry> {
    return this.mark.findByName(discovery, this.namesIn, toEntry);
  }

  private take(name: string, marked: Marked<Said>): void {
    const other = this.byName.get(name);
    if (other) throw new StartError(`${namesOfBoth(other.by, marked.by)} both ${this.does} ${name}. ${this.remedy}`);
    this.byName.set(name, marked);
  }
}
