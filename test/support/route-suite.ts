import { RouteIndex } from '../../src/platform/route/route-index.js';
import { SampledRoutes } from './sampled-routes.js';
import { allSamples } from './samples.js';
import type { Service } from './service.js';

export * from './sampled-routes.js';

/** Every route of Slipway, with the samples in `test/<module>/<module>.samples.ts`. */
export class RouteSuite extends SampledRoutes {
  static async of(service: Service): Promise<RouteSuite> {
    return new RouteSuite(service, service.app.get(RouteIndex).all(), await allSamples());
  }
}
