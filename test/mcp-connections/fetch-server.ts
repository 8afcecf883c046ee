import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';

/** A request that has arrived, for doubles that record it or break its connection. */
export interface Arrived {
  verb: string;
  headers: IncomingHttpHeaders;
  /** The method of the JSON-RPC message in the body, or an empty text. */
  method: string;
  body: string;
  response: ServerResponse;
}

export interface FetchServer {
  /** The address of the endpoint for MCP. */
  url: string;
  origin: string;
  /** Lets the process end while the server runs. */
  unref: () => void;
  stop: () => Promise<void>;
}

/**
 * Listens on a real socket and passes each request to a handler of the fetch API, such as those of the official SDK. A
 * handler that returns nothing has used the `response` itself.
 */
export async function startFetchServer(
  handle: (request: Request, arrived: Arrived) => Promise<Response | undefined>,
): Promise<FetchServer> {
  const server = createServer((incoming, response) => {
    const answer = async () => {
      const { method: verb = '', headers } = incoming;
      const body = await textOf(incoming);
      const { method = '' } = (body.startsWith('{') ? JSON.parse(body) : {}) as { method?: string };
      const request = new Request(`http://${headers.host!}${incoming.url!}`, {
        method: verb,
        headers: headers as Record<string, string>,
        ...(body && { body }),
      });
      const answered = await handle(request, { verb, headers, method, body, response });
      if (!answered) return;
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      if (answered.body) Readable.fromWeb(answered.body as never).pipe(response);
      else response.end();
    };
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/mcp`,
    unref: () => void server.unref(),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
