import { Injectable } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';

/** A provider with what its mark says. */
export interface Marked<Said, Provider> {
  readonly said: Said;
  readonly provider: Provider;
}

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

  find(discovery: DiscoveryService): Marked<Said, Provider>[] {
    return (discovery.getProviders() as { instance: Provider | undefined }[]).flatMap(({ instance }) => {
      if (!instance?.constructor) return [];
      const said = Reflect.getMetadata(this.key, instance.constructor) as Said | undefined;
      return said === undefined ? [] : [{ said, provider: instance }];
    });
  }

  /** By what they do it for. Where two do it for the same, the process does not start. */
  findByName(
    discovery: DiscoveryService,
    namesIn: (said: Said) => string | readonly string[],
  ): Map<string, Marked<Said, Provider>> {
    const byName = new Map<string, Marked<Said, Provider>>();
    for (const marked of this.find(discovery)) {
      for (const name of [namesIn(marked.said)].flat()) {
        if (byName.has(name)) throw new Error(`Two providers ${this.does} ${name}`);
        byName.set(name, marked);
      }
    }
    return byName;
  }
}
