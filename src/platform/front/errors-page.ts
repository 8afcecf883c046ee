import { errorCatalogue, exampleError, reasonCatalogue } from '../../kernel/errors.js';
import { type Html, html, joined, Page } from '../transfer/page.js';

/** `docs/errors.md` as a page, with an anchor for each code: problems name it as their type. */
export function errorsPage(): Page {
  const errors = errorCatalogue().map((spec) => entry(spec.code, String(spec.status), exampleError(spec).message));
  const reasons = reasonCatalogue().map(({ title, introduction, reasons: all }) => {
    const entries = Object.entries(all).map(([code, message]) => entry(code, '', message));
    return html`<h2>${title}</h2>
      <p>${withCode(introduction)}</p>
      ${joined(entries)}`;
  });
  const body = html`<p>
      Look up an error here by its code: its message says what has happened and what to do next. Codes never change,
      while messages may become clearer.
    </p>
    ${joined(errors)} ${joined(reasons)}`;
  return new Page({ title: 'Errors', body });
}

function entry(code: string, status: string, message: string): Html {
  return html`<h3 id="${code}"><code>${code}</code> ${status}</h3>
    <p>${withCode(message)}</p>`;
}

/** Renders text between backticks as code. */
function withCode(text: string): Html {
  return joined(text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`)));
}
