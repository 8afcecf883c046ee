import assert from 'node:assert/strict';
import type { Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { Module } from '@nestjs/core/injector/module.js';
import type { SlipwayPlugin } from '../../../src/platform/plugins/plugin.js';
import { RouteIndex, type IndexedRoute } from '../../../src/platform/route/route-index.js';
import { makeTenant } from '../actors.js';
import type { Refusals, Samples } from '../route-request.js';
import { nameOf, SampledRoutes } from '../sampled-routes.js';
import type { Service } from '../service.js';
import { answerChecks } from './answer-checks.js';
import { bodyChecks } from './body-checks.js';
import { assertOutcome, type Check, checkedRoutes, type RouteUnderTest } from './check.js';
import { credentialChecks } from './credential-checks.js';
import { permissionChecks } from './permission-checks.js';
import { requestChecks } from './request-checks.js';
import { roleChecks } from './role-checks.js';
import { tenantChecks } from './tenant-checks.js';

export interface RouteContractOptions {
  /** The plugin whose modules have the routes, or one module. */
  readonly of: SlipwayPlugin | Type;
  /** A request that succeeds, for each route. */
  readonly samples: Samples;
  /** A request for each error that the routes declare, which is refused with it. */
  readonly refusals: Refusals;
  /** The routes that every key, every client or everybody may use. All others need a permission. */
  readonly withoutPermission?: readonly (keyof Samples)[];
  /** The routes that ignore members of their body that they do not know, as clients of other services expect. */
  readonly ignoringMembers?: readonly (keyof Samples)[];
  /** The routes that ignore query parameters that they do not know, as identity providers expect. */
  readonly ignoringParameters?: readonly (keyof Samples)[];
}

/** The checks of one route. */
const CHECKS: readonly ((tested: RouteUnderTest) => Check[])[] = [
  answerChecks,
  credentialChecks,
  permissionChecks,
  roleChecks,
  tenantChecks,
  requestChecks,
  bodyChecks,
];

/** Returns the tests of the rules that the routes of all modules follow, for the routes of a plugin or a module. */
export async function routeContract(service: Service, options: RouteContractOptions): Promise<Check[]> {
  const { samples, refusals, withoutPermission = [], ignoringMembers = [], ignoringParameters = [] } = options;
  const found = await routesOf(service, options.of);
  const checked = await checkedRoutes(new SampledRoutes(service, found, samples), {
    ignoresMembers: (route) => ignoringMembers.includes(nameOf(route)),
    ignoresParameters: (route) => ignoringParameters.includes(nameOf(route)),
  });
  const ofRoutes = found.flatMap((route) => {
    const checks = CHECKS.flatMap((checksOf) => checksOf({ ...checked, route }));
    return checks.map(({ name, run }) => ({ name: `${nameOf(route)} ${name}`, run }));
  });
  return [
    ...completenessChecks(found, { samples, refusals, withoutPermission }),
    ...ofRoutes,
    ...refusalChecks(service, found, refusals),
  ];
}

async function routesOf(service: Service, of: SlipwayPlugin | Type): Promise<IndexedRoute[]> {
  const all = [...service.app.get(ModulesContainer).values()];
  const modules = typeof of === 'function' ? named(all, [of]) : await modulesOf(of, all);
  const controllers = modules.flatMap((module) => [...module.controllers.keys()]);
  const found = service.app
    .get(RouteIndex)
    .all()
    .filter(({ controller }) => controllers.includes(controller.constructor as Type));
  if (found.length === 0) throw new Error('The service has no routes of this plugin or module.');
  return found;
}

/** The modules of the plugin, and those that they import, except for Slipway's. */
async function modulesOf(plugin: SlipwayPlugin, all: Module[]): Promise<Module[]> {
  const { AppModule } = await import('../../../src/app.module.js');
  const ofSlipway = withImports(named(all, [AppModule]));
  return [...withImports(named(all, await plugin.modules()))].filter((module) => !ofSlipway.has(module));
}

const named = (all: Module[], types: readonly unknown[]) => all.filter(({ metatype }) => types.includes(metatype));

function withImports(modules: Module[]): Set<Module> {
  const found = new Set(modules);
  // The loop also visits what is added to the set meanwhile.
  for (const { imports } of found) for (const module of imports) found.add(module);
  return found;
}

function completenessChecks(
  routes: IndexedRoute[],
  {
    samples,
    refusals,
    withoutPermission,
  }: Required<Pick<RouteContractOptions, 'samples' | 'refusals' | 'withoutPermission'>>,
): Check[] {
  const open = routes.filter(({ access }) => ['anyKey', 'jwtClient', 'public'].includes(access));
  const codes = new Set(routes.flatMap(({ errors }) => errors.map(({ spec }) => spec.code)));
  const same = (name: string, named: string[], found: string[]): Check => ({
    name,
    run: async () => assert.deepEqual(named.toSorted(), found.toSorted()),
  });
  return [
    same('each route has a sample, and each sample a route', Object.keys(samples), routes.map(nameOf)),
    same('each route needs a permission, except for those that are named', [...withoutPermission], open.map(nameOf)),
    same('each declared error has a refusal, and each refusal an error', Object.keys(refusals), [...codes]),
  ];
}

function refusalChecks(service: Service, routes: IndexedRoute[], refusals: Refusals): Check[] {
  const specs = new Map(routes.flatMap(({ errors }) => errors.map(({ spec }) => [spec.code, spec])));
  return Object.entries(refusals).map(([code, refuse]) => ({
    name: `refuses with ${code}`,
    run: async () => {
      const answer = await refuse({ service, tenant: await makeTenant(service) });
      assertOutcome(answer, `${specs.get(code)?.status} ${code}`);
    },
  }));
}
