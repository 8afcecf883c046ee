import type { Samples } from '../support/samples.js';

export const samples: Samples = {
  'GET /api/public/llm/v1/models': () => ({}),
  'POST /api/public/llm/v1/chat/completions': () => ({
    body: { model: 'mock', messages: [{ role: 'user', content: 'Where is my order?' }] },
  }),
};
