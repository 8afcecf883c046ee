import { html, NO_MARKUP, Page } from '../../../platform/transfer/page.js';
import { pageErrors } from '../../../platform/transfer/refusal-page.js';
import { agentsErrors } from '../agents.errors.js';

interface Question {
  appName: string;
  idpName: string;
  userReference: string;
  asksCode: boolean;
  /** Proves that the form was sent by this page in this browser. */
  token: string;
  cookie: string;
}

/** Shows which app asks and for which user, so that a user sees it before signing in for someone else's session. */
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
 * Sends the browser to the provider with a refresh. Browsers check a redirect after a form, and each redirect that
 * follows it, against `form-action` of the page, and this service does not know the provider's other servers.
 */
export function onwardPage(idpName: string, address: string): Page {
  const body = html`<p><a href="${address}">Go on to ${idpName}</a> if nothing happens.</p>`;
  return new Page({ title: 'Signing in', body, refreshTo: address });
}

export function donePage(): Page {
  const body = html`<p>You are signed in. Go back to your conversation.</p>`;
  return new Page({ title: 'Signed in', body });
}

/** An empty address is the address of the page itself. */
const AGAIN = html`<p><a href="">Try again</a></p>`;

export const SIGN_IN_ERRORS = pageErrors('Not signed in', ({ spec }) =>
  spec.code === agentsErrors.signInCodeWrong.spec.code ? AGAIN : NO_MARKUP,
);
