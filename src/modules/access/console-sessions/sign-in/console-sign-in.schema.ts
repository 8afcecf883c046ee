import { z } from 'zod';
import { adminIdentities } from '../../../../platform/auth/admin-identity.js';
import type { PathNames } from '../../../../platform/route/path-id.js';
import { OIDC } from '../oidc/oidc-name.js';

export const SIGN_IN = '/api/admin/v1/console-sign-in';

/** The names are read when the routes are documented. All plugins are loaded then. */
export const IDENTITY_IN_PATH: PathNames = {
  get names() {
    return adminIdentities
      .all()
      .filter(({ inConsole }) => inConsole)
      .map(({ name }) => name);
  },
  example: OIDC,
};

const Identity = z
  .object({
    name: z
      .string()
      .describe('The name in the address of the sign-in.')
      .meta({ examples: [OIDC] }),
    title: z
      .string()
      .describe('The name for people, as in "Sign in with OpenID Connect".')
      .meta({ examples: ['OpenID Connect'] }),
  })
  .meta({ id: 'ConsoleIdentity' });

export const WaysToSignIn = z
  .object({
    identities: z
      .array(Identity)
      .describe('All ways to sign in apart from keys: OpenID Connect, and those of plugins.'),
  })
  .meta({ id: 'WaysToSignIn' });
