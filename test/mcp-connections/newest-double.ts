import type { IncomingHttpHeaders } from 'node:http';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { startFetchServer } from './fetch-server.js';

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
  const state = { isOlder: false, structured: null as unknown };
  const http = await startFetchServer(async (request, { verb, method, headers, body }) => {
    received.push({ verb, method, headers });
    if (state.isOlder && headers['mcp-protocol-version'] === '2026-07-28')
      return Response.json({ jsonrpc: '2.0', id: null, error: VERSION_UNSUPPORTED }, { status: 400 });
    if (headers['mcp-name'] === 'structured') return structuredAnswer(body, state.structured);
    return (state.isOlder ? older : newest).fetch(request);
  });
  return {
    received,
    state,
    url: http.url,
    stop: async () => {
      await newest.close();
      await older.close();
      await http.stop();
    },
  };
}

/** Answers without the SDK, which sends only objects as structured content. The newest version allows each value of JSON. */
function structuredAnswer(body: string, structuredContent: unknown): Response {
  const { id } = JSON.parse(body) as { id: number };
  return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [], structuredContent } });
}

const VERSION_UNSUPPORTED = {
  code: -32022,
  message: 'Not supported',
  data: { supported: [], requested: '2026-07-28' },
};
