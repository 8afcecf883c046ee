import type { DiscoveryService } from '@nestjs/core';
import { noteOwner } from '../../kernel/owners.js';
import { StartError } from '../../kernel/start-error.js';

interface MarkedClass {
  readonly name: string;
  readonly prototype: object;
}

/** All classes that bear a mark, each with what it is for. */
const marked: { readonly by: MarkedClass; readonly task: string }[] = [];

/** Notes that a module has to provide this class. `task` says what it does, as words that follow "is to". */
export function noteMarked(by: MarkedClass, task: string): void {
  noteOwner(by);
  marked.push({ by, task });
}

/**
 * Throws if no module provides a marked class or a class that extends it, because nothing would ever call it. It also throws
 * if two modules provide it, because each has a provider of its own.
 */
export function refuseUnprovided(discovery: DiscoveryService): void {
  const wrappers = [...discovery.getProviders(), ...discovery.getControllers()];
  const provided = new Set(wrappers.flatMap(({ instance }) => prototypesOf(instance)));
  const byPrototype = Map.groupBy(wrappers, ({ instance }) => prototypesOf(instance)[0]);
  for (const { by, task } of marked) {
    if (!provided.has(by.prototype))
      throw new StartError(
        `${by.name} is to ${task}, and no module provides it. List it in the \`providers\` of a module.`,
      );
    const own = byPrototype.get(by.prototype) ?? [];
    // A provider with two tokens is one provider.
    if (new Set(own.map(({ instance }) => instance as unknown)).size < 2) continue;
    const modules = [...new Set(own.map(({ host }) => host!.name))].join(' and ');
    throw new StartError(
      `${by.name} is to ${task}, and it is provided twice, in ${modules}. List it in the \`providers\` of one module.`,
    );
  }
}

function prototypesOf(instance: unknown): object[] {
  if (typeof instance !== 'object' || instance === null) return [];
  const prototype = Object.getPrototypeOf(instance) as object | null;
  return prototype ? [prototype, ...prototypesOf(prototype)] : [];
}
