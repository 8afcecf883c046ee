import { z } from 'zod';
import { exampleId } from '../../kernel/ids.js';
import { EXAMPLE_TIME, id, nameUpTo, timestamp } from '../../kernel/schema.js';
import type { Attachment } from './attachment-store.js';
import type { Identity, Session } from './session.js';
import type { FileUploadConfig } from './session-settings.entity.js';
import type { ProfileState } from './sessions.port.js';

/** Of files, by their extensions, as the specification lists them. */
export const ALLOWED_TYPES = [
  ...['pdf', 'docx', 'doc', 'txt', 'json', 'csv', 'htm', 'mle', 'ppt', 'xls', 'gif', 'png', 'jpg', 'jpeg', 'html'],
  ...['rtf', 'bmp', 'xlsx', 'pptx', 'wav', 'mp4', 'm4a', 'mp3', 'webm', 'mpga', 'mpeg', 'webp'],
];

const value = nameUpTo(256);
const entry = <Types extends [string, ...string[]]>(types: Types) => z.strictObject({ type: z.enum(types), value });

/** One entry a type; `sessionId` and `sessionIdentity` are one. */
const entries = <Types extends [string, ...string[]]>(types: Types, most: number) =>
  z
    .array(entry(types))
    .min(1)
    .max(most)
    .superRefine((given, context) => {
      const names = given.map(({ type }) => (type === 'sessionIdentity' ? 'sessionId' : type));
      names.forEach((name, at) => {
        if (names.indexOf(name) !== at)
          context.addIssue({ code: 'custom', path: [at, 'type'], message: 'stands there twice; send one of a type' });
      });
    });

export const sessionIdentity = entries(['sessionIdentity', 'sessionId', 'sessionReference', 'userReference'], 3)
  .describe(
    'Which session: by its id (`sessionIdentity`, or `sessionId`), else by your reference, which finds or creates it, else a new one of the user.',
  )
  .meta({ examples: [[{ type: 'sessionReference', value: 'order-4711' }]] });

const SOURCES = 'AP, AIS-AA, AIS-QM, AIS-CC, AP-PG, AP-ES, AIW, AIP, MP';
const source = nameUpTo(64)
  .describe(`Where the conversation comes from. Recommended are ${SOURCES}.`)
  .meta({ examples: ['AP'] });

export const CreateSession = z.strictObject({ sessionIdentity, source: source.default('AP') }).meta({
  id: 'CreateSession',
  examples: [
    {
      sessionIdentity: [
        { type: 'sessionReference', value: 'order-4711' },
        { type: 'userReference', value: 'customer-17' },
      ],
      source: 'AP',
    },
  ],
});
export type CreateSession = z.output<typeof CreateSession>;

export const TerminateSession = z
  .strictObject({ sessionIdentity: entries(['sessionId', 'sessionIdentity', 'sessionReference'], 2) })
  .meta({
    id: 'TerminateSession',
    examples: [{ sessionIdentity: [{ type: 'sessionReference', value: 'order-4711' }] }],
  });
export type TerminateSession = z.output<typeof TerminateSession>;

export function identityOf(given: readonly { type: string; value: string }[]): Identity {
  const named = (...types: string[]) => given.find(({ type }) => types.includes(type))?.value;
  return {
    sessionId: named('sessionIdentity', 'sessionId'),
    reference: named('sessionReference'),
    userReference: named('userReference'),
  };
}

const text = (example: string) => z.string().meta({ examples: [example] });
const HELLO = 'Hello! How can I help you?';

export const AttachmentView = z
  .object({ fileId: id('file'), fileName: text('receipt.png'), fileType: text('png') })
  .meta({ id: 'SessionAttachment' });

const event = <Name extends string, Content extends z.ZodType, Params extends z.ZodRawShape>(
  name: Name,
  content: Content,
  params: Params,
) => z.object({ name: z.literal(name), content, params: z.object(params) });

const messageToUser = (example: string) => z.object({ messageToUser: text(example) });

const WelcomeEvent = event('Welcome_Event', messageToUser(HELLO), { reason: text('session_created') });

const RedirectEvent = event(
  'IDP_Redirect',
  z.object({
    auth_profiles: z.array(
      z.object({
        url: text('http://127.0.0.1:3000/auth/idp/6yKq1n0Zf3'),
        idpName: text('Company login'),
        isAuthorized: z.boolean(),
        sso_type: text('oauth2'),
      }),
    ),
  }),
  { reason: text('authorization_required') },
);

const EndEvent = event('End_of_Conversation', messageToUser('Goodbye.'), {
  reason: text('terminated'),
  conversationSummary: text('The user asked where order 4711 is. It was sent yesterday.'),
});

const Output = z.object({ type: z.literal('text'), content: text(HELLO) });
const count = (example: number) =>
  z
    .int()
    .min(0)
    .meta({ examples: [example] });

const limits = {
  maxFileCount: count(10).describe('Files that a session may have.'),
  maxFileSize: count(25).describe('MB that a file may have.'),
  maxTokens: count(100_000).describe('Tokens that the files of a session may take together.'),
};

const identityMembers = {
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
    runId: id('run'),
    appId: id('app'),
    attachments: z.array(AttachmentView).meta({ examples: [[]] }),
  })
  .meta({ id: 'Session' });

