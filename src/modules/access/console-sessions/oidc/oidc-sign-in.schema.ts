import { z } from 'zod';

export const SIGN_IN = '/api/admin/v1/console-sign-in/oidc';
/** The address to which the provider sends people back. */
export const CALLBACK = `${SIGN_IN}/callback` as const;

export const WaysToSignIn = z
  .object({
    oidc: z
      .boolean()
      .describe('Whether administrators can sign in with OpenID Connect.')
      .meta({ examples: [true] }),
  })
  .meta({ id: 'WaysToSignIn' });
