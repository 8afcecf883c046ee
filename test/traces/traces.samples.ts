import type { Samples, World } from '../support/samples.js';
import { appTracesPath } from './reading.js';
import { aSpan, exportOf, newTraceId, sent } from './spans.js';

const PATH = appTracesPath('{appId}') as '/api/public/apps/{appId}/traces';

async function aSentTrace({ tenant }: World): Promise<string> {
  const traceId = newTraceId();
  await sent(tenant, exportOf([aSpan({ traceId })]));
  return traceId;
}

export const samples: Samples = {
  'POST /api/public/otel/v1/traces': () => ({ body: exportOf([aSpan()]) }),
  [`GET ${PATH}`]: async (world: World) => {
    await aSentTrace(world);
    return { params: { appId: world.tenant.appId } };
  },
  [`GET ${PATH}/{traceId}`]: async (world: World) => ({
    params: { appId: world.tenant.appId, traceId: await aSentTrace(world) },
  }),
};
