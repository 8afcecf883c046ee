import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { startFetchServer } from './fetch-server.js';

/**
 * A server made with the official SDK that asks for a sign-in. It says where, as the protocol demands: the challenge
 * names the description of the resource, and that names the authorization server.
 */
export async function startProtected(issuer: string, isGood: (token: string) => Promise<boolean>) {
  const tokens: string[] = [];
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: 'protected', version: '1' });
    const echo = { description: 'Repeats a text.', inputSchema: z.object({ text: z.string() }) };
    mcp.registerTool('echo', echo, async ({ text }) => ({ content: [{ type: 'text', text: `Echo: ${text}` }] }));
    return mcp;
  });
  const server = await startFetchServer(async (request) => {
    const { origin, pathname } = new URL(request.url);
    if (pathname === DESCRIPTION) return Response.json({ resource: `${origin}/mcp`, authorization_servers: [issuer] });
    const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    if (token !== undefined && (await isGood(token))) {
      tokens.push(token);
      return handler.fetch(request);
    }
    const challenge = `Bearer resource_metadata="${origin}${DESCRIPTION}"`;
    return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } });
  });
  return {
    url: server.url,
    /** The tokens of the requests that were answered. */
    tokens,
    stop: async () => {
      await handler.close();
      await server.stop();
    },
  };
}

const DESCRIPTION = '/.well-known/oauth-protected-resource';

/** Finds the sign-in from the address of the server alone, by the descriptions that the protocol demands. */
export async function discoverSignIn(url: string) {
  const { headers } = await fetch(url, { method: 'POST', body: '{}' });
  const description = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate')!)![1]!;
  const json = async (address: string) => (await fetch(address)).json() as Promise<Record<string, never>>;
  const [issuer] = (await json(description)).authorization_servers! as string[];
  const described = await json(`${issuer}/.well-known/openid-configuration`);
  return {
    issuer: described.issuer!,
    authorizationUrl: described.authorization_endpoint!,
    tokenUrl: described.token_endpoint!,
  };
}
