import type { Transaction } from '../../src/platform/database/transaction.js';
import { Injectable, Module } from '@nestjs/common';
import { AppModule } from '../../src/app.module.js';
import { SYSTEM } from '../../src/kernel/actor.js';
import {
  type FinishedTurn,
  TakesTurns,
  type Turn,
  TurnSink,
  type TurnStatus,
} from '../../src/modules/agents/agents.port.js';
import { type MessageToAccept, Turns } from '../../src/modules/agents/turns/turns.service.js';
import { Database } from '../../src/platform/database/database.js';
import { ref, terminate } from '../sessions/make.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';
import { connectTo } from '../gateway/calls.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { makeActiveAgent } from './make.js';

@TakesTurns('notes')
@Injectable()
class NotesSink extends TurnSink {
  readonly statuses: [string, TurnStatus][] = [];
  readonly finished: FinishedTurn[] = [];

  async onStatus(_tx: Transaction, { sink }: Turn, status: TurnStatus): Promise<void> {
    this.statuses.push([sink!.ref, status]);
  }

  async onFinished(_tx: Transaction, turn: FinishedTurn): Promise<void> {
    this.finished.push(turn);
  }

  of(reference: string): TurnStatus[] {
    return this.statuses.filter(([each]) => each === reference).map(([, status]) => status);
  }
}

@Module({ imports: [AppModule], providers: [NotesSink] })
class WithSink {}

const service = await startService({}, WithSink);
const sink = service.app.get(NotesSink);
const database = service.app.get(Database);
const double = await ModelDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
});

function accept({ appId }: Tenant, reference: string, more: Partial<MessageToAccept> = {}) {
  const message: MessageToAccept = {
    appId: appId as never,
    environment: 'production',
    sessionReference: reference,
    input: 'Hello',
    channel: 'http_async',
    sink: { name: 'notes', ref: reference },
    ...more,
  };
  return database.apart(() => database.transaction(SYSTEM, (tx) => service.app.get(Turns).accept(tx, message)));
}

const finished = async (runId: string) =>
  (await eventually(
    () => sink.finished.find((turn) => turn.runId === runId),
    (turn) => turn !== undefined,
  ))!;

it('a sink is notified of the progress and the outcome of a turn', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const first = await accept(tenant, 'notified');
  expect(first).toMatchObject({ isNewSession: true });
  expect(await finished(first.runId)).toEqual({
    runId: first.runId,
    projectId: tenant.projectId,
    appId: tenant.appId,
    sessionId: first.sessionId,
    environment: 'production',
    sink: { name: 'notes', ref: 'notified' },
    status: 'ok',
    response: '[mock] You said: Hello',
    usedFallback: false,
    isNewSession: true,
    traceId: expect.stringMatching(/^t-/) as string,
    media: [],
    provenance: { kind: 'llm', usedLlmInternally: true },
  });
  expect(sink.of('notified')).toEqual(['processing']);
  const second = await accept(tenant, 'notified');
  expect(second).toMatchObject({ isNewSession: false, sessionId: first.sessionId });
});

it('a sink gets the fallback text of a running and of a queued turn whose session ends', async () => {
  const tenant = await makeTenant(service);
  const connectionId = await connectTo(tenant, double, 'silent-once');
  await makeActiveAgent(service, tenant, { connectionId, fallbackMessage: 'Later.' });
  const [running, waiting] = [await accept(tenant, 'cut'), await accept(tenant, 'cut')];
  // The model is silent only once, because the summary at the end of the session calls it again.
  await eventually(
    () => double.calls,
    (calls) => calls.length === 1,
  );
  expect(sink.of('cut')).toContain('processing');
  await terminate(tenant, [ref('cut')]);
  for (const { runId } of [running, waiting]) {
    expect(await finished(runId)).toMatchObject({
      status: 'failed',
      response: 'Later.',
      usedFallback: true,
      provenance: { kind: 'fallback' },
      error: { code: 'SESSION_TERMINATED' },
    });
  }
});

describe('while the provider is away', () => {
  it('a turn without a waiting caller asks again, until it has an answer', async () => {
    const tenant = await makeTenant(service);
    const connectionId = await connectTo(tenant, double, 'recovering');
    await makeActiveAgent(service, tenant, { connectionId, fallbackMessage: 'Later.' });
    const { runId } = await accept(tenant, 'patient');
    expect(await finished(runId)).toMatchObject({ status: 'ok', usedFallback: false, provenance: { kind: 'llm' } });
    const calls = double.calls.filter(({ path }) => path.startsWith('/recovering/'));
    expect(calls).toHaveLength(6);
  });

  it('a turn falls back at once from a failure that would only be repeated', async () => {
    const tenant = await makeTenant(service);
    const connectionId = await connectTo(tenant, double, 'endless');
    await makeActiveAgent(service, tenant, { connectionId, fallbackMessage: 'Later.' });
    const { runId } = await accept(tenant, 'hopeless');
    expect(await finished(runId)).toMatchObject({ status: 'failed', error: { code: 'MODEL_CALL_FAILED' } });
    expect(double.calls.filter(({ path }) => path.startsWith('/endless/'))).toHaveLength(1);
  });

  it.each(['failing', 'failing-then-silent'] as const)(
    'a turn falls back when its time is over, and gives the reason of the provider: %s',
    async (misbehaviour) => {
      const tenant = await makeTenant(service);
      const connectionId = await connectTo(tenant, double, misbehaviour);
      await makeActiveAgent(service, tenant, { connectionId, fallbackMessage: 'Later.', timeoutSeconds: 4 });
      const begin = performance.now();
      const { runId } = await accept(tenant, 'too late');
      const turn = await finished(runId);
      expect(turn).toMatchObject({ status: 'failed', response: 'Later.', usedFallback: true });
      expect(turn.error!.code).toMatch(/^MODEL_(CALL_FAILED|UNAVAILABLE)$/);
      expect(performance.now() - begin).toBeGreaterThan(3_000);
    },
  );
});

it('many messages with one reference belong to one session and are answered in order', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const accepted = await Promise.all(Array.from({ length: 5 }, () => accept(tenant, 'crowd')));
  expect(new Set(accepted.map(({ sessionId }) => sessionId)).size).toBe(1);
  expect(accepted.filter(({ isNewSession }) => isNewSession)).toHaveLength(1);
  for (const { runId } of accepted) await finished(runId);
});

it('a message to an environment without an active agent is refused', async () => {
  const tenant = await makeTenant(service);
  await expect(accept(tenant, 'nobody')).rejects.toMatchObject({ spec: { code: 'NO_ACTIVE_DEPLOYMENT' } });
  expect(await service.database.rows('select from session where app_id = $1', [tenant.appId])).toEqual([]);
});
