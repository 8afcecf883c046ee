import { Injectable } from '@nestjs/common';
import type { AdminActor } from '../../../kernel/actor.js';
import type { Id } from '../../../kernel/ids.js';
import type { Page } from '../../../kernel/page.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import { Vault } from '../../../platform/crypto/vault.js';
import { Database } from '../../../platform/database/database.js';
import { Outbound } from '../../../platform/outbound/outbound.js';
import { authProfileList, type AuthProfilesRequest } from './auth-profile.list.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { agentsErrors } from '../agents.errors.js';
import { AuthProfile, type NewAuthProfile } from './auth-profile.entity.js';
import { AuthProfileRepository } from './auth-profile.repository.js';

export const clientSecretColumn = defineSealed({ table: 'auth_profile', column: 'client_secret_sealed' });

/** Manages the identity providers at which the users of an app sign in. */
@Injectable()
export class AuthProfilesService {
  constructor(
    private readonly database: Database,
    private readonly tenancy: TenancyService,
    private readonly profiles: AuthProfileRepository,
    private readonly vault: Vault,
    private readonly outbound: Outbound,
  ) {}

  create(
    actor: AdminActor,
    appId: Id<'app'>,
    { clientSecret, ...properties }: NewAuthProfile & { clientSecret: string },
  ): Promise<AuthProfile> {
    this.checkAddresses(properties);
    return this.database.transaction(actor, async (tx) => {
      const profile = new AuthProfile(await this.tenancy.app(appId), properties);
      profile.clientSecretSealed = this.vault.seal(clientSecret, clientSecretColumn, profile.id);
      tx.em.persist(profile);
      return profile;
    });
  }

  async list(appId: Id<'app'>, request: AuthProfilesRequest): Promise<Page<AuthProfile>> {
    const app = await this.tenancy.app(appId);
    return authProfileList.page(this.profiles, { app }, request);
  }

  async read(appId: Id<'app'>, profileId: Id<'authProfile'>): Promise<AuthProfile> {
    const app = await this.tenancy.app(appId);
    return found(await this.profiles.inApp(app.id, profileId));
  }

  change(
    actor: AdminActor,
    appId: Id<'app'>,
    profileId: Id<'authProfile'>,
    { clientSecret, ...changes }: Partial<NewAuthProfile> & { clientSecret?: string },
  ): Promise<AuthProfile> {
    this.checkAddresses(changes);
    return this.database.transaction(actor, async () => {
      const app = await this.tenancy.app(appId);
      const profile = found(await this.profiles.lockInApp(app.id, profileId));
      Object.assign(profile, changes);
      if (clientSecret !== undefined)
        profile.clientSecretSealed = this.vault.seal(clientSecret, clientSecretColumn, profile.id);
      return profile;
    });
  }

  /** Deletes the profile, and with it the tokens of all users who signed in there. */
  async delete(actor: AdminActor, appId: Id<'app'>, profileId: Id<'authProfile'>): Promise<void> {
    await this.database.transaction(actor, async (tx) => {
      const app = await this.tenancy.app(appId);
      tx.em.remove(found(await this.profiles.lockInApp(app.id, profileId)));
    });
  }

  /** Checks both addresses: the user's browser opens `authorizationUrl`, and this service sends requests to `tokenUrl`. */
  private checkAddresses({ authorizationUrl, tokenUrl }: Partial<NewAuthProfile>): void {
    if (authorizationUrl !== undefined) this.outbound.checkAddress(authorizationUrl, 'authorizationUrl');
    if (tokenUrl !== undefined) this.outbound.checkAddress(tokenUrl, 'tokenUrl');
  }
}

function found(profile: AuthProfile | null): AuthProfile {
  if (!profile) throw agentsErrors.authProfileNotFound();
  return profile;
}
