import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isJsonObject } from '../../kernel/json.js';
import { displayName, id, timestamp, wholeNumber } from '../../kernel/schema.js';
import { maskSecret } from '../../kernel/secret-mask.js';
import {
  ApiFields,
  apiMembers,
  CloudVendor1Fields,
  json,
  MAPPED_PROVIDERS,
  refuseIneffective,
  Vendor1Fields,
  Vendor2Fields,
} from './connection-fields.schema.js';
import { type Connection, PROVIDERS, shownFieldsOf, STATUSES } from './connection.entity.js';
import type { ConnectionWarning } from './connection-warnings.js';
import { COMMON_PROTOCOL_NAMES, COMMON_PROVIDER_NAMES, toProvider, vendor } from './provider-names.js';
import type { Json } from './secret-members.js';

const connectionName = displayName.meta({ examples: ['Support, main model'] });
const model = z.string().trim().min(1).max(256).describe('The name of the model at the provider.');
const modelType = z.enum(['EASY_INTEGRATION']);

const Vendor1Connection = z.strictObject({
  provider: vendor('Vendor1'),
  connectionName,
  model,
  modelType: modelType.optional(),
  fields: Vendor1Fields.superRefine(refuseIneffective),
});

const CloudVendor1Connection = z.strictObject({
  provider: vendor('CloudVendor1'),
  connectionName,
  model,
  modelType,
  fields: CloudVendor1Fields.superRefine(refuseIneffective),
});

const Vendor2Connection = z.strictObject({
  provider: vendor('Vendor2'),
  connectionName,
  model,
  modelType,
  fields: Vendor2Fields.superRefine(refuseIneffective),
});

const ApiConnection = z
  .strictObject({
    provider: z.literal('API'),
    connectionName,
    model: model.optional(),
    modelType: modelType.optional(),
    fields: ApiFields.default({}),
    ...apiMembers,
  })
  .superRefine(refuseContradictions)
  .superRefine(requireApiMembers, { when: ({ value }) => isJsonObject(value) })
  .transform(({ provider, connectionName, model, modelType, fields, ...beside }) => {
    const all = { ...fields, ...beside };
    return { provider, connectionName, model: model ?? all.MODEL_NAME ?? '', modelType, fields: all };
  });

/** Looks like the key of a vendor, but is none. */
const EXAMPLE_KEY = 'sk-4f9c27d1a8b35e60';

export const CreateConnection = z
  .discriminatedUnion('provider', [Vendor1Connection, CloudVendor1Connection, Vendor2Connection, ApiConnection], {
    error: (issue) =>
      issue.code === 'invalid_union'
        ? `must be one of ${[...PROVIDERS, ...COMMON_PROVIDER_NAMES].join(', ')}`
        : undefined,
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
export type CreateConnection = z.output<typeof CreateConnection>;

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

/** The schema of a connection's fields after a change. Only administrators change connections of the provider `API`. */
export const CHANGEABLE_FIELDS = {
  Vendor1: Vendor1Fields,
  CloudVendor1: CloudVendor1Fields,
  Vendor2: Vendor2Fields,
  // The model is a member of the connection itself, so it is always given.
  API: ApiFields.superRefine((fields, context) => {
    requireEndpoint({ ...fields, model: true }, (member, message) =>
      context.addIssue({ code: 'custom', path: [member], message }),
    );
  }),
} as const;

export const ConnectionsQuery = z.strictObject({
  provider: z
    .enum([...PROVIDERS, ...COMMON_PROVIDER_NAMES])
    .transform(toProvider)
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
  provider: z.enum(PROVIDERS).meta({ examples: ['Vendor1'] }),
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

function refuseContradictions(body: object, context: z.RefinementCtx): void {
  const { fields, ...beside } = body as { fields: Record<string, Json> } & Record<string, Json | undefined>;
  for (const [member, value] of Object.entries(beside)) {
    const inFields = member === 'model' ? fields.MODEL_NAME : member in apiMembers ? fields[member] : undefined;
    if (value === undefined || inFields === undefined || isDeepStrictEqual(value, inFields)) continue;
    const as = member === 'model' ? ' as MODEL_NAME' : '';
    context.addIssue({
      code: 'custom',
      path: [member],
      message: `differs from its value in fields${as}; send it once`,
    });
  }
}

/**
 * Requires BASE_URL, API_KEY and MODEL_NAME, or a member that replaces them. It runs even if other members are invalid,
 * so that one answer names all faults; therefore the body may have any members.
 */
function requireApiMembers(body: object, context: z.RefinementCtx): void {
  const { fields, ...beside } = body as Record<string, unknown>;
  requireEndpoint({ ...(isJsonObject(fields) && fields), ...beside }, (member, message) =>
    context.addIssue({ code: 'custom', path: ['fields', member], message }),
  );
}

function requireEndpoint(all: Record<string, unknown>, refuse: (member: string, message: string) => void): void {
  const requireOne = (members: string[], message: string) => {
    if (!members.some((member) => isGiven(all[member]))) refuse(members[0]!, message);
  };
  requireOne(['BASE_URL', 'LLM_API_URL', 'endpointUrl'], 'is required unless endpointUrl is sent');
  requireOne(['API_KEY', 'LLM_API_KEY', 'headers'], 'is required unless headers are sent');
  requireOne(['MODEL_NAME', 'model'], 'is required unless model is sent');
  if ([...MAPPED_PROVIDERS, ...COMMON_PROTOCOL_NAMES].some((mapped) => mapped === all.mapProvider))
    requireOne(['IOMapping', 'IOMappings'], 'is required with mapProvider');
}

function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}
