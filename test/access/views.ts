import type { PermissionMap } from '../../src/kernel/permissions.js';

/** A body of the specification's routes for keys, as tests read it. */
export interface NewKeyBody {
  api_key: { apikey: string; key_id: string; key_name: string; scope_name: string; expires_at: string | null };
  scope: ScopeBody;
}

export interface ScopeBody {
  scope_id: string;
  scope_name: string;
  description: string;
  created_at: string;
  permissions: PermissionMap;
}
