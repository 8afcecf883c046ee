import { z } from 'zod';
import { exampleId } from '../../kernel/ids.js';
import { count, EXAMPLE_TIME, id } from '../../kernel/schema.js';
import type { AttachedFile, SessionRow } from './session.entity.js';
import type { FileUploadConfig } from './attachments/session-settings.entity.js';
import {
  AttachmentView,
  entries,
  event,
  HELLO,
  identityMembers,
  messageToUser,
  eventName,
  sessionIdentity,
  sessionSource,
  SessionView,
  text,
  toAttachmentView,
  toIdentityView,
  toSessionView,
  welcomeEvent,
  WelcomeEvent,
} from './session-views.schema.js';
import type { ProfileState } from './sessions.port.js';

/** The extensions of files as the specification lists them. docs/sessions.md says which of them can be uploaded. */
export const ALLOWED_TYPES = [
  ...['pdf', 'docx', 'doc', 'txt', 'json', 'csv', 'htm', 'mle', 'ppt', 'xls', 'gif', 'png', 'jpg', 'jpeg', 'html'],
  ...['rtf', 'bmp', 'xlsx', 'pptx', 'wav', 'mp4', 'm4a', 'mp3', 'webm', 'mpga', 'mpeg', 'webp'],
];

export const CreateSession = z.strictObject({ sessionIdentity, source: sessionSource }).meta({
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
  {
    reason: text('authorization_required'),
    code: text('483920')
      .describe('The code that the user types before signing in. It is left out if no code is required.')
      .optional(),
  },
);

const EndEvent = event('End_of_Conversation', messageToUser('Goodbye.'), {
  reason: text('terminated'),
  conversationSummary: text('The user asked where order 4711 is. It was sent yesterday.'),
});

const Output = z.object({ type: z.literal('text'), content: text(HELLO) });

const limits = {
  maxFileCount: count(10).describe('The maximum number of files of a session.'),
  maxFileSize: count(25).describe('The maximum size of a file in MB.'),
  maxTokens: count(100_000).describe('The maximum number of tokens of all files of a session.'),
};

const allowedMimeTypes = z
  .array(z.string())
  .describe(
    'The extensions of the files that a session accepts. These files can be uploaded in any context, and `json`, `csv` and `txt` in `bulkImport`.',
  )
  .meta({ examples: [ALLOWED_TYPES] });

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
  runId: exampleId('agentRun'),
  appId: exampleId('app'),
  attachments: [],
};

const NEW_SESSION = {
  session: EXAMPLE_SESSION,
  events: [welcomeEvent(HELLO)],
  output: [{ type: 'text', content: HELLO }],
  allowedMimeTypes: ALLOWED_TYPES,
  fileUploadConfig: { maxFileCount: 10, maxFileSize: 25, maxTokens: 100_000, isAttachmentsEnabled: true },
};
/** The documented example of a session that existed already. */
export const FOUND_SESSION = {
  ...NEW_SESSION,
  session: { ...EXAMPLE_SESSION, status: 'idle' },
  events: [],
  output: [],
};

/** The answer has the second shape if the user still has to sign in somewhere. */
export const SessionOpened = z.union([Created, CreatedToSignIn]).meta({
  id: 'SessionOpened',
  examples: [NEW_SESSION],
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
  session: SessionRow;
  welcome: string | null;
  profiles: readonly ProfileState[];
  attachments: readonly AttachedFile[];
  config: FileUploadConfig;
  messageId: string;
}

export function toSessionOpened(opened: OpenedSession): SessionOpened {
  const { session, welcome, profiles, attachments, config, messageId } = opened;
  const events = welcome === null ? [] : [welcomeEvent(welcome)];
  const output = welcome === null ? [] : [{ type: 'text' as const, content: welcome }];
  const view = toSessionView(session, attachments);
  const { isAttachmentsEnabled, ...fileLimits } = config;
  if (profiles.every(({ isAuthorized }) => isAuthorized))
    return { session: view, events, output, allowedMimeTypes: ALLOWED_TYPES, fileUploadConfig: { ...config } };
  const { createdAt: _, source: __, ...sessionInfo } = view;
  return {
    messageId,
    events: [...events, redirectEvent(profiles)],
    output: [...output, ...codeOutput(profiles)],
    sessionInfo,
    allowedMimeTypes: ALLOWED_TYPES,
    fileUploadConfig: { enabled: isAttachmentsEnabled, ...fileLimits },
  };
}

export function toSessionEnded(
  session: SessionRow,
  attachments: readonly AttachedFile[],
): z.output<typeof SessionEnded> {
  const { appId, endReason, farewell, summary } = session;
  const params = { reason: endReason ?? 'terminated', conversationSummary: summary ?? '' };
  const content = { messageToUser: farewell ?? '' };
  return {
    status: 'terminated',
    ...toIdentityView(session),
    appId,
    attachments: attachments.map(toAttachmentView),
    events: [{ ...eventName('End_of_Conversation'), content, params }],
  };
}

function redirectEvent(profiles: readonly ProfileState[]): z.output<typeof RedirectEvent> {
  const views = profiles.map(({ url, idpName, isAuthorized, ssoType }) => {
    return { url, idpName, isAuthorized, sso_type: ssoType };
  });
  const code = profiles.find((profile) => profile.code !== null)?.code;
  const params = { reason: 'authorization_required', ...(code && { code }) };
  return { ...eventName('IDP_Redirect'), content: { auth_profiles: views }, params };
}

/**
 * Says the code in the conversation, because many clients show only the output and the user has to read the code there.
 */
function codeOutput(profiles: readonly ProfileState[]): z.output<typeof Output>[] {
  const [first, ...others] = profiles.filter(({ code }) => code !== null);
  if (!first) return [];
  const where = [first, ...others].map(({ idpName }) => idpName).join(', ');
  return [{ type: 'text', content: `To sign in at ${where}, type the code ${first.code}. Do not give it to anyone.` }];
}
