import { administratorOf, makeTenant } from '../support/actors.js';
import { administratorWith } from '../support/admin-keys.js';
import { Client } from '../support/client.js';
import { signInToConsole } from '../support/console.js';
import { startService } from '../support/service.js';

const service = await startService();
afterAll(() => service.stop());

const BOARD = '/queues/';
const administrator = administratorOf(service);

/** Returns a browser that opens pages: it sends its cookie, but not the token of the console. */
async function browserOf(client: Client): Promise<Client> {
  return new Client(service.url, { cookie: (await signInToConsole(client)).cookie });
}

it('shows every queue, and nothing that could be changed', async () => {
  const browser = await browserOf(administrator);
  const { status, body } = await browser.get<Board>(`${BOARD}api/queues?activeQueue=callbacks&status=latest&page=1`);
  expect(status).toBe(200);
  expect(body.queues.map(({ name }) => name).sort()).toEqual(['callbacks', 'dock', 'turns', 'upkeep']);
  expect(body.queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
  for (const verb of ['PUT', 'POST', 'PATCH', 'DELETE'] as const) {
    const { outcome, headers } = await browser.send(verb, `${BOARD}api/queues/callbacks/pause`);
    expect([outcome, headers.get('allow')]).toEqual(['405 METHOD_NOT_ALLOWED', 'GET, HEAD']);
  }
});

it('is a page with files of its own alone', async () => {
  const browser = await browserOf(administrator);
  const page = await browser.get(BOARD);
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self'; .*frame-ancestors 'none'$/);
  expect(page.text.match(/(?:src|href)="(?:https?:)?\/\/[^"]*/g)).toBeNull();
  const scripts = [...page.text.matchAll(/src="(static\/[^"]+)"/g)].map(([, path]) => path!);
  expect(scripts.length).toBeGreaterThan(0);
  for (const path of scripts) expect((await browser.get(BOARD + path)).status).toBe(200);
});

it('is for administrators of the whole installation who are signed in', async () => {
  const stranger = new Client(service.url);
  expect((await stranger.get(BOARD)).outcome).toBe('401 CONSOLE_SESSION_MISSING');
  expect((await stranger.get(`${BOARD}api/queues`)).outcome).toBe('401 CONSOLE_SESSION_MISSING');
  const { projectId } = await makeTenant(service);
  const ofProject = await administratorWith(service, 'owner', projectId);
  expect((await (await browserOf(ofProject)).get(BOARD)).outcome).toBe('403 PERMISSION_DENIED');
  const { consoleSessionId, cookie } = await signInToConsole(administrator);
  const browser = new Client(service.url, { cookie });
  expect((await browser.get(BOARD)).outcome).toBe('200');
  await administrator.delete(`/api/admin/v1/console-sessions/${consoleSessionId}`);
  expect((await browser.get(BOARD)).outcome).toBe('401 CONSOLE_SESSION_MISSING');
});

interface Board {
  queues: { name: string; readOnlyMode: boolean }[];
}
