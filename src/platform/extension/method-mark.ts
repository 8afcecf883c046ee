import type { DiscoveryService, MetadataScanner } from '@nestjs/core';

/** A marked method, bound to its provider. */
export interface MarkedMethod<Said> {
  readonly said: Said;
  readonly by: { readonly name: string };
  readonly call: (...given: unknown[]) => unknown;
}

/** An extension point for methods. A provider marks some of its methods, each as often as it wants. */
export class MethodMark<Said> {
  private readonly key: symbol;
  private readonly marks: Said[] = [];

  /** `does` says what the marked methods do, for debuggers. */
  constructor(does: string) {
    this.key = Symbol(does);
  }

  mark(method: object, said: Said): void {
    Reflect.defineMetadata(this.key, [...this.saidOf(method), said], method);
    this.marks.push(said);
  }

  /** Returns what all marked methods say, whether or not a module provides their classes. */
  all(): readonly Said[] {
    return this.marks;
  }

  /** Returns the marked methods of all providers and controllers. */
  find(discovery: DiscoveryService, scanner: MetadataScanner): MarkedMethod<Said>[] {
    const wrappers = [...discovery.getProviders(), ...discovery.getControllers()];
    // A provider with two tokens is one listener.
    const instances = new Set(wrappers.map(({ instance }) => instance as unknown).filter(isOfClass));
    return [...instances].flatMap((instance) => this.inInstance(instance, scanner));
  }

  private inInstance(instance: object, scanner: MetadataScanner): MarkedMethod<Said>[] {
    const prototype = Object.getPrototypeOf(instance) as Record<string, (...given: unknown[]) => unknown>;
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const method = prototype[name]!;
      return this.saidOf(method).map((said) => ({ said, by: instance.constructor, call: method.bind(instance) }));
    });
  }

  private saidOf(method: object): readonly Said[] {
    return (Reflect.getMetadata(this.key, method) as Said[] | undefined) ?? [];
  }
}

function isOfClass(instance: unknown): instance is object {
  return typeof instance === 'object' && instance !== null && Object.getPrototypeOf(instance) !== null;
}
