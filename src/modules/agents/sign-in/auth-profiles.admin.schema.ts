import { z } from 'zod';
import { displayName, id, nameUpTo, timestamp } from '../../../kernel/schema.js';
import type { AuthProfile } from './auth-profile.entity.js';

const idpName = displayName
  .describe('The name that tools use and users see. It is unique in the app.')
  .meta({ examples: ['Company login'] });
const address = (example: string) =>
  z
    .string()
    .min(1)
    .max(2_048)
    .meta({ examples: [example] });
const members = {
  idpName,
  authorizationUrl: address('https://login.example.com/authorize').describe('The address at which users sign in.'),
  tokenUrl: address('https://login.example.com/token').describe(
    'The address at which this service gets the tokens of users.',
  ),
  clientId: nameUpTo(512).meta({ examples: ['slipway'] }),
  scopes: z
    .union([z.string().max(2_048), z.array(z.string().min(1).max(256)).max(100)])
    .transform((given) => (typeof given === 'string' ? given.trim() : given.join(' ')))
    .describe('The scopes to request, as a list or separated by spaces.')
    .meta({ examples: ['openid offline_access'] }),
  sso_type: nameUpTo(64)
    .describe('The type that clients receive in IDP_Redirect.')
    .meta({ examples: ['oauth2'] }),
  requiresCode: z
    .boolean()
    .describe(
      'Whether users have to type a code from the conversation before they sign in. Set it to false if the conversation cannot show a code.',
    )
    .meta({ examples: [true] }),
  issuer: address('https://login.example.com')
    .nullable()
    .describe(
      'The `iss` that the provider sends. Users who come back without it, or with another one, are refused. If it is null, an `iss` must have the origin of authorizationUrl.',
    ),
};
const clientSecret = z
  .string()
  .min(1)
  .max(8_192)
  .describe('The client secret at the provider. It is sealed and never shown.')
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
