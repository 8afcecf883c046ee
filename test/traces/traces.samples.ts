import type { Samples, World } from '../support/samples.js';
import { makeKeyWith } from '../support/actors.js';
import { appTracesPath } from './reading.js';
import { aSpan, exportOf, newTraceId, sent } from './spans.js';

const PATH = appTracesPath('{appId}') as '/api/public/apps/{appId}/traces';

async function aSentTrace({ service, tenant }: World): Promise<string> {
  const traceId = newTraceId();
  const { api } = await makeKeyWith(service, tenant, ['analytics:write']);
  await sent({ ...tenant, api }, exportOf([aSpan({ traceId })]));
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
