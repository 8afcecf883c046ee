import type { Samples } from '../support/samples.js';

export const samples: Samples = {
  'GET /api/public/llm/v1/models': () => ({}),
  'GET /api/public/llm/v1/models/{model}': () => ({ params: { model: 'mock' } }),
  'POST /api/public/llm/v1/chat/completions': () => ({
    body: { model: 'mock', messages: [{ role: 'user', content: 'Where is my order?' }] },
  }),
};
