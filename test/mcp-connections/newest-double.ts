import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface ReceivedByNewest {
  verb: string;
  method: string;
  headers: IncomingHttpHeaders;
}

function tools(): McpServer {
  const server = new McpServer({ name: 'newest', version: '1' });
  const echo = { description: 'Repeats a text.', inputSchema: z.object({ text: z.string() }) };
  const without = (description: string) => ({ description, inputSchema: z.object({}) });
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  server.registerTool('echo', echo, async (input) => text(`Echo: ${input.text}`));
  server.registerTool('größe', without('Has a name that a header cannot have.'), async () => text('Größe'));
  server.registerTool('asks', without('Asks back.'), async () => inputRequired({ requestState: 'waiting' }));
  return server;
}

/** A server made with the official SDK that speaks nothing but the newest version, until it is told to be an older one. */
export async function startNewest() {
  const received: ReceivedByNewest[] = [];
  const newest = createMcpHandler(tools, { legacy: 'reject' });
  const older = createMcpHandler(tools);
  const state = { isOlder: false };
  const http = createServer((request, response) => {
    const answer = async () => {
      const body = await textOf(request);
      const { method = '' } = (body ? JSON.parse(body) : {}) as { method?: string };
      received.push({ verb: request.method!, method, headers: request.headers });
      if (state.isOlder && request.headers['mcp-protocol-version'] === '2026-07-28')
        return Response.json({ jsonrpc: '2.0', id: null, error: VERSION_UNSUPPORTED }, { status: 400 });
      const given = new Request(`http://127.0.0.1${request.url!}`, {
        method: request.method!,
        headers: request.headers as Record<string, string>,
        ...(body && { body }),
      });
      return (state.isOlder ? older : newest).fetch(given);
    };
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
    received,
    state,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    stop: async () => {
      await newest.close();
      await older.close();
      http.close();
      http.closeAllConnections();
    },
  };
}

const VERSION_UNSUPPORTED = {
  code: -32022,
  message: 'Not supported',
  data: { supported: [], requested: '2026-07-28' },
};
