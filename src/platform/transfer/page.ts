import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { z } from 'zod';
import type { Answer } from '../route/answer.js';
import { OwnReply } from './own-reply.js';

/** Markup. Only the template `html` makes it, so that no text from outside becomes part of it. */
export class Html {
  constructor(readonly text: string) {}
}

/** Makes markup in which values appear as text, whatever they contain, unless they are markup themselves. */
export function html(strings: TemplateStringsArray, ...values: (string | Html)[]): Html {
  const text = values.map((value) => (value instanceof Html ? value.text : escaped(value)));
  return new Html(String.raw({ raw: strings }, ...text));
}

/** Joins pieces of markup. */
export function joined(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join(''));
}

export const NO_MARKUP = new Html('');

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

const STYLE = [
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem;overflow-wrap:anywhere}',
  'input,button{font:inherit;padding:.4rem .8rem}',
].join('');
const STYLE_DIGEST = createHash('sha256').update(STYLE).digest('base64');

/** The policy allows no script and no frame around the page, and its forms can be sent only to this service. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_DIGEST}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface PageContent {
  title: string;
  body: Html;
  /** The address to which the browser goes on by itself. */
  refreshTo?: string;
  /** The value of the header `Set-Cookie`. */
  cookie?: string;
}

/** A route's result for people: a page without scripts. */
export class Page extends OwnReply {
  constructor(private readonly content: PageContent) {
    super();
  }

  sendTo(response: Response): void {
    const { title, body, refreshTo, cookie } = this.content;
    if (cookie !== undefined) response.append('set-cookie', cookie);
    response.set({ 'content-security-policy': POLICY, 'cache-control': 'no-store' }).type('html');
    const refresh =
      refreshTo === undefined ? NO_MARKUP : html`<meta http-equiv="refresh" content="0;url=${refreshTo}" />`;
    const { text } = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          ${refresh}
          <title>${title}</title>
          ${new Html(`<style>${STYLE}</style>`)}
        </head>
        <body>
          <h1>${title}</h1>
          ${body}
        </body>
      </html>`;
    response.send(text);
  }
}

/** The answer of a route whose result is JSON, or a page with the same content for people. */
export function plainOrPage<View extends z.ZodType<object>>(view: View): Answer<z.output<View> | Page> {
  return {
    schema: view,
    result: z.union([view, z.instanceof(Page)]),
    otherContentTypes: ['text/html'],
    wrap: (result) => result,
  };
}

/** The answer of a route whose result is a page. */
export function page(example: string): Answer<Page> {
  const schema = z.string().meta({ examples: [example] });
  return { schema, result: z.instanceof(Page), contentType: 'text/html', wrap: (result) => result };
}
