import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** The package has no types. */
interface Everything {
  createServer: () => { server: McpServer; cleanup: (sessionId?: string) => void };
}

const PACKAGE = '@modelcontextprotocol/server-everything/dist/server/index.js';

/**
 * The reference server of the protocol with all of its tools. Its own program listens on every address of the machine,
 * so that this one listens in its place.
 */
export async function startReferenceServer() {
  const { createServer } = (await import(PACKAGE)) as Everything;
  const sessions = new Map<string, { transport: StreamableHTTPServerTransport; cleanup: () => void }>();

  const open = async () => {
    const { server, cleanup } = createServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { transport, cleanup: () => cleanup(id) }),
    });
    await server.connect(transport);
    return transport;
  };

  const http = createHttpServer((request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    const answer = async () => (known?.transport ?? (await open())).handleRequest(request, response);
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    stop: async () => {
      for (const { transport, cleanup } of sessions.values()) {
        await transport.close();
        cleanup();
      }
      http.close();
      http.closeAllConnections();
    },
  };
}
