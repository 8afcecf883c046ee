import { Injectable } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/internal';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { IdKind } from '../../kernel/ids.js';
import { isAccess } from '../../kernel/permissions.js';
import { ownerOf } from '../../kernel/owners.js';
import { StartError } from '../../kernel/start-error.js';
import { pathIdsOf, type PathNames, pathNamesOf } from './path-id.js';
import { findRoute } from './route.js';
import type { RouteDescription } from './route-description.js';

export interface IndexedRoute extends RouteDescription {
  controller: object;
  /** Name of the Nest module that has the controller. */
  module: string;
  /** Name of the controller's method. */
  method: string;
  /** The path parameters that are ids, with their kinds. */
  pathIds: Record<string, IdKind>;
  /** The path parameters that are names, with their possible values. */
  pathNames: Record<string, PathNames>;
}

/** Literal segments and parameters. Nest would serve other paths at another address than the index has. */
const PATH = /^(\/|(\/([\w.~-]+|\{\w+\}))+)$/;

/** Finds every route of the running service by reflection, for 405s, the documentation and the tests. */
@Injectable()
export class RouteIndex {
  private routes: IndexedRoute[] | undefined;
  /** Each route with the segments of its path. Every request for an unknown path compares all of them. */
  private segmented: { route: IndexedRoute; segments: string[] }[] | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  all(): IndexedRoute[] {
    this.routes ??= this.discovery
      .getControllers()
      .flatMap(({ instance, host }) => this.routesOf(instance as object, host!.name));
    return this.routes;
  }

  /** Throws if a route is not served at the path that it declares, which all that reads the index relies on. */
  refuseOddPaths(): void {
    for (const route of this.all()) {
      const { controller, path } = route;
      if (!PATH.test(path))
        throw new StartError(
          `The path ${path} of ${nameOf(route)} needs a change. It consists of segments such as reports or {name}, and ends without a slash.`,
        );
      const prefix = Reflect.getMetadata(PATH_METADATA, controller.constructor) as string;
      if (prefix !== '' && prefix !== '/')
        throw new StartError(
          `${controller.constructor.name} of ${ownerOf(controller.constructor)} has the path ${prefix}. Remove it, and write the whole path in each @Route.`,
        );
    }
  }

  /**
   * Throws if two routes answer the same requests, because only the first one would ever be called. The same is true of
   * a route with a path that Slipway serves without one. All paths below are served too if it ends with `/*`.
   *
   * The routes of one owner may have some requests in common, such as `/files/{file}` and `/files/newest`. Their
   * controllers are in an order that the owner has chosen.
   */
  refuseTwins(served: readonly string[]): void {
    const known = new Map<string, IndexedRoute>();
    for (const route of this.all()) {
      if (served.some((path) => isAt(path, route.path)))
        throw new StartError(
          `Slipway and ${nameOf(route)} both answer ${route.verb} ${route.path}. Change the path of the route.`,
        );
      const key = `${route.verb} ${route.path.replace(/\{\w+\}/g, '{}')}`;
      const other = known.get(key) ?? [...known.values()].find((before) => collide(before, route));
      if (other)
        throw new StartError(
          `${nameOf(other)} and ${nameOf(route)} both answer ${route.verb} ${route.path}. Change the path of one of them.`,
        );
      known.set(key, route);
    }
  }

  /** Throws if a route demands a permission that no scope can have, because it would refuse every key. */
  refuseUnknownAccess(): void {
    for (const route of this.all()) {
      const { access, permissionForOtherScopes } = route;
      const [unknown] = [access, permissionForOtherScopes ?? access].filter((name) => !isAccess(name));
      if (unknown)
        throw new StartError(
          `${nameOf(route)} demands the permission ${unknown}, which does not exist. A plugin names its permissions in \`permissions\`.`,
        );
    }
  }

  /** Returns the routes with this path, of all verbs. Those that name more of it come first. */
  on(path: string): IndexedRoute[] {
    this.segmented ??= this.all()
      .map((route) => ({ route, segments: segmentsOf(route.path) }))
      .sort((a, b) => parametersIn(a.segments) - parametersIn(b.segments));
    const asked = segmentsOf(path);
    return this.segmented.filter(({ segments }) => matches(segments, asked)).map(({ route }) => route);
  }

  private routesOf(instance: object, module: string): IndexedRoute[] {
    const controller = Object.getPrototypeOf(instance) as Record<string, object>;
    return this.scanner.getAllMethodNames(controller).flatMap((method) => {
      const route = findRoute(controller[method]!);
      const parameters = { pathIds: pathIdsOf(controller, method), pathNames: pathNamesOf(controller, method) };
      return route ? [{ ...route, controller, module, method, ...parameters }] : [];
    });
  }
}

/** Names the owner as well, because two plugins may have classes of one name. */
export function nameOf({ controller, method }: IndexedRoute): string {
  return `${controller.constructor.name}.${method} of ${ownerOf(controller.constructor)}`;
}

function isAt(served: string, path: string): boolean {
  return served.endsWith('/*') ? path.startsWith(served.slice(0, -1)) : path === served;
}

function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/');
}

function parametersIn(segments: string[]): number {
  return segments.filter((segment) => segment.startsWith('{')).length;
}

/** Whether routes of two owners answer some of the same requests. */
function collide(one: IndexedRoute, other: IndexedRoute): boolean {
  if (one.verb !== other.verb || ownerOf(one.controller.constructor) === ownerOf(other.controller.constructor))
    return false;
  const [segments, others] = [segmentsOf(one.path), segmentsOf(other.path)];
  const isAny = (segment: string) => segment.startsWith('{');
  const agrees = (segment: string, at: number) => isAny(segment) || isAny(others[at]!) || segment === others[at];
  return segments.length === others.length && segments.every(agrees);
}

function matches(pattern: string[], parts: string[]): boolean {
  return pattern.length === parts.length && pattern.every((part, at) => part.startsWith('{') || part === parts[at]);
}
