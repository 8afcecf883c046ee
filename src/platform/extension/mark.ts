import { Injectable } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';

/**
 * How modules join in with another's work: they mark a provider of theirs, and say what for. Whoever has the work finds
 * all that are marked, and knows none of the modules.
 */
export class Mark<Provider extends object, Said = true> {
  private readonly key: symbol;

  /** What those do that have the mark, as it goes on behind "Two providers". */
  constructor(private readonly does: string) {
    this.key = Symbol(does);
  }

  /** The decorator. It makes the class a provider as well. */
  says(said: Said): ClassDecorator {
    return (target) => {
      Injectable()(target);
      Reflect.defineMetadata(this.key, said, target);
    };
  }

  /** All that have it. */
  find(discovery: DiscoveryService): Provider[] {
    return this.marked(discovery).map(([, provider]) => provider);
  }

  /** By what they do it for. Where two do it for the same, the process does not start. */
  findByName<Entry>(
    discovery: DiscoveryService,
    namesIn: (said: Said) => string | readonly string[],
    toEntry: (said: Said, provider: Provider) => Entry,
  ): Map<string, Entry> {
    const byName = new Map<string, Entry>();
    for (const [said, provider] of this.marked(discovery)) {
      for (const name of [namesIn(said)].flat()) {
        if (byName.has(name)) throw new Error(`Two providers ${this.does} ${name}`);
        byName.set(name, toEntry(said, provider));
      }
    }
    return byName;
  }

  private marked(discovery: DiscoveryService): [Said, Provider][] {
    return (discovery.getProviders() as { instance: Provider | undefined }[]).flatMap(({ instance }) => {
      if (!instance?.constructor) return [];
      const said = Reflect.getMetadata(this.key, instance.constructor) as Said | undefined;
      return said === undefined ? [] : [[said, instance] as [Said, Provider]];
    });
  }
}
