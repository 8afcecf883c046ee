import { administratorOf } from '../support/actors.js';
import { ModelDouble } from '../support/providers/model-double.js';
import type { Refusals, World } from '../support/samples.js';
import { ask, connectTo } from './calls.js';

const NOBODY = { url: 'http://127.0.0.1:1' };

export const refusals: Refusals = {
  MODEL_NOT_FOUND: ({ tenant }) => ask(tenant, 'nothing of this name'),
  MODEL_REQUEST_NOT_TAKEN: async ({ tenant }) => {
    const model = await connectTo(tenant, NOBODY, '', { outputPath: 'text' });
    return ask(tenant, model, { tools: [{ type: 'function', function: { name: 'weather' } }] });
  },
  MODEL_CALL_FAILED: (world) => askOf(world, 'no-key'),
  MODEL_UNAVAILABLE: (world) => askOf(world, 'busy'),
  CONNECTION_INACTIVE: async ({ service, tenant }) => {
    const model = await connectTo(tenant, NOBODY);
    const path = `/api/admin/v1/projects/${tenant.projectId}/connections/${model}`;
    await administratorOf(service).patch(path, { status: 'INACTIVE' });
    return ask(tenant, model);
  },
};

async function askOf({ tenant }: World, behaviour: string) {
  const double = await ModelDouble.start();
  try {
    return await ask(tenant, await connectTo(tenant, double, behaviour));
  } finally {
    await double.stop();
  }
}
