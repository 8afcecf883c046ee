import { Injectable } from '@nestjs/common';
import { Digests } from '../../../../platform/auth/digests.js';
import type { RoleOfGroup } from '../../../../platform/config/oidc-settings.js';
import { Settings } from '../../../../platform/config/settings.js';

/** The client of the service at the OpenID Connect provider, and the roles that groups there give. */
export interface OidcRegistration {
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  groupsClaim: string;
  roles: readonly RoleOfGroup[];
}

/** The settings with which administrators sign in at an OpenID Connect provider. They are complete, or the way is off. */
@Injectable()
export class OidcClient {
  readonly registration: OidcRegistration | null;

  constructor(
    settings: Settings,
    private readonly digests: Digests,
  ) {
    this.registration = registrationIn(settings);
  }

  /** Returns the digest of all these settings, or null without them. Sessions of people end with another value. */
  digest(): string | null {
    return this.registration && this.digests.of(`console-oidc:${JSON.stringify(this.registration)}`);
  }
}

function registrationIn(settings: Settings): OidcRegistration | null {
  const {
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: clientId,
    CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
    CONSOLE_OIDC_ROLES: roles,
  } = settings;
  if (issuer === undefined) return null;
  const { CONSOLE_OIDC_SCOPES: scopes, CONSOLE_OIDC_GROUPS_CLAIM: groupsClaim } = settings;
  // The settings have an issuer only with all of these.
  return { issuer, clientId: clientId!, clientSecret: clientSecret!, scopes, groupsClaim, roles: roles! };
}
