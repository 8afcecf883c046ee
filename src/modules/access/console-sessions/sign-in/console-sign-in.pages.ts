import { html, Page } from '../../../../platform/transfer/page.js';
import { pageErrors } from '../../../../platform/transfer/refusal-page.js';

const CONSOLE = '/console/';

/** A page that refreshes is sent instead of a redirect, so that refusals and successes are pages alike. */
export function onwardPage(address: string): Page {
  const body = html`<p><a href="${address}">Go on to the provider</a> if nothing happens.</p>`;
  return new Page({ title: 'Signing in', body, refreshTo: address });
}

/** The fragment lets the console tell its other tabs. */
export function signedInPage(): Page {
  const address = `${CONSOLE}#signed-in`;
  const body = html`<p><a href="${address}">Go on to the console</a> if nothing happens.</p>`;
  return new Page({ title: 'Signed in', body, refreshTo: address });
}

const BACK = html`<p><a href="${CONSOLE}">Back to the console</a></p>`;

export const CONSOLE_SIGN_IN_ERRORS = pageErrors('Not signed in', () => BACK);
