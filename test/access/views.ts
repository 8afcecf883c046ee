import type { PermissionMap } from '../../src/kernel/permissions.js';

/** The bodies of the specification's key and scope endpoints, as tests read them. */
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
