import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { replaceAt, textsIn } from '../support/leaves.js';
import { nameOf, parametersOf, RouteSuite } from '../support/route-suite.js';
import { Client } from '../support/client.js';
import { report, startAttacked } from './attacked.js';
import { ApiDocument } from './document.js';

/** The names of members with secrets, which no table may contain unsealed. */
const SECRET = /(secret|password|api_?key|token|credential)$/i;
const BEGIN = 'cnry7Q';

const service = await startAttacked({ LOG_LEVEL: 'trace', API_KEYS_PER_SCOPE: '5000' });
const suite = await RouteSuite.of(service);
const document = await ApiDocument.of(service);
const tenant = await makeTenant(service);
const redis = new Redis(service.settings.REDIS_URL!);
afterAll(async () => {
  redis.disconnect();
  await service.stop();
});
afterEach(() => service.expectLive());

/** The place to which each canary was sent. */
const sent = new Map<string, { place: string; isSecret: boolean }>();

function canary(place: string, isSecret = false): string {
  const text = `${BEGIN}${String(sent.size).padStart(5, '0')}Zx`;
  sent.set(text, { place, isSecret });
  return text;
}

const placesOf = (text: string, isWanted: (isSecret: boolean) => boolean = () => true) => {
  const found = new Set(text.match(new RegExp(`${BEGIN}\\d{5}Zx`, 'g')));
  return [...found]
    .filter((one) => sent.has(one) && isWanted(sent.get(one)!.isSecret))
    .map((one) => sent.get(one)!.place);
};

it.each(suite.where(() => true))('a canary is sent in every member that takes text: %s', async (_, route) => {
  const request = await suite.keptSample(route, tenant);
  const { body, query = {}, params = {} } = request;
  const caller = suite.callerOf(route, tenant);
  const name = nameOf(route);
  const schema = document.bodyOf(route);
  for (const path of body === undefined ? [] : textsIn(body)) {
    const text = canary(`${name} body ${path.join('.')}`, SECRET.test(String(path.at(-1))));
    await suite.send(caller, route, request, { body: replaceAt(body, path, text) });
  }
  for (const [member] of schema ? document.membersOf(schema) : []) {
    const text = canary(`${name} body ${member}`, SECRET.test(member));
    await suite.send(caller, route, request, { body: { ...(body as object), [member]: text } });
  }
  for (const [parameter] of document.queryOf(route)) {
    await suite.send(caller, route, request, {
      query: { ...query, [parameter]: canary(`${name} query ${parameter}`) },
    });
  }
  for (const parameter of parametersOf(route)) {
    // The value is as long as the states and signatures in paths. Ids are shorter, and are logged.
    const value = canary(`${name} path ${parameter}`).padEnd(32, 'x');
    const changed = { ...request, params: { ...params, [parameter]: value } };
    await suite.send(caller, route, changed);
  }
  // Canaries are also sent in places without text: as the name of a parameter, as a key and as a token.
  await suite.send(caller, route, request, { query: { ...query, [canary(`${name} name in the query`)]: 'x' } });
  const stranger = new Client(service.url, {
    'x-api-key': canary(`${name} key`, true),
    cookie: canary(`${name} cookie`, true),
  });
  await stranger.send(route.verb, route.path.replace(/\{\w+\}/g, 'x'), {
    headers: { authorization: `Bearer ${canary(`${name} bearer`, true)}`, token: canary(`${name} token`, true) },
  });
});

it('no line of the log has a canary', async () => {
  const { headers } = await suite.stranger.get('/api/public/me');
  const log = await eventually(
    () => service.process.output(),
    (output) => output.includes(headers.get('x-request-id')!) || output.length > 1_000_000,
  );
  report('Canaries sent, bytes of log', `${sent.size}, ${log.length}`);
  expect(placesOf(log)).toEqual([]);
});

it('tables have the canaries that are to be kept, and none that is a secret', async () => {
  const dump = await service.database.dump();
  const kept = placesOf(dump, (isSecret) => !isSecret);
  report('Canaries that tables have', `${kept.length}`);
  expect(kept.length).toBeGreaterThan(50);
  expect(placesOf(dump, (isSecret) => isSecret)).toEqual([]);
});

it('no key or value of Redis has a canary', async () => {
  const keys = await redis.keys(`*${service.settings.REDIS_PREFIX}*`);
  const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  const text = keys.join('\n') + values.map((value) => value?.toString('latin1')).join('\n');
  expect(placesOf(text)).toEqual([]);
});

it('no file of the service has a canary', async () => {
  const folder = service.settings.DATA_DIR!;
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const file of files.filter((entry) => entry.isFile())) {
    const content = await readFile(join(file.parentPath, file.name), 'latin1').catch(() => '');
    found.push(...placesOf(file.name + content).map((place) => `${file.name}: ${place}`));
  }
  expect(found).toEqual([]);
});
