import { makeConnection } from '../connections/make.js';
import { makeKeyWith } from '../support/actors.js';
import type { Samples } from '../support/samples.js';

export const samples: Samples = {
  'GET /api/public/llm/v1/models': () => ({}),
  'GET /api/public/llm/v1/models/{model}': async ({ service, tenant }) => {
    const { api } = await makeKeyWith(service, tenant, ['CONNECTIONS_MANAGE']);
    const { connectionId } = await makeConnection({ ...tenant, api });
    return { params: { model: connectionId } };
  },
  'POST /api/public/llm/v1/chat/completions': () => ({
    body: { model: 'mock', messages: [{ role: 'user', content: 'Where is my order?' }] },
  }),
};
