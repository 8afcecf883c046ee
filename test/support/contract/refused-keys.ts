import { type Permission, PERMISSION_NAMES, withImplied } from '../../../src/kernel/permissions.js';
import { makeKey, makeKeyWith, revoke, type Tenant } from '../actors.js';
import { makeAdminKey, revokeAdminKey } from '../admin-keys.js';
import { HOUR } from '../clock.js';
import type { Target } from '../service.js';

/** Keys that are refused, or lack a permission. Each is made when a check needs it, and kept for the other routes. */
export class RefusedKeys {
  private readonly kept = new Map<string, Promise<string>>();

  constructor(
    private readonly target: Target,
    private readonly tenant: Tenant,
  ) {}

  /** Expires in an hour. */
  expiring(): Promise<string> {
    const expiresAt = new Date(Date.now() + HOUR).toISOString();
    return this.keep('expiring', () => this.makeOne({ expiresAt }));
  }

  revoked(): Promise<string> {
    return this.keep('revoked', async () => {
      const { keyId, key } = await makeKey(this.target, this.tenant.appId, this.tenant.scopeName);
      await revoke(this.target, this.tenant.appId, keyId);
      return key;
    });
  }

  revokedOfAdministrator(): Promise<string> {
    return this.keep('revoked of administrator', async () => {
      const { adminKeyId, adminKey } = await makeAdminKey(this.target);
      await revokeAdminKey(this.target, adminKeyId);
      return adminKey;
    });
  }

  ofAdministrator(): Promise<string> {
    return this.keep('of administrator', async () => (await makeAdminKey(this.target)).adminKey);
  }

  with(permissions: readonly Permission[]): Promise<string> {
    return this.keep(String(permissions), async () => (await makeKeyWith(this.target, this.tenant, permissions)).key);
  }

  /** Has every permission except for this one and those that imply it. */
  without(permission: Permission): Promise<string> {
    return this.with(PERMISSION_NAMES.filter((name) => !withImplied([name]).has(permission)));
  }

  private async makeOne(more: { expiresAt: string }): Promise<string> {
    return (await makeKey(this.target, this.tenant.appId, this.tenant.scopeName, more)).key;
  }

  private keep(name: string, make: () => Promise<string>): Promise<string> {
    if (!this.kept.has(name)) this.kept.set(name, make());
    return this.kept.get(name)!;
  }
}
