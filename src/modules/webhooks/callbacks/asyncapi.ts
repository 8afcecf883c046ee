import { z } from 'zod';
import { exampleOf } from '../../../kernel/schema-example.js';
import { AgentMedia, AgentResponse, AgentStatus } from './callback-schemas.js';
import type { WebhookEvent } from '../subscriptions/subscription.entity.js';

const DESCRIPTION = `Slipway sends callbacks to the callback URL of a webhook subscription, as \`POST\` with JSON. They are signed as
[Standard Webhooks](https://www.standardwebhooks.com) specifies. A callback arrives at least once: process each
\`message_id\` once, and answer 2xx within fifteen seconds. docs/webhooks.md says how to verify callbacks, and when
they are tried again.`;

interface EventMessage {
  name: string;
  schema: z.ZodType;
  summary: string;
}

interface Definitions {
  definitions: Record<string, object>;
}

const MESSAGES: Record<WebhookEvent, EventMessage> = {
  'agent.response': { name: 'agentResponse', schema: AgentResponse, summary: 'The agent has answered a message.' },
  'agent.status': { name: 'agentStatus', schema: AgentStatus, summary: 'The status of a message’s turn has changed.' },
  'agent.media': {
    name: 'agentMedia',
    schema: AgentMedia,
    summary: 'The answer has an image, a sound, a video or a file.',
  },
};

const HEADERS = {
  type: 'object',
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-event'],
  properties: {
    'webhook-id': { type: 'string', description: 'The `message_id` of the body, which is the same in every attempt.' },
    'webhook-timestamp': { type: 'string', description: 'The time of the attempt, in seconds since 1970.' },
    'webhook-signature': {
      type: 'string',
      description:
        'The text `v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots. Each valid secret adds one such signature.',
    },
    'webhook-event': { type: 'string', enum: Object.keys(MESSAGES), description: 'The event of the callback.' },
  },
};

/** Returns the AsyncAPI 3 document of the three events, which is made from their schemas. */
export function asyncApiDocument(): object {
  const messages = Object.entries(MESSAGES);
  return {
    asyncapi: '3.0.0',
    info: { title: 'Slipway callbacks', version: '1.0.0', description: DESCRIPTION },
    defaultContentType: 'application/json',
    servers: {
      receiver: {
        host: '{receiver}',
        protocol: 'https',
        description: 'Your receiver at the callback URL of a subscription.',
        variables: { receiver: { default: 'crm.example.com', description: 'The host and port of the callback URL.' } },
      },
    },
    channels: {
      callbacks: {
        address: '/',
        description: 'The callback URL of the message’s subscription.',
        messages: Object.fromEntries(messages.map(([, { name }]) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: { http: {} },
      },
    },
    operations: Object.fromEntries(messages.map(([event, one]) => [`send${capital(one.name)}`, operation(event, one)])),
    components: {
      messages: Object.fromEntries(messages.map(([event, one]) => [one.name, message(event, one)])),
      schemas: Object.fromEntries(messages.map(([, { schema }]) => [idOf(schema), payload(schema)])),
    },
  };
}

function operation(event: string, { name, summary }: EventMessage): object {
  return {
    action: 'send',
    channel: { $ref: '#/channels/callbacks' },
    summary,
    description: `The callback for subscriptions to \`${event}\`.`,
    messages: [{ $ref: `#/channels/callbacks/messages/${name}` }],
    bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
  };
}

function message(event: string, { name, schema, summary }: EventMessage): object {
  return {
    name: event,
    title: event,
    summary,
    contentType: 'application/json',
    headers: HEADERS,
    payload: { $ref: `#/components/schemas/${idOf(schema)}` },
    examples: [{ name, payload: exampleOf(schema) }],
  };
}

/** Returns a JSON Schema of draft 7, the default of AsyncAPI. It allows unknown members, because bodies may gain some. */
function payload(schema: z.ZodType): object {
  const { definitions } = z.toJSONSchema(schema, { target: 'draft-7', io: 'output' }) as unknown as Definitions;
  return JSON.parse(JSON.stringify(definitions[idOf(schema)]), (key, value: unknown) => {
    if (key === 'additionalProperties' && value === false) return undefined;
    return key === 'id' && typeof value === 'string' ? undefined : value;
  }) as object;
}

function idOf(schema: z.ZodType): string {
  return schema.meta()!.id!;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
