import { isJsonObject } from '../../../kernel/json.js';
import type { Attributes } from '../otlp/attributes.js';
import type { Span } from '../otlp/spans.js';
import * as contents from './contents.js';
import type { JsonTexts } from './json-texts.js';
import { textAt } from './values.js';

export type Message = {
  role: string;
  content: unknown;
};

/** What went in and came out, as far as the sender records it. */
export interface Contents {
  messages: Message[] | null;
  /** What the model answered, as text. */
  answer: string | null;
  input: string | null;
  output: string | null;
}

export function contentsOf(span: Span, texts: JsonTexts): Contents {
  const attributes = contentAttributes(span);
  const messages = inputMessages(attributes, texts);
  const answer = textOfMessages(outputMessages(attributes, texts)) ?? textAt(attributes, contents.ANSWER_TEXT) ?? null;
  return {
    messages,
    answer,
    input: (messages ? JSON.stringify(messages) : textAt(attributes, contents.INPUT_TEXT)) ?? null,
    output: answer ?? textAt(attributes, contents.OUTPUT_TEXT) ?? null,
  };
}

/** Where the conventions wrote contents into events instead of attributes. */
const CONTENT_EVENTS = [
  'gen_ai.client.inference.operation.details',
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
];

/** Those of its events too; its own come before them. */
function contentAttributes({ attributes, events }: Span): Attributes {
  const told = events.filter(({ name }) => CONTENT_EVENTS.includes(name));
  const all = [...told.map((event) => event.attributes), attributes].flatMap((each) => [...each]);
  return new Map(all.filter(([name]) => contents.isContent(name)));
}

function inputMessages(attributes: Attributes, texts: JsonTexts): Message[] | null {
  const messages =
    messagesAt(attributes, contents.INPUT_MESSAGES, texts) ?? numberedMessages(attributes, contents.NUMBERED_INPUT);
  const [system] = messagesAt(attributes, contents.SYSTEM_INSTRUCTIONS, texts) ?? [];
  return messages && system ? [{ ...system, role: 'system' }, ...messages] : messages;
}

function outputMessages(attributes: Attributes, texts: JsonTexts): Message[] | null {
  return (
    messagesAt(attributes, contents.OUTPUT_MESSAGES, texts) ?? numberedMessages(attributes, contents.NUMBERED_OUTPUT)
  );
}

/** Messages in one attribute: as it is, or as JSON in text. */
function messagesAt(attributes: Attributes, names: readonly string[], texts: JsonTexts): Message[] | null {
  for (const name of names) {
    const value = attributes.get(name);
    const list = typeof value === 'string' ? texts.read(value) : value;
    if (Array.isArray(list) && list.length > 0 && list.every(isJsonObject)) return list.map(toMessage);
  }
  return null;
}

/** The instructions of a system are parts without a role of their own. */
function toMessage({ role, content, parts, ...rest }: Record<string, unknown>): Message {
  return { role: typeof role === 'string' ? role : '', content: simplify(parts ?? content ?? rest) };
}

/** Text alone is text. What else there is, calls of tools or images, stays in its parts. */
function simplify(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const texts = content.map((part) => (isJsonObject(part) ? (part.content ?? part.text) : undefined));
  const isText = (part: unknown) => isJsonObject(part) && part.type === 'text';
  return content.every(isText) && texts.every((text) => typeof text === 'string') ? texts.join('\n') : content;
}

/** Those under the first of these names that is there. */
function numberedMessages(attributes: Attributes, names: readonly contents.Numbered[]): Message[] | null {
  return names.map((name) => messagesNumbered(attributes, name)).find((messages) => messages.length > 0) ?? null;
}

function messagesNumbered(attributes: Attributes, { before, between }: contents.Numbered): Message[] {
  const messages = new Map<number, Map<string, unknown>>();
  for (const [name, value] of attributes) {
    if (!name.startsWith(`${before}.`)) continue;
    const [, number, member] = /^(\d{1,6})\.(.+)$/.exec(name.slice(before.length + 1)) ?? [];
    if (number === undefined || !member?.startsWith(between)) continue;
    const members = messages.get(Number(number)) ?? new Map<string, unknown>();
    messages.set(Number(number), members.set(member.slice(between.length), value));
  }
  return [...messages].sort(([a], [b]) => a - b).map(([, members]) => fromMembers(members));
}

/** What a message has beside a text stays under its name: calls of tools, images, parts. */
function fromMembers(members: Map<string, unknown>): Message {
  const { role, content, ...rest } = Object.fromEntries(members);
  return { role: typeof role === 'string' ? role : '', content: content ?? rest };
}

function textOfMessages(messages: Message[] | null): string | null {
  if (!messages) return null;
  return messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))).join('\n');
}
