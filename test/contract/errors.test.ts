import { globSync, readFileSync } from 'node:fs';
import { NOUNS, SENTENCES, sentenceOfRefusal } from '../../console/src/parts/refusal-sentences.js';
import { errorCatalogue } from '../../src/kernel/errors.js';
import { errorsOf } from '../../src/platform/openapi/route-documentation.js';
import { makeTenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { RouteSuite } from '../support/route-suite.js';
import { allRefusals } from '../support/samples.js';
import { startService } from '../support/service.js';
import { redisDatabase } from '../support/settings.js';

// The limit is high enough for every refusal except the one that provokes it.
const service = await startService({ RATE_LIMIT_DEFAULT: '500', REDIS_URL: redisDatabase(2) });
const suite = await RouteSuite.of(service);
const refusals = await allRefusals();
const catalogue = errorCatalogue();
afterAll(() => service.stop());

it('has one way to provoke every error code, and none for an unknown code', () => {
  expect(Object.keys(refusals).sort()).toEqual(catalogue.map(({ code }) => code).sort());
});

it('declares on its routes only errors of the catalogue', () => {
  const known = new Set(catalogue.map(({ code }) => code));
  for (const route of suite.routes) {
    for (const { spec } of errorsOf(route)) expect(known).toContain(spec.code);
  }
});

describe('the sentences of the console', () => {
  it('say for people what a message says for authors of requests', () => {
    const shown = suite.routes.filter(({ path }) => isCalledByConsole(path)).flatMap(errorsOf);
    const forAuthors = shown.map(({ spec }) => spec).filter(isForAuthors);
    expect([...new Set(forAuthors.map(({ code, message }) => `${code}: ${message}`))]).toEqual([]);
  });

  it('are for codes that exist', () => {
    const known = new Set(catalogue.map(({ code }) => code));
    expect(Object.keys({ ...SENTENCES, ...NOUNS }).filter((code) => !known.has(code))).toEqual([]);
  });
});

describe.each(catalogue)('$code', ({ code, status, message }) => {
  it('is a code in capital letters and underscores with a status of a refusal', () => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
  });

  it('says in sentences what happened and what to do', () => {
    expect(message).toMatch(/^[A-Z].{20,}\.$/);
    expect(message).not.toMatch(/invalid request|bad request|something went wrong|please|sorry|oops/i);
  });

  it('is what a client gets', async () => {
    const tenant = await makeTenant(service);
    const answer = await refusals[code]!({ service, tenant });
    expect(answer.outcome).toBe(`${status} ${code}`);
    // The body of a hook's error is only its message.
    const { error, meta } = answer.body as Partial<Refused>;
    expect((error ?? (answer.body as Refused['error'])).message).toMatch(pattern(message));
    if (meta) expect(meta.requestId).toBe(answer.headers.get('x-request-id'));
    if (status === 503 || (status === 429 && code.startsWith('RATE'))) {
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });
});

/** Returns a pattern of the message that accepts any text for its placeholders. */
function pattern(message: string): RegExp {
  const literal = message.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/\{\w+\}/g, '.*')}$`);
}

/** Words that a page has no place for: a route, a header, a member of a body, or what a program has to send. */
const FOR_AUTHORS =
  /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD)\b|\/api\/|`|\bdetails\.|\bheader\b|\bSend\b|-Key\b|\b[a-z]+[A-Z]|\bids\b/;

function isForAuthors({ code, message }: { code: string; message: string }): boolean {
  return FOR_AUTHORS.test(sentenceOfRefusal({ code, message }).replace(/\{\w+\}/g, ''));
}

/** All sources of the console but the one with the requests that are shown only for copying. */
const CONSOLE = globSync('console/src/**/*.{ts,tsx}', { exclude: ['**/first-requests.ts'] })
  .map((path) => readFileSync(path, 'utf8'))
  .join('');

/** A source of the console has the path of a route, or that of the route above it and the last step to this one. */
function isCalledByConsole(path: string): boolean {
  const at = path.lastIndexOf('/');
  if (at <= 0) return false;
  if (CONSOLE.includes(`'${path}'`)) return true;
  return CONSOLE.includes(`}${path.slice(at)}\``) && isCalledByConsole(path.slice(0, at));
}
