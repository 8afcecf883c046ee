import { z } from 'zod';
import { isJsonObject } from '../../../kernel/json.js';
import { shortened } from '../../../kernel/shortened.js';
import { HANDSHAKE_VERSION } from './mcp-versions.js';

/** The versions that a server may answer in a handshake. */
const ACCEPTED_VERSIONS = [HANDSHAKE_VERSION, '2025-06-18', '2025-03-26', '2024-11-05'];

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
  /** An object, except in the newest version, where it is any value. */
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  /** In the newest version, a server may ask for more input instead of giving its result. */
  resultType: z.string().optional(),
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

const MAX_WORD = 500;

/**
 * Returns the text of a result for a model. Parts that are not text are described by their kind, format and size. The
 * structured content is shown if no text repeats it.
 */
export function textOf({ content, structuredContent }: z.output<typeof Called>): string {
  const texts = content.map(partOf);
  const isRepeated = content.some(
    ({ type, text }) => type === 'text' && typeof text === 'string' && text.trim() !== '',
  );
  if (structuredContent !== undefined && !isRepeated) texts.push(JSON.stringify(structuredContent));
  return texts.filter(Boolean).join('\n');
}

function partOf({ type, resource, ...part }: Message): string {
  if (type === 'text' && typeof part.text === 'string') return part.text;
  if (type === 'resource_link')
    return described(['resource link', part.title ?? part.name, part.uri], part, part.size, part.description);
  if (type !== 'resource' || !isJsonObject(resource)) return described([type ?? 'content'], part, sizeOf(part.data));
  if (typeof resource.text === 'string') return resource.text;
  return described(['resource', resource.uri], resource, sizeOf(resource.blob));
}

function described(names: unknown[], { mimeType }: Message, size: unknown, description?: unknown): string {
  const bytes = typeof size === 'number' ? `${size} bytes` : '';
  const facts = [names.map(asText).filter(Boolean).join(' '), asText(mimeType), bytes].filter(Boolean).join(', ');
  return `[${facts}${asText(description) && `: ${asText(description)}`}]`;
}

/** Returns the number of bytes in a text of base64. */
function sizeOf(base64: unknown): number | undefined {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : undefined;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? shortened(value, MAX_WORD) : '';
}
