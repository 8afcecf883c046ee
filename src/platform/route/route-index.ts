import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { IdKind } from '../../kernel/ids.js';
import { pathIdsOf } from './path-id.js';
import { findRoute } from './route.js';
import type { RouteDescription } from './route-description.js';

export interface IndexedRoute extends RouteDescription {
  controller: object;
  /** Name of the controller's method. */
  method: string;
  /** Which of its path parameters are ids, and of what. */
  pathIds: Record<string, IdKind>;
}

/** Every route of the running service, found by reflection: for 405s, the documentation and the tests. */
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

  /** Whatever the verb. */
  on(path: string): IndexedRoute[] {
    const parts = path.replace(/\/$/, '').split('/');
    return this.all().filter((route) => matches(route.path.replace(/\/$/, '').split('/'), parts));
  }

  private routesOf(instance: object): IndexedRoute[] {
    const controller = Object.getPrototypeOf(instance) as Record<string, object>;
    return this.scanner.getAllMethodNames(controller).flatMap((method) => {
      const route = findRoute(controller[method]!);
      return route ? [{ ...route, controller, method, pathIds: pathIdsOf(controller, method) }] : [];
    });
  }
}

function matches(pattern: string[], parts: string[]): boolean {
  return pattern.length === parts.length && pattern.every((part, at) => part.startsWith('{') || part === parts[at]);
}
