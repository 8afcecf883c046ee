import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isJsonObject } from '../../kernel/json.js';
import type { Issue } from '../../platform/route/validation.js';
import { ApiFields, apiMembers, MAPPED_PROVIDERS } from './connection-fields.schema.js';
import type { CommonMembers, ConnectionBodySchema } from './connections.port.js';
import { COMMON_PROTOCOL_NAMES } from './mapped-providers.js';
import type { Json } from './secret-members.js';

/** The request of the provider `API`. Its members may be in `fields` or beside it. */
export function apiConnection(common: CommonMembers): ConnectionBodySchema {
  return z
    .strictObject({ ...common, model: common.model.optional(), fields: ApiFields.default({}), ...apiMembers })
    .superRefine(refuseContradictions)
    .superRefine(requireApiMembers, { when: ({ value }) => isJsonObject(value) })
    .transform(({ provider, connectionName, model, modelType, fields, ...beside }) => {
      const all = { ...fields, ...beside };
      return { provider, connectionName, model: model ?? all.MODEL_NAME ?? '', modelType, fields: all };
    });
}

/** Returns what stored fields lack. The model is a member of the connection itself, so it is always given. */
export function missingMembers(fields: ApiFields): Issue[] {
  const issues: Issue[] = [];
  requireEndpoint({ ...fields, model: true }, (member, message) => issues.push({ path: [member], message }));
  return issues;
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
