import type { Refusals, Samples, Tenant } from 'slipway/testing';

const BASES = '/api/v1/knowledge-bases';

interface Base {
  data: { knowledgeBaseId: string };
}

let bases = 0;

/** Makes a knowledge base, and returns its id as the parameter of a path. */
async function aBase({ api }: Tenant): Promise<{ knowledgeBaseId: string }> {
  bases += 1;
  const { body } = await api.post<Base>(BASES, { name: `Base ${bases}` });
  return { knowledgeBaseId: body.data.knowledgeBaseId };
}

/** A request that succeeds, for each route of the plugin. */
export const samples: Samples = {
  'POST /api/v1/knowledge-bases': () => ({ body: { name: 'Manuals' } }),
  'GET /api/v1/knowledge-bases': () => ({ query: { limit: '5' } }),
  'GET /api/v1/knowledge-bases/{knowledgeBaseId}': async ({ tenant }) => ({ params: await aBase(tenant) }),
  'DELETE /api/v1/knowledge-bases/{knowledgeBaseId}': async ({ tenant }) => ({ params: await aBase(tenant) }),
  'POST /api/v1/knowledge-bases/{knowledgeBaseId}/documents': async ({ tenant }) => ({
    params: await aBase(tenant),
    body: { title: 'Refunds', text: 'A refund takes three days.' },
  }),
  'GET /api/v1/knowledge-bases/{knowledgeBaseId}/documents': async ({ tenant }) => ({
    params: await aBase(tenant),
    query: { words: 'refund' },
  }),
  'POST /api/v1/knowledge-bases/{knowledgeBaseId}/word-count': async ({ tenant }) => ({
    params: await aBase(tenant),
  }),
};

/** A request for each error of the plugin, which is refused with it. */
export const refusals: Refusals = {
  KNOWLEDGE_BASE_NOT_FOUND: ({ tenant }) => tenant.api.get(`${BASES}/nowhere`),
  DUPLICATE_KNOWLEDGE_BASE_NAME: async ({ tenant }) => {
    await tenant.api.post(BASES, { name: 'Manuals' });
    return tenant.api.post(BASES, { name: 'MANUALS' });
  },
  TOO_MANY_KNOWLEDGE_BASES: async ({ tenant }) => {
    for (let made = 0; made < 100; made += 1) await aBase(tenant);
    return tenant.api.post(BASES, { name: 'One more' });
  },
};
