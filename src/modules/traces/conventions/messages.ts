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

/** The input and the output of a span, as far as the sender records them. */
export interface Contents {
  messages: Message[] | null;
  /** The answer of the model as text. */
  answer: string | null;
  input: string | null;
  output: string | null;
}

/** The attributes whose texts are kept as they are if they are no list of messages, such as JSON that was cut off. */
const INPUT_AS_SENT = [...contents.INPUT_TEXT, ...contents.INPUT_MESSAGES];
const OUTPUT_AS_SENT = [...contents.OUTPUT_TEXT, ...contents.OUTPUT_MESSAGES];

function textAsSent(attributes: Attributes, names: readonly string[]): string | undefined {
  const text = textAt(attributes, names);
  return text === '[]' ? undefined : text;
}

export function contentsOf(span: Span, texts: JsonTexts): Contents {
  const attributes = contentAttributes(span);
  const messages = inputMessages(attributes, texts);
  const answer = textOfMessages(outputMessages(attributes, texts)) ?? textAt(attributes, contents.ANSWER_TEXT) ?? null;
  return {
    messages,
    answer,
    input: (messages ? JSON.stringify(messages) : textAsSent(attributes, INPUT_AS_SENT)) ?? null,
    output: answer ?? textAsSent(attributes, OUTPUT_AS_SENT) ?? null,
  };
}

/** The events in which some conventions send prompts and answers instead of in attributes. */
const CONTENT_EVENTS = [
  'gen_ai.client.inference.operation.details',
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
];

/** Collects the attributes with prompts and answers. Those of the span take precedence over those of its events. */
function contentAttributes({ attributes, events }: Span): Attributes {
  const withContents = events.filter(({ name }) => CONTENT_EVENTS.includes(name));
  const all = [...withContents.map((event) => event.attributes), attributes].flatMap((each) => [...each]);
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

/** Reads a list of messages from one attribute, which is a list itself or a text with JSON. */
function messagesAt(attributes: Attributes, names: readonly string[], texts: JsonTexts): Message[] | null {
  for (const name of names) {
    const value = attributes.get(name);
    const list = typeof value === 'string' ? texts.read(value) : value;
    if (Array.isArray(list) && list.length > 0 && list.every(isJsonObject)) return list.map(toMessage);
  }
  return null;
}

/** System instructions are sent as parts without a role, so the role may be missing. */
function toMessage({ role, content, parts, ...rest }: Record<string, unknown>): Message {
  return { role: typeof role === 'string' ? role : '', content: simplify(parts ?? content ?? rest) };
}

/** Joins the parts of a message if all are text. Otherwise they are kept, because they may be tool calls or images. */
function simplify(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const texts = content.map((part) => (isJsonObject(part) ? (part.content ?? part.text) : undefined));
  const isText = (part: unknown) => isJsonObject(part) && part.type === 'text';
  return content.every(isText) && texts.every((text) => typeof text === 'string') ? texts.join('\n') : content;
}

/** Reads the messages of the first naming scheme that the attributes use. */
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

/** A message without content keeps its other members, such as tool calls and images, under their names. */
function fromMembers(members: Map<string, unknown>): Message {
  const { role, content, ...rest } = Object.fromEntries(members);
  return { role: typeof role === 'string' ? role : '', content: content ?? rest };
}

function textOfMessages(messages: Message[] | null): string | null {
  if (!messages) return null;
  return messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))).join('\n');
}
