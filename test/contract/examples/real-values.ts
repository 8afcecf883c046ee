import { makeSession, ref } from '../../sessions/make.js';
import { makeScope } from '../../support/actors.js';
import type { Form } from '../../support/client.js';
import type { RouteRequest, Samples, World } from '../../support/samples.js';
import { aCallback } from '../../tools/tools.samples.js';
import type { PrintedRequest } from './printed-requests.js';

/** All printed ids are the same after their prefix. */
const PRINTED_ID = /^[a-z]+(-[a-z]+)*-0VJ8kQ2xT4bN7mRw1ZcYp3$/;

/** The names of printed values that a service has to have made before, as it has to for an id. */
const MADE_BY_SERVICE = [
  // The id of a call in the ledger.
  'id',
  // The query of a signed link.
  'expires',
  'signature',
  // The query with which a provider ends a sign-in.
  'state',
  'token',
  'code',
  'iss',
  'error',
  'error_description',
  'error_uri',
  'X-Callback-Signature',
  // The contact centre's id of a conversation that has begun.
  'conversationId',
];

type Make = (world: World, body: unknown) => Promise<RouteRequest | void>;

const SCOPE: Make = async ({ service, tenant }, body) => {
  const { scope_name: name, scopeName } = body as { scope_name?: string; scopeName?: string };
  await makeScope(service, tenant.appId, { name: name ?? scopeName! });
};

/** Prepares requests that contain a name of the user's choice. A row with that name has to exist, or must not exist. */
export const MADE_FIRST: Partial<Record<keyof Samples, Make>> = {
  'POST /aaa/api/public/apps/{appId}/apikeys/create': SCOPE,
  'POST /api/admin/v1/apps/{appId}/apikeys': SCOPE,
  'POST /api/v2/apps/{appId}/environments/{envName}/sessions/terminate': async ({ tenant }) => {
    await makeSession(tenant, [ref('order-4711')]);
  },
  'PATCH /api/admin/v1/admin-keys/{adminKeyId}': async ({ service }, body) => {
    await service.database.rows('delete from admin_key where name = $1', [(body as { name: string }).name]);
  },
  'POST /api/v1/callbacks/{callbackId}': async (world, body) => {
    const { callbackId, signature } = await aCallback(world, JSON.stringify(body));
    return { params: { callbackId }, headers: { 'x-callback-signature': signature } };
  },
};

/**
 * Returns the printed request, with values of the sample for its ids, and for required values that it does not have.
 */
export function asReal(printed: PrintedRequest, sample: RouteRequest): RouteRequest {
  const { mediaType, body } = printed;
  const real = {
    params: texts({ ...sample.params, ...madeReal(printed.params, sample.params) }),
    query: texts({ ...sample.query, ...madeReal(printed.query, sample.query) }),
    headers: { ...inLowerCase(texts(madeReal(printed.headers, {}))), ...sample.headers },
    ...(sample.processUrl && { processUrl: sample.processUrl }),
  };
  if (mediaType === 'application/json') return { ...real, body: withReal(body, sample.body, []) };
  if (mediaType === 'multipart/form-data') return { ...real, form: { ...(body as Form), file: sample.form!.file! } };
  if (mediaType !== undefined)
    return { ...real, rawBody: body as string, headers: { ...real.headers, 'content-type': mediaType } };
  return { ...real, ...pickBody(sample) };
}

function madeReal(printed: object, real: object = {}): object {
  return withReal(printed, real, MADE_BY_SERVICE) as object;
}

/** Returns the values that are defined, as texts. */
function texts(values: object): Record<string, string> {
  const there = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there.map(([name, value]) => [name, String(value)]));
}

/** Names of headers are the same in upper and lower case, and samples have them in lower case. */
function inLowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function pickBody({ body, form, rawBody }: RouteRequest): RouteRequest {
  return { ...(body !== undefined && { body }), ...(form && { form }), ...(rawBody !== undefined && { rawBody }) };
}

/**
 * Replaces printed ids by real ones. An id for which there need be no row, such as the session of a ledger row, stays.
 */
function withReal(printed: unknown, real: unknown, named: readonly string[], name = ''): unknown {
  if (typeof printed === 'string' && PRINTED_ID.test(printed)) return real ?? printed;
  if (named.includes(name)) return real;
  if (typeof printed !== 'object' || printed === null) return printed;
  const inner = (real ?? {}) as Record<string, unknown>;
  if (Array.isArray(printed)) return printed.map((each, at) => withReal(each, inner[at], named, name));
  const members = Object.entries(printed).map(
    ([key, value]) => [key, withReal(value, inner[key], named, key)] as const,
  );
  return Object.fromEntries(members);
}
