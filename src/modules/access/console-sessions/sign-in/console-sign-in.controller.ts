import { Controller, Headers, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ConsoleCaller } from '../../../../platform/auth/console-caller.js';
import { data } from '../../../../platform/route/answer.js';
import { PathName } from '../../../../platform/route/path-id.js';
import { Route } from '../../../../platform/route/route.js';
import { SentBackQuery } from '../../../../platform/route/sent-back-query.js';
import { page } from '../../../../platform/transfer/page.js';
import { accessErrors } from '../../access.errors.js';
import { OIDC } from '../oidc/oidc-name.js';
import { shownUserAgent } from '../user-agent.js';
import { CONSOLE_SIGN_IN_ERRORS, onwardPage, signedInPage } from './console-sign-in.pages.js';
import { IDENTITY_IN_PATH, SIGN_IN, WaysToSignIn } from './console-sign-in.schema.js';
import { ConsoleSignIns } from './console-sign-ins.service.js';

const { signInOff, signInNotFound, signInRefused, signInNoRole, oidcSignInFailed } = accessErrors;

@ApiTags('Administration: console')
@Controller()
export class ConsoleSignInController {
  constructor(
    private readonly signIns: ConsoleSignIns,
    private readonly caller: ConsoleCaller,
  ) {}

  @Route(`GET ${SIGN_IN}`, {
    access: 'public',
    summary: 'Read how administrators can sign in to the console, apart from keys',
    returns: data(WaysToSignIn),
  })
  ways() {
    return { identities: this.signIns.offered().map(({ name, title }) => ({ name, title })) };
  }

  @Route(`GET ${SIGN_IN}/{identity}`, {
    access: 'public',
    summary: 'Sign in to the console, or continue to the OpenID Connect provider for that',
    description:
      'This address is for browsers, so refusals are pages. The page goes on to the provider, or to the console, by itself.',
    returns: page('<p>Go on to the provider …</p>'),
    errors: [signInOff, signInRefused, signInNoRole, oidcSignInFailed],
    identifiesAdministrators: true,
    rateGroup: 'SIGN_IN',
    errorShape: CONSOLE_SIGN_IN_ERRORS,
  })
  async begin(
    @PathName('identity', IDENTITY_IN_PATH) identity: string,
    @Headers('user-agent') userAgent: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const begun = await this.signIns.begin(identity, request, shownUserAgent(userAgent));
    if ('session' in begun) return this.signedIn(response, begun.secret);
    response.append('set-cookie', this.signIns.cookie.with(begun.secret));
    return onwardPage(begun.address);
  }

  @Route(`GET ${SIGN_IN}/{identity}/callback`, {
    access: 'public',
    summary: 'Receive administrators whom the OpenID Connect provider sends back',
    description: `This address is for browsers, so refusals are pages. Register {PUBLIC_URL}${SIGN_IN}/${OIDC}/callback at the provider.`,
    returns: page('<p>Go on to the console …</p>'),
    errors: [signInOff, signInNotFound, signInRefused, signInNoRole, oidcSignInFailed],
    identifiesAdministrators: true,
    rateGroup: 'SIGN_IN',
    errorShape: CONSOLE_SIGN_IN_ERRORS,
  })
  async complete(
    @PathName('identity', IDENTITY_IN_PATH) identity: string,
    @Query({ schema: SentBackQuery }) _query: SentBackQuery,
    @Headers('cookie') cookies: string | undefined,
    @Headers('user-agent') userAgent: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    // Providers of plugins may send other parameters than those of OpenID Connect.
    const sentBack = new URLSearchParams(request.originalUrl.split('?')[1]);
    const { secret } = await this.signIns.complete(identity, sentBack, cookies, shownUserAgent(userAgent));
    const shown = this.signedIn(response, secret);
    response.append('set-cookie', this.signIns.cookie.gone());
    return shown;
  }

  private signedIn(response: Response, secret: string) {
    response.append('set-cookie', this.caller.cookie.with(secret));
    return signedInPage();
  }
}
