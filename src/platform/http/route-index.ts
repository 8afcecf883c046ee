import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { RouteDescription } from './route-description.js';
import { findRoute } from './route.js';

export interface IndexedRoute extends RouteDescription {
  /** Name of the controller's method; the operation id of the documentation. */
  operation: string;
  controller: string;
}

/** Every route of the running service, found by reflection: for 405s, the generated documents and the tests. */
@Injectable()
export class RouteIndex {
  private routes: IndexedRoute[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  all(): IndexedRoute[] {
    this.routes ??= this.discovery.getControllers().flatMap(({ instance }) => this.routesOf(instance as object));
    return this.routes;
  }

  verbsOn(path: string): string[] {
    const parts = path.replace(/\/$/, '').split('/');
    return this.all()
      .filter((route) => matches(route.path.split('/'), parts))
      .map((route) => route.verb);
  }

  private routesOf(controller: object): IndexedRoute[] {
    const prototype = Object.getPrototypeOf(controller) as Record<string, object>;
    return this.scanner.getAllMethodNames(prototype).flatMap((operation) => {
      const route = findRoute(prototype[operation]!);
      return route ? [{ ...route, operation, controller: controller.constructor.name }] : [];
    });
  }
}

function matches(pattern: string[], parts: string[]): boolean {
  return pattern.length === parts.length && pattern.every((part, at) => part.startsWith('{') || part === parts[at]);
}
