import { z } from 'zod';
import { displayName, id, nameUpTo, timestamp } from '../../../kernel/schema.js';
import type { AuthProfile } from './auth-profile.entity.js';

const idpName = displayName
  .describe('As tools name it, and users see it; one of the app.')
  .meta({ examples: ['Company login'] });
const address = (example: string) =>
  z
    .string()
    .min(1)
    .max(2_048)
    .meta({ examples: [example] });
const members = {
  idpName,
  authorizationUrl: address('https://login.example.com/authorize').describe('Where users sign in.'),
  tokenUrl: address('https://login.example.com/token').describe('Where this service gets their tokens.'),
  clientId: nameUpTo(512).meta({ examples: ['slipway'] }),
  scopes: z
    .union([z.string().max(2_048), z.array(z.string().min(1).max(256)).max(100)])
    .transform((given) => (typeof given === 'string' ? given.trim() : given.join(' ')))
    .describe('Separated by spaces, or as a list.')
    .meta({ examples: ['openid offline_access'] }),
  sso_type: nameUpTo(64)
    .describe('Shown to clients in IDP_Redirect.')
    .meta({ examples: ['oauth2'] }),
  requiresCode: z
    .boolean()
    .describe(
      'Whether users type, before they sign in, a code that the conversation shows. Off where none can be shown.',
    )
    .meta({ examples: [true] }),
  issuer: address('https://login.example.com')
    .nullable()
    .describe(
      'What the provider sends as `iss`: users who come back without it, or with another, are refused. Null where it sends none; then an `iss` has to be of the origin of authorizationUrl.',
    ),
};
const clientSecret = z
  .string()
  .min(1)
  .max(8_192)
  .describe('Is sealed, and shown to nobody.')
  .meta({ examples: ['an example of what the provider gave you'] });

export const CreateAuthProfile = z
  .strictObject({
    ...members,
    clientSecret,
    sso_type: members.sso_type.default('oauth2'),
    requiresCode: members.requiresCode.default(true),
    issuer: members.issuer.default(null),
  })
  .meta({
    id: 'CreateAuthProfile',
    examples: [
      {
        idpName: 'Company login',
        authorizationUrl: 'https://login.example.com/authorize',
        tokenUrl: 'https://login.example.com/token',
        clientId: 'slipway',
        clientSecret: 'an example of what the provider gave you',
        scopes: 'openid offline_access',
        sso_type: 'oauth2',
      },
    ],
  });
export type CreateAuthProfile = z.output<typeof CreateAuthProfile>;

export const ChangeAuthProfile = z
  .strictObject({ ...members, clientSecret })
  .partial()
  .meta({ id: 'ChangeAuthProfile', examples: [{ scopes: 'openid' }] });
export type ChangeAuthProfile = z.output<typeof ChangeAuthProfile>;

export const AuthProfileView = z
  .object({
    profileId: id('authProfile'),
    appId: id('app'),
    ...members,
    scopes: z.string().meta({ examples: ['openid offline_access'] }),
    createdAt: timestamp,
  })
  .meta({ id: 'AuthProfile' });

export const AuthProfileGone = z.object({ profileId: id('authProfile') }).meta({ id: 'AuthProfileGone' });

export function toAuthProfileView(profile: AuthProfile): z.output<typeof AuthProfileView> {
  const { id: profileId, app, ssoType, createdAt } = profile;
  const { idpName: name, authorizationUrl, tokenUrl, clientId, scopes, requiresCode, issuer } = profile;
  return {
    profileId,
    appId: app.id,
    idpName: name,
    authorizationUrl,
    tokenUrl,
    clientId,
    scopes,
    sso_type: ssoType,
    requiresCode,
    issuer,
    createdAt: createdAt.toISOString(),
  };
}
