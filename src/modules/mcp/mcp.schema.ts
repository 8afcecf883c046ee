import { z } from 'zod';
import { anyJson } from '../../kernel/schema.js';
import type { Answer } from '../../platform/route/answer.js';

const jsonrpc = z.literal('2.0');
const id = z.union([z.string().max(256), z.int()]);
const members = z.record(z.string(), anyJson);

/** A request has an id, a notification has none, and the answer to a request of the server has no method. */
export const McpMessage = z
  .object({
    jsonrpc,
    id: id.optional(),
    method: z.string().max(256).optional(),
    params: members.optional(),
    result: members.optional(),
    error: members.optional(),
  })
  .meta({ id: 'McpMessage', examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] });
export type McpMessage = z.infer<typeof McpMessage>;

const McpError = z.object({ code: z.int(), message: z.string(), data: members.optional() });

export const McpAnswer = z
  .object({ jsonrpc, id: id.nullable(), result: members.optional(), error: McpError.optional() })
  .meta({ id: 'McpAnswer', examples: [{ jsonrpc: '2.0', id: 1, result: { tools: [] } }] });
export type McpAnswer = z.infer<typeof McpAnswer>;

/** The answer, or null if the message was no request. Refusals of the newest version have statuses of their own. */
const McpReply = z.object({ status: z.literal([200, 202, 400, 404]), answer: McpAnswer.nullable() });
export type McpReply = z.infer<typeof McpReply>;

export const mcpAnswer: Answer<McpReply> = {
  schema: McpAnswer,
  result: McpReply,
  wrap: ({ answer }) => answer ?? undefined,
};

export const InitializeParams = z.object({ protocolVersion: z.string() });

export const ListParams = z.object({
  cursor: z
    .string()
    .regex(/^a-\w{22}$/)
    .optional(),
});

export const CallParams = z.object({ name: z.string().max(256), arguments: members.default({}) });
