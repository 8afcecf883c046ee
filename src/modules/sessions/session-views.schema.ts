import { z } from 'zod';
import { containsKey } from '../../kernel/key-format.js';
import { id, nameUpTo, timestamp } from '../../kernel/schema.js';
import type { AttachedFile, SessionWithAttachments, SessionRow } from './session.entity.js';
import type { Identity } from './sessions.port.js';

// The schemas in this file are shared by all modules whose routes name or show sessions.

/**
 * A client's own name for a user or session, kept exactly as it is sent. Sessions of the channel have their canonical
 * key.
 */
export const ownReference = z
  .string()
  .min(1)
  .max(512)
  .refine((text) => text.trim() !== '' && !/\p{Cc}/u.test(text), 'is blank, or has control characters')
  .refine((text) => !containsKey(text), 'contains something that looks like an API key; take it out');

const entry = <Types extends [string, ...string[]]>(types: Types) =>
  z.strictObject({ type: z.enum(types), value: ownReference });

/** Allows one entry of each type. `sessionId` and `sessionIdentity` are the same type. */
export const entries = <Types extends [string, ...string[]]>(types: Types, max: number) =>
  z
    .array(entry(types))
    .min(1)
    .max(max)
    .superRefine((given, context) => {
      const names = given.map(({ type }) => (type === 'sessionIdentity' ? 'sessionId' : type));
      names.forEach((name, at) => {
        if (names.indexOf(name) !== at)
          context.addIssue({
            code: 'custom',
            path: [at, 'type'],
            message: 'occurs twice; send one entry of each type',
          });
      });
    });

export const sessionIdentity = entries(['sessionIdentity', 'sessionId', 'sessionReference', 'userReference'], 3)
  .describe(
    'The session, by its id (`sessionIdentity` or `sessionId`). Without an id, it is the session with your reference, which is found or created. Without both, it is a new session of the user.',
  )
  .meta({ examples: [[{ type: 'sessionReference', value: 'order-4711' }]] });

const SOURCES = 'AP, AIS-AA, AIS-QM, AIS-CC, AP-PG, AP-ES, AIW, AIP, MP';
export const sessionSource = nameUpTo(64)
  .describe(`The system in which the conversation takes place. Recommended values: ${SOURCES}.`)
  .meta({ examples: ['AP'] })
  .default('AP');

export function identityOf(given: readonly { type: string; value: string }[]): Identity {
  const named = (...types: string[]) => given.find(({ type }) => types.includes(type))?.value;
  return {
    sessionId: named('sessionIdentity', 'sessionId'),
    reference: named('sessionReference'),
    userReference: named('userReference'),
  };
}

export const text = (example: string) => z.string().meta({ examples: [example] });
export const HELLO = 'Hello! How can I help you?';

export const AttachmentView = z
  .object({ fileId: id('file'), fileName: text('receipt.png'), fileType: text('png') })
  .meta({ id: 'SessionAttachment' });

export const event = <Name extends string, Content extends z.ZodType, Params extends z.ZodRawShape>(
  name: Name,
  content: Content,
  params: Params,
) => z.object({ name: z.literal(name), type: z.literal(name), content, params: z.object(params) });

/** Clients of the published API read `type`, which has the same value as `name`. */
export const eventName = <Name extends string>(name: Name) => ({ name, type: name });

export const messageToUser = (example: string) => z.object({ messageToUser: text(example) });

export const WelcomeEvent = event('Welcome_Event', messageToUser(HELLO), { reason: text('session_created') });

export const identityMembers = {
  sessionReference: z
    .string()
    .nullable()
    .meta({ examples: ['order-4711'] }),
  userReference: text('customer-17'),
  userId: id('user'),
  sessionId: id('session'),
};

export const SessionView = z
  .object({
    ...identityMembers,
    status: z.enum(['started', 'idle', 'busy', 'error']),
    createdAt: timestamp,
    source: text('AP'),
    runId: id('agentRun'),
    appId: id('app'),
    attachments: z.array(AttachmentView).meta({ examples: [[]] }),
  })
  .meta({ id: 'Session' });

/** The view of a session that may have ended. */
export const RunSession = SessionView.extend({
  status: z.enum(['started', 'idle', 'busy', 'error', 'terminated']).meta({ examples: ['idle'] }),
}).meta({ id: 'RunSession' });

export function toSessionView(session: SessionRow, attachments: readonly AttachedFile[]): z.output<typeof SessionView> {
  const { status } = session;
  if (status === 'terminated') throw new Error('An ended session has a view of its own');
  return { ...toRunSession({ session, attachments }), status };
}

export function toRunSession({ session, attachments }: SessionWithAttachments): z.output<typeof RunSession> {
  const { status, createdAt, source, runId, appId } = session;
  return {
    ...toIdentityView(session),
    status,
    createdAt: createdAt.toISOString(),
    source,
    runId,
    appId,
    attachments: attachments.map(toAttachmentView),
  };
}

export function toIdentityView({ reference: sessionReference, userReference, userId, id: sessionId }: SessionRow) {
  return { sessionReference, userReference, userId, sessionId };
}

export function toAttachmentView({ fileId, fileName, fileType }: AttachedFile): z.output<typeof AttachmentView> {
  return { fileId, fileName, fileType };
}

export function welcomeEvent(message: string): z.output<typeof WelcomeEvent> {
  return { ...eventName('Welcome_Event'), content: { messageToUser: message }, params: { reason: 'session_created' } };
}
