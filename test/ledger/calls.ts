import { DAY_MS, HOUR_MS } from '../../src/kernel/spans.js';
import { makeKeyWith, type Tenant } from '../support/actors.js';
import { type Answer, Client } from '../support/client.js';
import type { Target } from '../support/service.js';

export const MiB = 1024 * 1024;

/** A call as the ledger shows it. */
export interface Call extends Record<string, unknown> {
  id: string;
  callId: string;
  timestamp: string;
}

export interface Page {
  success: boolean;
  statusCode: number;
  total: number;
  limit: number;
  offset: number;
  dataMode: string;
  hasMore: boolean;
  generations: Call[];
}

export interface Written {
  accepted: number;
  duplicates: number;
  unpriced: string[];
}

export const ledgerPath = (projectId: string) => `/api/public/analytics/projects/${projectId}/llm-ledger`;

/** A whole minute some days ago, so that tests can write calls at known times. */
export const BASE = Math.floor((Date.now() - 10 * DAY_MS) / HOUR_MS) * HOUR_MS;

export const at = (seconds: number) => new Date(BASE + seconds * 1000).toISOString();

/** A window with all times at which tests write. */
export const EVER = {
  fromDate: new Date(Date.now() - 390 * DAY_MS).toISOString(),
  toDate: new Date(Date.now() + DAY_MS).toISOString(),
};

let calls = 0;

/** A valid call with a `callId` of its own. */
export function aCall(changes: Record<string, unknown> = {}) {
  calls += 1;
  return { callId: `call-${calls}`, timestamp: at(calls), status: 'success', ...changes };
}

export function write({ api, projectId }: Tenant, ...generations: unknown[]): Promise<Answer<Written>> {
  return api.post<Written>(ledgerPath(projectId), { generations });
}

/** Sends a body as lines of calls, even if it is malformed. */
export function writeLines({ api, projectId }: Tenant, rawBody: string): Promise<Answer<Written>> {
  return api.send<Written>('POST', ledgerPath(projectId), {
    rawBody,
    headers: { 'content-type': 'application/x-ndjson' },
  });
}

export const linesOf = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n');

/** Writes calls, and throws an error with the answer if that fails. */
export async function written(tenant: Tenant, ...generations: unknown[]): Promise<Written> {
  const { status, text, body } = await write(tenant, ...generations);
  if (status !== 201) throw new Error(`Writing answered ${status}: ${text}`);
  return body;
}

/** Writes calls for a tenant whose own key lacks the permission. */
export async function writtenFor(target: Target, tenant: Tenant, ...generations: unknown[]): Promise<Written> {
  const { api } = await makeKeyWith(target, tenant, ['analytics:write']);
  return written({ ...tenant, api }, ...generations);
}

type Query = Record<string, string | string[]> | Partial<Record<string, string>>;

export function read({ api, projectId }: Tenant, query: Query = {}): Promise<Answer<Page>> {
  return api.get<Page>(ledgerPath(projectId), { query: { ...EVER, ...query } });
}

interface ExportLink {
  url: string;
  expiresAt: string;
}

export function makeExportLink(
  { api, projectId }: Tenant,
  members: Record<string, unknown> = {},
): Promise<Answer<ExportLink>> {
  return api.post<ExportLink>(`${ledgerPath(projectId)}/export-links`, { format: 'csv', ...EVER, ...members });
}

/** Opens a link to an export without a key. */
export function openExport(target: { url: string }, link: string): Promise<Answer> {
  const { pathname, search } = new URL(link);
  return new Client(target.url).get(pathname + search);
}

/** Returns the `callId`s of the calls that are found, in their order. */
export async function found(tenant: Tenant, query: Query = {}): Promise<string[]> {
  const { status, text, body } = await read(tenant, query);
  if (status !== 200) throw new Error(`Reading answered ${status}: ${text}`);
  if (!query.limit && body.total !== body.generations.length) throw new Error(`The total is not that: ${text}`);
  return body.generations.map(({ callId }) => callId);
}
