import { z } from 'zod';
import { isJsonObject } from '../../../kernel/json.js';

/** The newest version of the protocol that this client speaks, and those that it accepts from a server. */
export const PROTOCOL_VERSION = '2025-11-25';
const ACCEPTED_VERSIONS = [PROTOCOL_VERSION, '2025-06-18', '2025-03-26', '2024-11-05'];

const members = z.record(z.string(), z.unknown());

export const Initialized = z.object({ protocolVersion: z.enum(ACCEPTED_VERSIONS) });

export const ToolPage = z.object({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional(),
});

export const DescribedTool = z.object({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: members,
});

export const Called = z.object({
  content: z.array(members).default([]),
  structuredContent: members.optional(),
  isError: z.boolean().optional(),
});

export type Message = Record<string, unknown>;

/** Returns the messages in a parsed body. Servers of an old version may send several at once. */
export function messagesIn(body: unknown): Message[] {
  return (Array.isArray(body) ? body : [body]).filter(isJsonObject);
}

export function isAnswerTo(id: number, message: Message): boolean {
  return message.id === id && !('method' in message);
}

/** Whether a server asks its client for something, and waits for the answer. */
export function isRequest(message: Message): boolean {
  return typeof message.method === 'string' && message.id !== undefined && message.id !== null;
}

/** Returns the text of a result for a model. Parts that are not text are named instead. */
export function textOf(content: readonly Message[]): string {
  return content.map(partOf).filter(Boolean).join('\n');
}

function partOf(part: Message): string {
  const { type, text, uri, name, mimeType, resource } = part;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource_link') return `[resource ${asText(name)} ${asText(uri)}]`;
  if (type === 'resource' && isJsonObject(resource))
    return typeof resource.text === 'string' ? resource.text : `[resource ${asText(resource.uri)}]`;
  return `[${asText(type) || 'content'} ${asText(mimeType)}, which cannot be shown as text]`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
