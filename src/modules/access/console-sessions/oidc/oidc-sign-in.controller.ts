import { Controller, Headers, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { definedMembers } from '../../../../kernel/defined-members.js';
import { ConsoleCaller } from '../../../../platform/auth/console-caller.js';
import { data } from '../../../../platform/route/answer.js';
import { Route } from '../../../../platform/route/route.js';
import { SentBackQuery } from '../../../../platform/route/sent-back-query.js';
import { page } from '../../../../platform/transfer/page.js';
import { accessErrors } from '../../access.errors.js';
import { shownUserAgent } from '../user-agent.js';
import { CONSOLE_SIGN_IN_ERRORS, onwardPage, signedInPage } from './oidc-sign-in.pages.js';
import { CALLBACK, SIGN_IN, WaysToSignIn } from './oidc-sign-in.schema.js';
import { OidcSignIns } from './oidc-sign-in.service.js';

const { oidcOff, oidcSignInNotFound, oidcSignInRefused, oidcNoRole, oidcSignInFailed } = accessErrors;

@ApiTags('Administration: console')
@Controller()
export class OidcSignInController {
  constructor(
    private readonly signIns: OidcSignIns,
    private readonly caller: ConsoleCaller,
  ) {}

  @Route('GET /api/admin/v1/console-sign-in', {
    access: 'public',
    summary: 'Read how administrators can sign in to the console, apart from keys',
    returns: data(WaysToSignIn),
  })
  ways() {
    return { oidc: this.signIns.isOffered };
  }

  @Route(`GET ${SIGN_IN}`, {
    access: 'public',
    summary: 'Continue to the OpenID Connect provider to sign in to the console',
    description: 'This address is for browsers, so refusals are pages. The page goes on to the provider by itself.',
    returns: page('<p>Go on to the provider …</p>'),
    errors: [oidcOff, oidcSignInFailed],
    rateGroup: 'SIGN_IN',
    errorShape: CONSOLE_SIGN_IN_ERRORS,
  })
  async begin(@Res({ passthrough: true }) response: Response) {
    const { secret, address } = await this.signIns.begin();
    response.append('set-cookie', this.signIns.cookie.with(secret));
    return onwardPage(address);
  }

  @Route(`GET ${CALLBACK}`, {
    access: 'public',
    summary: 'Receive administrators whom the OpenID Connect provider sends back',
    description: `This address is for browsers, so refusals are pages. Register {PUBLIC_URL}${CALLBACK} at the provider.`,
    returns: page('<p>Go on to the console …</p>'),
    errors: [oidcOff, oidcSignInNotFound, oidcSignInRefused, oidcNoRole, oidcSignInFailed],
    rateGroup: 'SIGN_IN',
    errorShape: CONSOLE_SIGN_IN_ERRORS,
  })
  async complete(
    @Query({ schema: SentBackQuery }) query: SentBackQuery,
    @Headers('cookie') cookies: string | undefined,
    @Headers('user-agent') userAgent: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    const sentBack = new URLSearchParams(definedMembers(query) as Record<string, string>);
    const { secret } = await this.signIns.complete(sentBack, cookies, shownUserAgent(userAgent));
    response.append('set-cookie', this.caller.cookie.with(secret));
    response.append('set-cookie', this.signIns.cookie.gone());
    return signedInPage();
  }
}
