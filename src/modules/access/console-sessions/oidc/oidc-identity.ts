import {
  IdentifiesAdministrators,
  type KnownPerson,
  SignInIdentity,
  type SignInValues,
} from '../../../../platform/auth/admin-identity.js';
import type { RoleOfGroup } from '../../../../platform/config/oidc-settings.js';
import { Settings } from '../../../../platform/config/settings.js';
import { OIDC } from './oidc-name.js';
import { OidcProvider } from './oidc-provider.js';
import { personOf } from './person-of-claims.js';

/** The client of the service at the OpenID Connect provider, and the roles that groups there give. */
export interface OidcRegistration {
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: string;
  groupsClaim: string;
  roles: readonly RoleOfGroup[];
}

/** Knows the people of the OpenID Connect provider in the settings. They are complete, or the identity is off. */
@IdentifiesAdministrators({ name: OIDC, title: 'OpenID Connect', inConsole: true })
export class OidcIdentity extends SignInIdentity {
  private readonly registration: OidcRegistration | null;

  constructor(
    settings: Settings,
    private readonly provider: OidcProvider,
  ) {
    super();
    this.registration = registrationIn(settings);
  }

  basis(): string | null {
    return this.registration && `console-oidc:${JSON.stringify(this.registration)}`;
  }

  begin(values: SignInValues): Promise<string> {
    return this.provider.authorizationAddress(this.registration!, values);
  }

  async complete(sentBack: URLSearchParams, values: SignInValues): Promise<KnownPerson> {
    const registration = this.registration!;
    return personOf(await this.provider.claims(registration, sentBack, values), registration);
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
