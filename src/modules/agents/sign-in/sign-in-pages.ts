import type { SlipwayError } from '../../../kernel/errors.js';
import { type ErrorShape, USUAL_ERRORS } from '../../../platform/route/error-shape.js';
import { html, NO_MARKUP, Page } from '../../../platform/transfer/page.js';
import { agentsErrors } from '../agents.errors.js';

interface Question {
  appName: string;
  idpName: string;
  userReference: string;
  asksCode: boolean;
  /** Shows that the form which comes back is of this page, in this browser. */
  token: string;
  cookie: string;
}

/** Says who asks and for whom, so that nobody signs in for somebody else without seeing it. */
export function questionPage({ appName, idpName, userReference, asksCode, token, cookie }: Question): Page {
  const code = html`<p>
    <label
      >Code that your conversation shows:
      <input name="code" inputmode="numeric" autocomplete="one-time-code" size="8" maxlength="16" required autofocus
    /></label>
  </p>`;
  const body = html`<p>
      The application <strong><bdi>${appName}</bdi></strong> asks to act at <strong><bdi>${idpName}</bdi></strong> for
      its user <strong><bdi>${userReference}</bdi></strong
      >.
    </p>
    <p>
      Go on only if you are this user and began the conversation yourself. Whoever sent you this address, or a code for
      it, could otherwise act in your name.
    </p>
    <form method="post">
      <input type="hidden" name="token" value="${token}" />
      ${asksCode ? code : NO_MARKUP}
      <p><button>Sign in at ${idpName}</button></p>
    </form>`;
  return new Page({ title: 'Sign in', body, cookie });
}

/**
 * Leads to the provider. A redirect would be checked against the page's `form-action`, and browsers go on checking it at
 * each further redirect, between servers of the provider that nobody here knows.
 */
export function onwardPage(idpName: string, address: string): Page {
  const body = html`<p><a href="${address}">Go on to ${idpName}</a> if nothing happens.</p>`;
  return new Page({ title: 'Signing in', body, refreshTo: address });
}

export function donePage(): Page {
  const body = html`<p>You are signed in. Go back to your conversation.</p>`;
  return new Page({ title: 'Signed in', body });
}

function refusalPage({ spec, message }: SlipwayError): Page {
  const mayTryAgain = spec.code === agentsErrors.signInCodeWrong.spec.code;
  // An empty address is that of the page itself.
  const again = mayTryAgain ? html`<p><a href="">Try again</a></p>` : NO_MARKUP;
  const body = html`<p>${message}</p>
    ${again}
    <p><small>${spec.code}</small></p>`;
  return new Page({ title: 'Not signed in', body });
}

/** Browsers get a page, everybody else what they get everywhere. */
export const SIGN_IN_ERRORS: ErrorShape = { ...USUAL_ERRORS, name: 'page', page: refusalPage };
