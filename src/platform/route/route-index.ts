import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { IdKind } from '../../kernel/ids.js';
import { pathIdsOf, type PathNames, pathNamesOf } from './path-id.js';
import { findRoute } from './route.js';
import type { RouteDescription } from './route-description.js';

export interface IndexedRoute extends RouteDescription {
  controller: object;
  /** Name of the controller's method. */
  method: string;
  /** Which of its path parameters are ids, and of what. */
  pathIds: Record<string, IdKind>;
  /** Which are names of which there are few. */
  pathNames: Record<string, PathNames>;
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
      const ofPath = { pathIds: pathIdsOf(controller, method), pathNames: pathNamesOf(controller, method) };
      return route ? [{ ...route, controller, method, ...ofPath }] : [];
    });
  }
}

function matches(pattern: string[], parts: string[]): boolean {
  return pattern.length === parts.length && pattern.every((part, at) => part.startsWith('{') || part === parts[at]);
}
