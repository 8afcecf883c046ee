import { Controller, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { text } from '../../../platform/route/answer.js';
import { Route } from '../../../platform/route/route.js';
import { Redirect, redirect } from '../../../platform/transfer/redirect.js';
import { agentsErrors } from '../agents.errors.js';
import { SignIns } from './sign-in.service.js';

const word = (example: string) =>
  z
    .string()
    .max(4_096)
    .optional()
    .meta({ examples: [example] });

/**
 * With what identity providers send users back: the first three count. What else they add is passed over, as OAuth 2
 * wants it (RFC 6749, 4.1.2); some of it is named here.
 */
const SentBackQuery = z.object({
  state: z
    .string()
    .min(1)
    .max(256)
    .meta({ examples: ['as the address had it'] }),
  code: word('as the provider gave it'),
  error: word('access_denied'),
  error_description: word('The user said no'),
  error_uri: word('https://login.example.com/errors/1'),
  iss: word('https://login.example.com'),
  scope: word('openid'),
  session_state: word('1'),
  authuser: word('0'),
  prompt: word('consent'),
  hd: word('example.com'),
});
type SentBackQuery = z.output<typeof SentBackQuery>;

const DONE = '<!doctype html><title>Signed in</title><p>You are signed in. Go back to your conversation.</p>\n';

@ApiTags('Sign-in of users')
@Controller()
export class SignInController {
  constructor(private readonly signIns: SignIns) {}

  @Route('GET /auth/idp/callback', {
    access: 'public',
    summary: 'Where identity providers send users back to',
    description: 'For browsers. Register this address at the provider.',
    returns: text('text/html', DONE),
    errors: [agentsErrors.signInNotFound, agentsErrors.signInRefused, agentsErrors.signInFailed],
  })
  async complete(@Query({ schema: SentBackQuery }) query: SentBackQuery) {
    return this.signIns.complete(query).then(() => DONE);
  }

  @Route('GET /auth/idp/{state}', {
    access: 'public',
    summary: 'Go to the identity provider to sign in',
    description: 'For browsers; the address is in IDP_Redirect. It is good for an hour, until the user is back.',
    returns: redirect(),
    status: 302,
    errors: [agentsErrors.signInNotFound],
  })
  async go(@Param('state') state: string) {
    return new Redirect(await this.signIns.go(state));
  }
}
