import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeActiveAgent, say } from '../agents/make.js';
import { details } from '../sessions/make.js';
import { makeTenant } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { deployedTool, envOf, execute, flowOf } from './make.js';

const settings: SettingsOfTest = { ...settingsFor(await createDatabase()), LOG_LEVEL: 'trace' };
const service = await startProcess(settings);
const database = new TestDatabase(settings.DATABASE_URL!);
const received: string[] = [];
/** Echoes each request in its answer. Below /refused, the answer is a 400. */
const echo = createServer((request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString()));
  request.on('end', () => {
    received.push(`${request.url} ${body}`);
    response.writeHead(request.url!.startsWith('/refused') ? 400 : 200, { 'x-echo': request.url! }).end(body);
  });
});
await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
const there = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
afterAll(async () => {
  await service.kill();
  await database.end();
  echo.close();
});

const SECRET = 'canary of a tool/secret-0123456789';
const env = envOf([{ name: 'KEY', value: SECRET, secret: true }]);
const flow = flowOf(
  [
    {
      id: 'told',
      type: 'http',
      url: `${there}/{{ env.KEY | url_encode }}`,
      method: 'POST',
      query: { key: '{{ env.KEY }}' },
      headers: { 'x-secret': '{{ env.KEY }}' },
      body: { key: '{{ env.KEY }}' },
    },
    { id: 'ask', type: 'llm', model: 'mock', system: 'The key is {{ env.KEY }}.', prompt: 'Say {{ env.KEY }}' },
    { id: 'refused', type: 'http', url: `${there}/refused`, method: 'POST', body: '{{ env.KEY }}' },
  ],
  { edges: [{ from: 'refused', to: 'end', when: 'error' }], end: { output: { said: '{{ nodes.ask.text }}' } } },
);

it('a secret of a tool reaches its receiver, and is found in no row, answer or log line', async () => {
  const tenant = await makeTenant(service);
  const toolId = await deployedTool(tenant, { flow, env });
  await makeActiveAgent(service, tenant, { toolIds: [toolId] });
  const direct = await execute(tenant, toolId);
  expect(direct.body).toMatchObject({
    status: 'completed',
    output: { said: expect.stringContaining('ca****') as string },
  });
  const turn = await say(tenant, 'canary', 'Ask a_tool where it is');
  expect(turn.body).toMatchObject({ status: 'completed', usage: { toolCalls: 1 } });
  expect(received).toHaveLength(4);
  expect(received[0]).toContain(SECRET);

  const query = { include: ['traces', 'observations'] };
  const seen = {
    answers: direct.text + turn.text + (await details(tenant, turn.body.session.sessionId, query)).text,
    log: service.output(),
    database: await database.dump(),
  };
  const shown = Object.entries(seen).flatMap(([name, text]) =>
    text.includes(SECRET) || text.includes(encodeURIComponent(SECRET)) ? [name] : [],
  );
  expect(shown).toEqual([]);
  expect(seen.database).toContain('Say ca********6789');
});
