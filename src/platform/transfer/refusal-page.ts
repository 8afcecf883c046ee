import type { SlipwayError } from '../../kernel/errors.js';
import { DEFAULT_ERROR_SHAPE, type ErrorShape } from '../route/error-shape.js';
import { type Html, html, Page } from './page.js';

/** The errors of routes for people: browsers get a page, everybody else gets what they get everywhere. */
export function pageErrors(title: string, wayOn: (error: SlipwayError) => Html): ErrorShape {
  const page = (error: SlipwayError) => {
    const body = html`<p>${error.message}</p>
      ${wayOn(error)}
      <p><small>${error.spec.code}</small></p>`;
    return new Page({ title, body });
  };
  return { ...DEFAULT_ERROR_SHAPE, name: 'page', page };
}
