import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

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
  const http = createServer((request, response) => {
    state.requests += 1;
    const answer = async () =>
      handler.fetch(
        new Request(`http://127.0.0.1${request.url!}`, {
          method: request.method!,
          headers: request.headers as Record<string, string>,
          body: await textOf(request),
        }),
      );
    answer().then(
      async (answered) => {
        response.writeHead(answered.status, Object.fromEntries(answered.headers));
        response.end(Buffer.from(await answered.arrayBuffer()));
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return {
    state,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    stop: async () => {
      await handler.close();
      http.close();
      http.closeAllConnections();
    },
  };
}
