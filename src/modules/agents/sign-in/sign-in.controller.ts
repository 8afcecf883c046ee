import { Body, Controller, createParamDecorator, type ExecutionContext, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { z } from 'zod';
import { PAGE_FORM_BODY } from '../../../platform/route/body-format.js';
import { Route } from '../../../platform/route/route.js';
import { SentBackQuery } from '../../../platform/route/sent-back-query.js';
import { page } from '../../../platform/transfer/page.js';
import { agentsErrors } from '../agents.errors.js';
import { SIGN_IN_ERRORS } from './sign-in-pages.js';
import { SignIns } from './sign-in.service.js';

const SentForm = z
  .strictObject({
    token: z
      .string()
      .max(256)
      .default('')
      .describe('The token in the form of the page.')
      .meta({ examples: ['as the page has it'] }),
    code: z
      .string()
      .max(64)
      .default('')
      .describe('The code that the conversation shows, if the profile requires one.')
      .meta({ examples: ['483920'] }),
  })
  .meta({ id: 'SignInForm' });
type SentForm = z.output<typeof SentForm>;

/** The request's `Cookie` header, not parsed. */
const Cookies = createParamDecorator((_: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<Request>().headers.cookie;
});
type Cookies = string | undefined;

const { signInNotFound, signInFormRefused, signInCodeWrong, signInTriesUsed } = agentsErrors;
const { signInOtherBrowser, signInOtherIssuer, signInRefused, signInFailed } = agentsErrors;

@ApiTags('Sign-in of users')
@Controller()
export class SignInController {
  constructor(private readonly signIns: SignIns) {}

  @Route('GET /auth/idp/callback', {
    access: 'public',
    summary: 'Receive users whom identity providers send back',
    description: 'This address is for browsers, so refusals are pages. Register it at the provider.',
    returns: page('<p>You are signed in. Go back to your conversation.</p>'),
    errors: [signInNotFound, signInOtherBrowser, signInOtherIssuer, signInRefused, signInFailed],
    errorShape: SIGN_IN_ERRORS,
  })
  complete(@Query({ schema: SentBackQuery }) query: SentBackQuery, @Cookies() cookies: Cookies) {
    return this.signIns.complete(query, cookies);
  }

  @Route('GET /auth/idp/{state}', {
    access: 'public',
    summary: 'Show who asks a user to sign in, and where',
    description:
      'This page is for browsers, so refusals are pages too. Its address is in IDP_Redirect. It is valid for an hour, until the user comes back.',
    returns: page('<p>The application … asks to act at … for its user …</p>'),
    errors: [signInNotFound],
    errorShape: SIGN_IN_ERRORS,
  })
  question(@Param('state') state: string, @Cookies() cookies: Cookies) {
    return this.signIns.question(state, cookies);
  }

  @Route('POST /auth/idp/{state}', {
    access: 'public',
    summary: 'Continue to the identity provider to sign in',
    description:
      'The form of the page sends this request, which redirects to the provider. In browsers, refusals are pages.',
    returns: page('<p>Go on to …</p>'),
    bodies: [PAGE_FORM_BODY],
    errors: [signInNotFound, signInFormRefused, signInCodeWrong, signInTriesUsed],
    errorShape: SIGN_IN_ERRORS,
  })
  goOn(@Param('state') state: string, @Cookies() cookies: Cookies, @Body({ schema: SentForm }) form: SentForm) {
    return this.signIns.goOn(state, cookies, form);
  }
}
