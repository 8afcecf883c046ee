import { z } from 'zod';

export const WaysToSignIn = z
  .object({
    oidc: z
      .boolean()
      .describe('Whether administrators can sign in with OpenID Connect.')
      .meta({ examples: [true] }),
  })
  .meta({ id: 'WaysToSignIn' });
