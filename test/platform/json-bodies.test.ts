import { administratorOf } from '../support/actors.js';
import { Client, faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { openRequest, sendBytes } from '../support/wire.js';

/**
 * These rules are the same for all routes, so one route is enough. Rules that may differ are in
 * test/contract/requests.
 */
const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

const PROJECTS = '/api/admin/v1/projects';
const post = (rawBody: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) =>
  admin.send('POST', PROJECTS, { rawBody, ...(headers && { headers }) });

describe('a body is read', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'APPLICATION/JSON',
    'application/vnd.slipway+json',
  ])('when it calls itself %s', async (type) => {
    expect((await post('{"name":"x"}', { 'content-type': type })).outcome).toBe('201');
  });

  it.each([
    ['with space around it', ' \r\n\t{"name":"x"}\n '],
    ['after a byte order mark', '\uFEFF{"name":"x"}'],
    ['with escapes', String.raw`{"\u006eame":"\ud83d\ude00 \u00fc"}`],
    ['with a member twice: the last one counts', '{"name":"first","name":"x"}'],
  ])('%s', async (_, body) => {
    expect((await post(body)).outcome).toBe('201');
  });

  it('in chunks of one byte', async () => {
    const chunks = [...'{"name":"x"}'].map((character) => `1\r\n${character}\r\n`).join('');
    const head = `POST ${PROJECTS} HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.adminKey}\r\n`;
    const type = 'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    expect((await sendBytes(service.url, head, type, chunks, '0\r\n\r\n')).outcome).toBe('201');
  });

  it('whatever the client expects before it', async () => {
    const head = `POST ${PROJECTS} HTTP/1.1\r\nhost: x\r\nexpect: something\r\nx-api-key: ${service.adminKey}\r\n`;
    const type = 'content-type: application/json\r\ncontent-length: 12\r\n\r\n';
    expect((await sendBytes(service.url, head, type, '{"name":"x"}')).outcome).toBe('201');
  });
});

describe('no body', () => {
  it.each([
    ['when it is not there', undefined],
    ['when it is empty', ''],
  ])('%s', async (_, rawBody) => {
    const answer = await admin.send('POST', PROJECTS, rawBody === undefined ? {} : { rawBody });
    expect(answer).toMatchObject(faultsAt(''));
  });

  it('when it is blank, which is not JSON', async () => {
    expect((await post('  ')).outcome).toBe('400 MALFORMED_JSON');
  });
});

describe('a body that a GET or DELETE does not take is ignored', () => {
  const send = (verb: string, path: string, begin: string, headers: Record<string, string>) => {
    const request = openRequest(service.url, { verb, path, key: service.adminKey, begin, headers });
    request.finish();
    return request.answer;
  };

  it.each([
    ['of a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['that is not JSON', '{"a":', {}],
    ['with members', '{"name":"x"}', {}],
    ['that is no gzip', 'x', { 'content-encoding': 'gzip' }],
    ['of more than any route takes', 'x'.repeat(2_000_000), {}],
  ])('%s', async (_, body, headers) => {
    const made = await admin.post<{ data: { projectId: string } }>(PROJECTS, { name: 'to go' });
    const path = `${PROJECTS}/${made.body.data.projectId}`;
    expect((await send('GET', path, body, headers)).outcome).toBe('200');
    expect((await send('DELETE', path, body, headers)).outcome).toBe('200');
    expect((await admin.get(path)).status).toBe(404);
  });
});

describe('the answer to a faulty body', () => {
  it('says where broken JSON breaks', async () => {
    expect((await post('{"name":"x" "more":1}')).text).toContain('character 12');
  });

  it('never repeats what was sent in a form that others cannot read', async () => {
    const answer = await post(String.raw`{"a\ud800b":1,"c":"\udfff"}`);
    expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    const strings = JSON.stringify(answer.body);
    expect(strings).not.toMatch(/\\ud[89a-f]/i);
  });

  it('is small, however many faults there are', async () => {
    const body = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`member${index}`, '\0']));
    const answer = await admin.post(PROJECTS, body);
    expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    // The answer has the number of faults that it does not list.
    expect(answer.body).toMatchObject({ error: { details: { more: expect.any(Number) as number } } });
    expect(answer.text.length).toBeLessThan(64 * 1024);
  });

  it('is small, however long a name is', async () => {
    const answer = await admin.post(PROJECTS, { ['x'.repeat(900_000)]: 1 });
    expect(answer.outcome).toBe('400 VALIDATION_ERROR');
    expect(answer.text.length).toBeLessThan(64 * 1024);
  });

  it('comes in time, whatever the body tries', async () => {
    const attacks = [
      `{"a":${'['.repeat(500_000)}`,
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      `[${'1,'.repeat(400_000)}1]`,
      `{"name":${'9'.repeat(900_000)}}`,
      JSON.stringify({ name: '\\'.repeat(400_000) }),
      JSON.stringify({ name: `${' '.repeat(900_000)}x` }),
      `{${Array.from({ length: 60_000 }, (_, index) => `"${index}":1`).join()}}`,
    ];
    for (const attack of attacks) {
      const begun = performance.now();
      expect((await post(attack)).status).toBeLessThan(500);
      expect(performance.now() - begun).toBeLessThan(3_000);
    }
  });
});

it('accepts ten thousand values of one parameter, and counts them all', async () => {
  const values = Array.from({ length: 10_000 }, (_, index) => `s-${index}`);
  const repeated = await admin.get(PROJECTS, { query: { cursor: values } });
  expect(repeated.outcome).toBe('400 VALIDATION_ERROR');
  expect(repeated.text).toContain('a list, or the same name twice, was given');
  const unknown = await admin.get(PROJECTS, { query: Object.fromEntries(values.map((name) => [name, '1'])) });
  expect(unknown.outcome).toBe('400 VALIDATION_ERROR');
  expect(unknown.text.length).toBeLessThan(64 * 1024);
});

it('serves a client on one connection, one request after the other, also after a refused body', async () => {
  const client = new Client(service.url, { 'x-api-key': service.adminKey });
  for (let round = 0; round < 5; round += 1) {
    expect((await client.send('POST', PROJECTS, { rawBody: 'x'.repeat(1_200_000) })).outcome).toBe(
      '413 PAYLOAD_TOO_LARGE',
    );
    expect((await client.post(PROJECTS, { name: 'x' })).outcome).toBe('201');
  }
});
