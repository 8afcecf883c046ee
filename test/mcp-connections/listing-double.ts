import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { startFetchServer } from './fetch-server.js';

/** A server made with the official SDK whose list of tools is what the test says, page by page. */
export async function startListing() {
  const state = { tools: [] as object[], perPage: Infinity, pages: 0, requests: 0, refusal: '' };
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'listing', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', ({ params }) => {
      state.pages += 1;
      if (state.refusal) throw new Error(state.refusal);
      const start = Number(params?.cursor ?? 0);
      const end = Math.min(start + state.perPage, state.tools.length);
      const tools = state.tools.slice(start, end) as never[];
      return { tools, ...(end < state.tools.length && { nextCursor: String(end) }) };
    });
    return server;
  });
  const http = await startFetchServer(async (request) => {
    state.requests += 1;
    return handler.fetch(request);
  });
  return {
    state,
    url: http.url,
    stop: async () => {
      await handler.close();
      await http.stop();
    },
  };
}
