import { z } from 'zod';
import { displayName, id, timestamp, wholeNumber } from '../../kernel/schema.js';
import { maskSecret } from '../../kernel/secret-mask.js';
import { fieldsSchema, ineffectiveIn, json } from './connection-fields.schema.js';
import { type Connection, shownFieldsOf, STATUSES } from './connection.entity.js';
import {
  type ConnectionBody,
  type ConnectionBodySchema,
  connectionProtocols,
  type ConnectionWarning,
  type ProtocolDescription,
} from './connections.port.js';

const connectionName = displayName.meta({ examples: ['Support, main model'] });
const model = z.string().trim().min(1).max(256).describe('The name of the model at the provider.');
const modelType = z.enum(['EASY_INTEGRATION']);

/** The schema of a provider's name in requests, which may be each of its names. */
function providerOf({ provider, alsoCalled = [] }: ProtocolDescription) {
  return z.literal([provider, ...alsoCalled]).transform(() => provider);
}

function bodyOf(description: ProtocolDescription): ConnectionBodySchema {
  const { needsModelType, body } = description;
  const provider = providerOf(description);
  const common = { provider, connectionName, model, modelType: needsModelType ? modelType : modelType.optional() };
  if (body) return body(common);
  const ofProtocol = fieldsSchema(description).superRefine((sent, context) => {
    for (const issue of ineffectiveIn(description, sent)) context.addIssue({ code: 'custom', ...issue });
  });
  return z.strictObject({ ...common, fields: ofProtocol });
}

/** Returns the names of providers in answers, and then those that only requests have. */
function providerNames(): string[] {
  const all = connectionProtocols.all();
  return [...all.map(({ provider }) => provider), ...all.flatMap(({ alsoCalled = [] }) => alsoCalled)];
}

/** Looks like the key of a vendor, but is none. */
const EXAMPLE_KEY = 'sk-4f9c27d1a8b35e60';

/** The protocols are known when all modules are loaded, so the schema is made when it is first used. */
export const CreateConnection: z.ZodType<ConnectionBody> = z
  .lazy(() => {
    const [first, ...others] = connectionProtocols.all().map(bodyOf);
    return z.discriminatedUnion('provider', [first!, ...others], {
      error: (issue) => (issue.code === 'invalid_union' ? `must be one of ${providerNames().join(', ')}` : undefined),
    });
  })
  .meta({
    id: 'CreateConnection',
    examples: [
      {
        provider: 'Vendor1',
        connectionName: 'Support, main model',
        model: 'gpt-4o',
        fields: { API_KEY: EXAMPLE_KEY },
      },
    ],
  });
export type CreateConnection = ConnectionBody;

export const UpdateConnection = z
  .strictObject({
    fields: z
      .record(z.string(), json)
      .describe(
        'The fields to change. The others do not change. null removes an optional field, and a mask keeps its secret.',
      ),
  })
  .meta({ id: 'UpdateConnection', examples: [{ fields: { API_KEY: EXAMPLE_KEY } }] });
export type UpdateConnection = z.output<typeof UpdateConnection>;

export const ConnectionsQuery = z.strictObject({
  provider: z
    .lazy(() => z.enum(providerNames()).transform((name) => connectionProtocols.get(name)!.provider))
    .optional(),
  status: z.enum(STATUSES).optional(),
  limit: wholeNumber(1, 100).prefault(20),
  offset: wholeNumber(0, 2_147_483_647).prefault(0),
});
export type ConnectionsQuery = z.output<typeof ConnectionsQuery>;

const connectionId = id('connection');
const shownModel = z.string().meta({ examples: ['gpt-4o'] });
const createdOn = timestamp;
const modifiedOn = timestamp;
const fields = z
  .record(z.string(), json)
  .describe('The fields as they were sent, with a mask for each secret.')
  .meta({ examples: [{ API_KEY: maskSecret(EXAMPLE_KEY) }] });
const unreadable = z
  .literal(true)
  .optional()
  .describe('Present, and true, if the secrets cannot be read any more because their master key is missing.');

export const warnings = z
  .array(z.object({ path: z.string().meta({ examples: ['fields.payload'] }), message: z.string() }))
  .optional()
  .describe(
    'Warns of settings that were accepted but probably do not work as intended, such as a payload without a placeholder for the prompt.',
  );

const identity = {
  connectionId,
  connectionName,
  provider: z
    .string()
    .describe('One of the providers that requests name. A plugin that is no longer installed may have brought another.')
    .meta({ examples: ['Vendor1'] }),
  model: shownModel,
  status: z.enum(STATUSES),
};

const ConnectionSummary = z
  .object({ ...identity, createdOn, modifiedOn, unreadable })
  .meta({ id: 'ConnectionSummary' });

export const ConnectionList = z
  .object({
    connections: z.array(ConnectionSummary),
    total: z
      .int()
      .describe('The number of all connections that match, on all pages.')
      .meta({ examples: [1] }),
  })
  .meta({ id: 'ConnectionList' });

export const ConnectionView = z
  .object({ ...identity, fields, createdOn, modifiedOn, unreadable, warnings })
  .meta({ id: 'Connection' });
export const ConnectionCreated = z
  .object({ ...identity, fields, createdOn, warnings })
  .meta({ id: 'ConnectionCreated' });
export const ConnectionUpdated = z.object({ ...identity, fields, modifiedOn }).meta({ id: 'ConnectionUpdated' });

export function toConnectionCreated({ connection, warnings }: FoundConnection): z.infer<typeof ConnectionCreated> {
  return {
    ...toIdentity(connection),
    fields: shownFieldsOf(connection),
    createdOn: connection.createdAt.toISOString(),
    ...toWarnings(warnings),
  };
}

export function toConnectionUpdated(connection: Connection): z.infer<typeof ConnectionUpdated> {
  return {
    ...toIdentity(connection),
    fields: shownFieldsOf(connection),
    modifiedOn: connection.modifiedAt.toISOString(),
  };
}

export function toConnectionView(found: FoundConnection): z.infer<typeof ConnectionView> {
  const { connection, warnings } = found;
  return { ...toConnectionSummary(found), fields: shownFieldsOf(connection), ...toWarnings(warnings) };
}

export interface FoundConnection {
  connection: Connection;
  isReadable: boolean;
  warnings: ConnectionWarning[];
}

/** The member is left out if there are no warnings, because the specification does not have it. */
export function toWarnings(warnings: ConnectionWarning[]): { warnings?: ConnectionWarning[] } {
  return warnings.length > 0 ? { warnings } : {};
}

export function toConnectionSummary({ connection, isReadable }: FoundConnection): z.infer<typeof ConnectionSummary> {
  return {
    ...toIdentity(connection),
    createdOn: connection.createdAt.toISOString(),
    modifiedOn: connection.modifiedAt.toISOString(),
    ...(!isReadable && { unreadable: true }),
  };
}

function toIdentity(connection: Connection) {
  const { id: connectionId, name: connectionName, provider, model, status } = connection;
  return { connectionId, connectionName, provider, model, status };
}
