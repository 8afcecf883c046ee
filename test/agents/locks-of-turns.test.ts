import { SYSTEM } from '../../src/kernel/actor.js';
import { toId } from '../../src/kernel/ids.js';
import { AgentRunRepository } from '../../src/modules/agents/runs/agent-run.repository.js';
import { SessionMemory } from '../../src/modules/sessions/memory/session-memory.service.js';
import { Database } from '../../src/platform/database/database.js';
import type { Statement } from '../../src/platform/database/statement.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { makeActiveAgent, say } from './make.js';

const service = await startService();
const database = service.app.get(Database);
const runs = service.app.get(AgentRunRepository);
const memory = service.app.get(SessionMemory);
afterAll(() => service.stop());

const call = { status: 'success' as const, latencyMs: 1, answer: null, inputTokens: 1, outputTokens: 2, cost: 3 };

/** Makes an unfinished run on which no process works. */
async function runAtWork() {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const { body } = await say(tenant, 'locked', 'Hello');
  const [id, sessionId] = [toId('agentRun', body.runId), toId('session', body.session.sessionId)];
  await service.database.rows(`update run set state = 'running', finished_at = null where id = $1`, [id]);
  return { id, sessionId };
}

type Run = Awaited<ReturnType<typeof runAtWork>>;

it.each<[string, (run: Run) => Statement<unknown>]>([
  [
    'a call is counted',
    ({ id, sessionId }) => {
      const remembered = memory.remember(sessionId, { turn: 9, step: 1, kind: 'model', content: '{}' });
      return runs.addCallAfter(remembered, id, call);
    },
  ],
  ['a run ends', (run) => runs.finish(run, { failure: null, activeMs: 1 })],
])('a transaction waits for the session before it locks the run, when %s', async (_, statementOf) => {
  const run = await runAtWork();
  const session = await service.database.openTransaction('select from session where id = $1 for update', [
    run.sessionId,
  ]);
  const waiting = database.apart(() => database.transaction(SYSTEM, (tx) => tx.ask(statementOf(run))));
  await eventually(
    () => service.database.waiting(),
    ({ length }) => length > 0,
  );
  const free = await service.database.rows('select id from run where id = $1 for update skip locked', [run.id]);
  expect(free).toEqual([{ id: run.id }]);
  await session.commit();
  expect(await waiting).toBeTruthy();
});
