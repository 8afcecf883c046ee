import type { Client } from '../support/client.js';

export const ADMIN = '/api/admin/v1';

export interface Entry {
  auditId: string;
  at: string;
  actor: { actorId: string; kind: string; label: string };
  requestId: string | null;
  operation: string | null;
  target: { kind: string; targetId: string; projectId: string | null };
  change: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export interface Listed {
  data: Entry[];
  meta: { nextCursor: string | null };
}

/** Lists the newest entries that match. */
export async function entriesIn(admin: Client, query: Record<string, string> = {}): Promise<Entry[]> {
  return (await admin.get<Listed>(`${ADMIN}/audit`, { query: { limit: '100', ...query } })).body.data;
}

export const changesOf = (found: Entry[]) => found.map(({ change, target }) => `${change} ${target.kind}`);
