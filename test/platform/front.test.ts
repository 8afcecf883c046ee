import { errorCatalogue } from '../../src/kernel/errors.js';
import { RUN_REASONS } from '../../src/modules/tools/tools.reasons.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { Client, type Answer } from '../support/client.js';
import { startService } from '../support/service.js';

const service = await startService();
const stranger = new Client(service.url);
afterAll(() => service.stop());

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** Expects a page that runs no script and cannot be shown inside another page. */
function expectPlainPage({ headers, text }: Answer): void {
  expect(headers.get('content-type')).toMatch(/^text\/html/);
  const policy = headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|script-src/);
  expect(text).not.toMatch(/<script/i);
  expect(text).not.toContain(service.adminKey);
}

const hrefsIn = ({ text }: Answer) => [...text.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!);

describe('the address of the service alone', () => {
  it('is a page for browsers, and all its links lead to this service', async () => {
    const answer = await stranger.get('/', { headers: BROWSER });
    expect(answer.outcome).toBe('200');
    expectPlainPage(answer);
    const hrefs = hrefsIn(answer);
    expect(hrefs).toEqual(expect.arrayContaining(['/docs', '/openapi.json', '/asyncapi.json', '/docs/errors']));
    for (const href of hrefs) expect((await fetch(service.url + href)).status).toBe(200);
  });

  it.each(['application/json', '*/*', 'application/json, text/html;q=0.5'])('is JSON for %s', async (accept) => {
    const { outcome, headers, body } = await stranger.get('/', { headers: { accept } });
    expect(outcome).toBe('200');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('vary')).toMatch(/accept/i);
    expect(body).toMatchObject({ name: 'Slipway', documentation: '/docs', errors: '/docs/errors' });
  });
});

describe('the page of errors', () => {
  it('has an anchor for each code, its status and what to do', async () => {
    const answer = await stranger.get('/docs/errors', { headers: BROWSER });
    expect(answer.outcome).toBe('200');
    expectPlainPage(answer);
    const ids = [...answer.text.matchAll(/<h3 id="(\w+)">/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    const known = [...errorCatalogue().map(({ code }) => code), ...Object.keys(RUN_REASONS)];
    expect(ids).toEqual(expect.arrayContaining(known));
    expect(answer.text).toContain('<code>details.issues</code>');
  });

  it('is what the type of a problem leads to', async () => {
    const headers = { accept: 'application/problem+json' };
    const { body } = await stranger.get<{ type: string; title: string }>('/api/public/me', { headers });
    expect(body).toMatchObject({ type: '/docs/errors#API_KEY_MISSING', title: 'API_KEY_MISSING' });
    const page = await stranger.get(new URL(body.type, service.url).pathname);
    expect(page.text).toContain('id="API_KEY_MISSING"');
  });
});

describe('a key without permissions', () => {
  const messageOf = ({ text }: Answer) => (JSON.parse(text) as { error: { message: string } }).error.message;

  it('gets the answer that an API key is accepted', async () => {
    const me = await administratorOf(service).get('/api/public/me');
    expect(me.outcome).toBe('401 API_KEY_INVALID');
    expect(messageOf(me)).toContain('This route needs an API key of a project (sw_…).');
  });

  it('gets the answer that an administration key is accepted', async () => {
    const { api } = await makeTenant(service);
    const projects = await api.get('/api/admin/v1/projects');
    expect(projects.outcome).toBe('401 API_KEY_INVALID');
    expect(messageOf(projects)).toContain('This route needs an administration key.');
  });

  it('gets that answer also if it is sent twice with two values', async () => {
    const client = new Client(service.url, { 'x-api-key': 'one', apikey: 'two' });
    expect(messageOf(await client.get('/api/admin/v1/projects'))).toContain('an administration key');
  });
});
