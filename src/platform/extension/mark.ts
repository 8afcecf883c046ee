import { Injectable } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import { namesOfBoth } from '../../kernel/owners.js';
import { StartError } from '../../kernel/start-error.js';
import { noteMarked } from './marked-classes.js';

/** The class that the marked ones extend. */
export type Base<Provider> = abstract new (...given: never[]) => Provider;

/**
 * An extension point: modules mark a provider and say what it is for. The owner of the extension point finds all marked
 * providers and knows none of the modules.
 */
export class Mark<Provider extends object, Said = true> {
  private readonly key: symbol;

  /**
   * A marked class extends one of the bases, of which plugins know the first. `does` says what the marked providers do, as
   * words that follow "A and B both".
   */
  constructor(
    private readonly bases: readonly [Base<Provider>, ...Base<Provider>[]],
    private readonly does: string,
  ) {
    this.key = Symbol(does);
  }

  /** The decorator, which also makes the class a provider. `task` says what it does, as words that follow "is to". */
  marks(said: Said, task = this.does): ClassDecorator {
    return (target) => {
      // A plugin may be plain JavaScript.
      if (!this.bases.some((base) => target.prototype instanceof base))
        throw new StartError(`${target.name} is to ${task}, so it has to extend ${this.bases[0].name}.`);
      Injectable()(target);
      Reflect.defineMetadata(this.key, said, target);
      noteMarked(target, task);
    };
  }

  /** Returns all marked providers. */
  find(discovery: DiscoveryService): Provider[] {
    return this.marked(discovery).map(([, provider]) => provider);
  }

  /** Returns the marked providers by name. The service does not start if two have the same name. */
  findByName<Entry>(
    discovery: DiscoveryService,
    namesIn: (said: Said) => string | readonly string[],
    toEntry: (said: Said, provider: Provider) => Entry,
  ): Map<string, Entry> {
    const byName = new Map<string, Entry>();
    const classes = new Map<string, { readonly name: string }>();
    for (const [said, provider] of this.marked(discovery)) {
      for (const name of [namesIn(said)].flat()) {
        const other = classes.get(name);
        if (other) throw new StartError(`${namesOfBoth(other, provider.constructor)} both ${this.does} ${name}.`);
        classes.set(name, provider.constructor);
        byName.set(name, toEntry(said, provider));
      }
    }
    return byName;
  }

  private marked(discovery: DiscoveryService): [Said, Provider][] {
    const wrappers = discovery.getProviders() as { instance: Provider | undefined }[];
    // A provider with two tokens is one provider.
    return [...new Set(wrappers.map(({ instance }) => instance))].flatMap((instance) => {
      if (!instance?.constructor) return [];
      const said = Reflect.getMetadata(this.key, instance.constructor) as Said | undefined;
      return said === undefined ? [] : [[said, instance] as [Said, Provider]];
    });
  }
}
