import { z } from 'zod';
import { displayName, id, nameUpTo, timestamp } from '../../kernel/schema.js';
import { maskSecret } from '../../kernel/secret-mask.js';
import { HEADER_NAME, HEADER_VALUE } from '../../platform/outbound/header-rules.js';
import { MCP_STATUSES, type McpConnection } from './mcp-connection.entity.js';
import type { McpListing } from './mcp-connections.port.js';

/** Headers that HTTP or the protocol sets, or that would direct the request elsewhere than its address. */
const RESERVED_HEADERS =
  /^(host|connection|content-.*|accept|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|http2-settings|mcp-.*|last-event-id)$/i;

const name = displayName.meta({ examples: ['Issue tracker'] });
const url = z
  .string()
  .min(1)
  .max(2_048)
  .describe(
    'The address of the server’s endpoint for streamable HTTP. It is used as it is, and redirects are not followed.',
  )
  .meta({ examples: ['https://mcp.example.com/mcp'] });
const status = z
  .enum(MCP_STATUSES)
  .describe('The tools of an inactive connection are neither offered nor called.')
  .meta({ examples: ['ACTIVE'] });
const headerName = z
  .string()
  .max(256)
  .regex(HEADER_NAME, 'is not the name of a header')
  .meta({ examples: ['x-api-key'] });
const headers = z
  .array(
    z.strictObject({
      key: headerName.refine((key) => !RESERVED_HEADERS.test(key), 'is a header that Slipway sets itself; take it out'),
      value: z
        .string()
        .min(1)
        .max(8_192)
        .regex(HEADER_VALUE, 'has characters that headers cannot have, such as line breaks')
        .meta({ examples: ['what the server gave you'] }),
    }),
  )
  .max(20)
  .superRefine((given, context) => {
    const keys = given.map(({ key }) => key.toLowerCase());
    const twice = keys.findIndex((key, at) => keys.indexOf(key) !== at);
    if (twice >= 0)
      context.addIssue({ code: 'custom', path: [twice, 'key'], message: 'is a header that is sent twice' });
  })
  .describe('The headers of each request, such as a key. Their values are sealed and shown masked.');
const allowedTools = z
  .array(z.string().min(1).max(128))
  .max(128)
  .nullable()
  .describe('The names of the tools that may be called. If it is null, every tool of the server may be called.')
  .meta({ examples: [['search_issues']] });
const authProfile = nameUpTo(128)
  .nullable()
  .describe(
    'The idpName of an authorization profile of the app. The token of the user is sent as `Authorization: Bearer`, and a user without one cannot use the tools.',
  )
  .meta({ examples: ['Company login'] });
const timeoutMs = z
  .int()
  .min(100)
  .max(300_000)
  .describe('The time limit of one call of a tool in milliseconds.')
  .meta({ examples: [30_000] });

const refuseTwoCredentials = (
  given: { authProfile?: string | null | undefined; headers?: { key: string }[] | undefined },
  context: z.RefinementCtx,
): void => {
  const at = given.headers?.findIndex(({ key }) => key.toLowerCase() === 'authorization') ?? -1;
  if (given.authProfile == null || at < 0) return;
  const message = 'cannot be sent together with authProfile, whose token is sent in this header';
  context.addIssue({ code: 'custom', path: ['headers', at, 'key'], message });
};

const EXAMPLE = {
  name: 'Issue tracker',
  url: 'https://mcp.example.com/mcp',
  headers: [{ key: 'x-api-key', value: 'what the server gave you' }],
  allowedTools: ['search_issues'],
};

export const CreateMcpConnection = z
  .strictObject({
    name,
    url,
    status: status.default('ACTIVE'),
    headers: headers.default([]),
    allowedTools: allowedTools.default(null),
    authProfile: authProfile.default(null),
    timeoutMs: timeoutMs.default(30_000),
  })
  .superRefine(refuseTwoCredentials)
  .meta({ id: 'CreateMcpConnection', examples: [EXAMPLE] });
export type CreateMcpConnection = z.output<typeof CreateMcpConnection>;

export const ChangeMcpConnection = z
  .strictObject({ name, url, status, headers, allowedTools, authProfile, timeoutMs })
  .partial()
  .superRefine(refuseTwoCredentials)
  .meta({ id: 'ChangeMcpConnection', examples: [{ allowedTools: ['search_issues', 'read_issue'] }] });
export type ChangeMcpConnection = z.output<typeof ChangeMcpConnection>;

const mcpConnectionId = id('mcpConnection');

export const McpConnectionView = z
  .object({
    mcpConnectionId,
    projectId: id('project'),
    name,
    url,
    status,
    headers: z.array(
      z.object({ key: headerName, value: z.string().meta({ examples: [maskSecret('what the server gave you')] }) }),
    ),
    allowedTools,
    authProfile,
    timeoutMs,
    createdAt: timestamp,
    modifiedAt: timestamp,
  })
  .meta({ id: 'McpConnection' });

export const McpConnectionGone = z.object({ mcpConnectionId }).meta({ id: 'McpConnectionGone' });

const toolName = z.string().meta({ examples: ['search_issues'] });

export const McpToolsView = z
  .object({
    mcpConnectionId,
    tools: z.array(
      z.object({
        name: toolName,
        description: z.string().meta({ examples: ['Searches the issues of a project.'] }),
        inputSchema: z.record(z.string(), z.unknown()).meta({ examples: [{ type: 'object' }] }),
      }),
    ),
    omitted: z
      .array(z.object({ name: toolName, reason: z.string().meta({ examples: ['The server does not offer it.'] }) }))
      .describe('The tools that are not offered although they are allowed, each with the reason.'),
  })
  .meta({ id: 'McpTools' });

export function toMcpConnectionView(connection: McpConnection): z.output<typeof McpConnectionView> {
  const { id: connectionId, project, shownHeaders, createdAt, modifiedAt } = connection;
  const { name: connectionName, url: address, status: state, allowedTools: allowed, timeoutMs: limit } = connection;
  return {
    mcpConnectionId: connectionId,
    projectId: project.id,
    name: connectionName,
    url: address,
    status: state,
    headers: shownHeaders,
    allowedTools: allowed,
    authProfile: connection.authProfile,
    timeoutMs: limit,
    createdAt: createdAt.toISOString(),
    modifiedAt: modifiedAt.toISOString(),
  };
}

export function toMcpToolsView(
  { id: connectionId }: McpConnection,
  listing: McpListing,
): z.output<typeof McpToolsView> {
  return { mcpConnectionId: connectionId, ...listing };
}
