import { z } from 'zod';
import { exampleId } from '../../../kernel/ids.js';
import { isJsonObject } from '../../../kernel/json.js';
import { memberAsWritten } from '../../../kernel/json-outline.js';
import { id, timestamp } from '../../../kernel/schema.js';
import { type BodyFormat, jsonBody } from '../../../platform/route/body-format.js';
import { DELIVERY_STATUSES } from '../deliveries/delivery.entity.js';
import type { LoggedDelivery } from '../deliveries/delivery-log.service.js';
import { errorOf, isCanonical, isClientKey, MESSAGE_STATUSES } from './message.entity.js';
import type { AcceptedMessage, FollowedMessage } from './messages.service.js';
import { WEBHOOK_EVENTS } from '../subscriptions/subscription.entity.js';

const LONGEST_MESSAGE = 100_000;
const CANONICAL_EXAMPLE = `http_async:${exampleId('project')}:${exampleId('subscription')}:customer-42`;

const message = z
  .string()
  .min(1)
  .refine(
    (text) => text.length <= LONGEST_MESSAGE || [...text].length <= LONGEST_MESSAGE,
    `must have at most ${LONGEST_MESSAGE} characters`,
  )
  .describe('The text that the user sends.')
  .meta({ maxLength: LONGEST_MESSAGE, examples: ['Where is my parcel?'] });

const sessionKey = z
  .string()
  .refine(
    (key) => isCanonical(key) || isClientKey(key),
    'must have 1 to 256 characters and no control characters, or be the canonical key of the conversation',
  )
  .describe('A key of your own with the first message, and then the canonical key of the acknowledgement, unchanged.')
  .meta({ examples: ['customer-42'] });

const metadata = z
  .custom<object>(isJsonObject, 'must be an object')
  .optional()
  .describe('Data that every callback of this message returns byte for byte.')
  .meta({ type: 'object', additionalProperties: true, examples: [{ ticket: 4711 }] });

const sent = {
  project_id: exampleId('project'),
  subscription_id: exampleId('subscription'),
  session_key: 'customer-42',
};

export const SendMessage = z
  .strictObject({
    project_id: id('project').describe('The project of the subscription and of your key.'),
    subscription_id: id('subscription').describe(
      'The subscription, which has the agent that answers and the address of the reply.',
    ),
    message,
    session_key: sessionKey,
    metadata,
  })
  .meta({ id: 'SendMessage', examples: [{ ...sent, message: 'Where is my parcel?', metadata: { ticket: 4711 } }] });
export type SendMessage = z.output<typeof SendMessage>;

const MAX_MIB = 1;
const json = jsonBody(MAX_MIB);

/** The original text of metadata by their parsed object. An entry exists as long as its object. */
const written = new WeakMap<object, string>();

/** Parses JSON and keeps the original text of `metadata`, because parsing loses digits, blanks and repeated members. */
export const messageBody: BodyFormat = {
  ...json,
  parse(bytes) {
    const body = json.parse(bytes);
    const metadata = isJsonObject(body) ? body.metadata : undefined;
    if (isJsonObject(metadata)) written.set(metadata, memberAsWritten(bytes.toString(), 'metadata')!);
    return body;
  },
};

export function asWritten(metadata: object): string {
  const text = written.get(metadata);
  if (text === undefined) throw new Error('Metadata is read only through messageBody');
  return text;
}

const NOTE = 'Accepted. The reply arrives as a callback; send session_key unchanged with the next message.';

export const MessageAccepted = z
  .object({
    message_id: id('message'),
    session_key: z
      .string()
      .describe('The canonical key. Store it, and send it unchanged.')
      .meta({
        examples: [CANONICAL_EXAMPLE],
      }),
    status: z.literal('accepted'),
    _note: z.string().meta({ examples: [NOTE] }),
  })
  .meta({ id: 'MessageAccepted' });

export function toMessageAccepted({
  id: messageId,
  sessionKey: key,
}: AcceptedMessage): z.infer<typeof MessageAccepted> {
  return { message_id: messageId, session_key: key, status: 'accepted', _note: NOTE };
}

export const MessageView = z
  .object({
    message_id: id('message'),
    subscription_id: id('subscription'),
    session_key: z.string().meta({ examples: [CANONICAL_EXAMPLE] }),
    session_id: id('session'),
    status: z.enum(MESSAGE_STATUSES).describe('The status of the agent’s turn.'),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('The error of a failed turn.')
      .meta({ examples: [null] }),
    accepted_at: timestamp,
    finished_at: timestamp.nullable(),
    callbacks: z
      .array(
        z.object({
          event: z.enum(WEBHOOK_EVENTS),
          message_id: id('message').describe('The id of the callback.'),
          status: z.enum(DELIVERY_STATUSES),
          attempts: z.int().meta({ examples: [1] }),
          next_attempt_at: timestamp.nullable(),
          last_error: z.string().nullable(),
        }),
      )
      .describe('The deliveries that are owed to the receiver of the message, and their outcomes.'),
  })
  .meta({ id: 'MessageStatus' });

export function toMessageView({ message: followed, deliveries }: FollowedMessage): z.infer<typeof MessageView> {
  return {
    message_id: followed.id,
    subscription_id: followed.subscriptionId,
    session_key: followed.sessionKey,
    session_id: followed.sessionId,
    status: followed.status,
    error: errorOf(followed),
    accepted_at: followed.createdAt.toISOString(),
    finished_at: followed.finishedAt?.toISOString() ?? null,
    callbacks: deliveries.map(toCallbackView),
  };
}

function toCallbackView({ delivery }: LoggedDelivery): z.infer<typeof MessageView>['callbacks'][number] {
  return {
    event: delivery.event,
    message_id: delivery.eventId,
    status: delivery.status,
    attempts: delivery.attemptCount,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    last_error: delivery.lastError,
  };
}