const allowedMimeTypes = z.array(z.string()).meta({ examples: [ALLOWED_TYPES] });

const Created = z
  .object({
    session: SessionView,
    events: z.array(WelcomeEvent),
    output: z.array(Output),
    allowedMimeTypes,
    fileUploadConfig: z.object({ ...limits, isAttachmentsEnabled: z.boolean().meta({ examples: [true] }) }),
  })
  .meta({ id: 'SessionCreated' });

const CreatedToSignIn = z
  .object({
    messageId: id('message'),
    events: z.array(z.union([WelcomeEvent, RedirectEvent])),
    output: z.array(Output),
    sessionInfo: SessionView.omit({ createdAt: true, source: true }),
    allowedMimeTypes,
    fileUploadConfig: z.object({ enabled: z.boolean(), ...limits }),
  })
  .meta({ id: 'SessionToSignIn' });

const EXAMPLE_SESSION = {
  sessionReference: 'order-4711',
  userReference: 'customer-17',
  userId: exampleId('user'),
  sessionId: exampleId('session'),
  status: 'started',
  createdAt: EXAMPLE_TIME,
  source: 'AP',
  runId: exampleId('run'),
  appId: exampleId('app'),
  attachments: [],
};

/** The second where the user has to sign in somewhere, and has not yet. */
export const SessionOpened = z.union([Created, CreatedToSignIn]).meta({
  id: 'SessionOpened',
  examples: [
    {
      session: EXAMPLE_SESSION,
      events: [{ name: 'Welcome_Event', content: { messageToUser: HELLO }, params: { reason: 'session_created' } }],
      output: [{ type: 'text', content: HELLO }],
      allowedMimeTypes: ALLOWED_TYPES,
      fileUploadConfig: { maxFileCount: 10, maxFileSize: 25, maxTokens: 100_000, isAttachmentsEnabled: true },
    },
  ],
});
export type SessionOpened = z.output<typeof SessionOpened>;

export const SessionEnded = z
  .object({
    status: z.literal('terminated'),
    ...identityMembers,
    appId: id('app'),
    attachments: z.array(AttachmentView).meta({ examples: [[]] }),
    events: z.array(EndEvent),
  })
  .meta({ id: 'SessionEnded' });

export interface OpenedSession {
  session: Session;
  welcome: string | null;
  profiles: readonly ProfileState[];
  attachments: readonly Attachment[];
  config: FileUploadConfig;
  messageId: string;
}

export function toSessionView(session: Session, attachments: readonly Attachment[]): z.output<typeof SessionView> {
  const { status, createdAt, source: origin, runId } = session;
  if (status === 'terminated') throw new Error('An ended session has a view of its own');
  const identity = toIdentityView(session);
  const { appId } = session;
  return {
    ...identity,
    status,
    createdAt: createdAt.toISOString(),
    source: origin,
    runId,
    appId,
    attachments: attachments.map(toAttachmentView),
  };
}

export function toSessionOpened(opened: OpenedSession): SessionOpened {
  const { session, welcome, profiles, attachments, config, messageId } = opened;
  const events = welcome === null ? [] : [welcomeEvent(welcome)];
  const output = welcome === null ? [] : [{ type: 'text' as const, content: welcome }];
  const view = toSessionView(session, attachments);
  const { isAttachmentsEnabled, ...most } = config;
  if (profiles.every(({ isAuthorized }) => isAuthorized))
    return { session: view, events, output, allowedMimeTypes: ALLOWED_TYPES, fileUploadConfig: { ...config } };
  const { createdAt: _, source: __, ...sessionInfo } = view;
  return {
    messageId: messageId as never,
    events: [...events, redirectEvent(profiles)],
    output,
    sessionInfo,
    allowedMimeTypes: ALLOWED_TYPES,
    fileUploadConfig: { enabled: isAttachmentsEnabled, ...most },
  };
}

export function toSessionEnded(
  session: Session,
  attachments: readonly Attachment[],
): z.output<typeof SessionEnded> {
  const { appId, endReason, farewell, summary } = session;
  const params = { reason: endReason ?? 'terminated', conversationSummary: summary ?? '' };
  const content = { messageToUser: farewell ?? '' };
  return {
    status: 'terminated',
    ...toIdentityView(session),
    appId,
    attachments: attachments.map(toAttachmentView),
    events: [{ name: 'End_of_Conversation', content, params }],
  };
}

function toIdentityView({ reference: sessionReference, userReference, userId, id: sessionId }: Session) {
  return { sessionReference, userReference, userId, sessionId };
}

export function toAttachmentView({ fileId, fileName, fileType }: Attachment): z.output<typeof AttachmentView> {
  return { fileId, fileName, fileType };
}

function welcomeEvent(message: string): z.output<typeof WelcomeEvent> {
  return { name: 'Welcome_Event', content: { messageToUser: message }, params: { reason: 'session_created' } };
}

function redirectEvent(profiles: readonly ProfileState[]): z.output<typeof RedirectEvent> {
  const views = profiles.map(({ url, idpName, isAuthorized, ssoType }) => {
    return { url, idpName, isAuthorized, sso_type: ssoType };
  });
  return { name: 'IDP_Redirect', content: { auth_profiles: views }, params: { reason: 'authorization_required' } };
}
