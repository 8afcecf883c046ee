import { Injectable, Module } from '@nestjs/common';
import { AppModule } from '../../src/app.module.js';
import { newId } from '../../src/kernel/ids.js';
import { OnEvent } from '../../src/platform/events/on-event.js';
import type { JobRun } from '../../src/platform/queue/job-run.js';
import { FileDeleted } from '../../src/modules/files/files.events.js';
import { SessionCreated, SessionEnded } from '../../src/modules/sessions/sessions.events.js';
import { create, makeSession, ref, terminate, user } from '../sessions/make.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

/** The calls of listeners: the listener, the number of the attempt of a durable one, and the event's payload. */
const received: { by: string; attempt?: number; payload: SessionCreated | SessionEnded }[] = [];

/** The files of which the listener was told that had another name in an earlier release. */
const deletedFiles: string[] = [];

@Injectable()
class Listeners {
  @OnEvent(FileDeleted, { durable: true, name: 'EarlierListeners.listen' })
  onDeleted({ fileId }: FileDeleted) {
    deletedFiles.push(fileId);
  }

  @OnEvent(SessionCreated)
  @OnEvent(SessionEnded)
  onAny(payload: SessionCreated | SessionEnded) {
    received.push({ by: 'notice', payload });
  }

  @OnEvent(SessionCreated)
  onCreatedFails() {
    throw new Error('on purpose');
  }

  @OnEvent(SessionCreated, { durable: true })
  onCreated(payload: SessionCreated, { attempt }: JobRun<SessionCreated>) {
    received.push({ by: 'durable', attempt, payload });
  }

  @OnEvent(SessionCreated, { durable: true })
  onCreatedFailsOnce(payload: SessionCreated, { attempt }: JobRun<SessionCreated>) {
    received.push({ by: 'fails once', attempt, payload });
    if (attempt === 1) throw new Error('on purpose');
  }
}

@Module({ imports: [AppModule], providers: [Listeners, { provide: 'an alias', useExisting: Listeners }] })
class Root {}

const service = await startService({}, Root);
const tenant = await makeTenant(service);
afterAll(() => service.stop());

const receivedFor = (sessionId: string) => received.filter(({ payload }) => payload.sessionId === sessionId);
const jobs = (projectId: string) =>
  service.database.rows<{ name: string }>(
    `select name from job where project_id = $1 and name like 'events.%' order by name`,
    [projectId],
  );

it('notifies every listener once the session is committed, and tries only the one again that failed', async () => {
  const { sessionId } = await makeSession(tenant);
  const payload = { sessionId, projectId: tenant.projectId, appId: tenant.appId, environment: 'production' };
  await eventually(
    () => receivedFor(sessionId),
    (all) => all.length === 4,
  );
  const inOrder = receivedFor(sessionId).toSorted((a, b) => a.by.localeCompare(b.by));
  expect(inOrder).toEqual([
    { by: 'durable', attempt: 1, payload },
    { by: 'fails once', attempt: 1, payload },
    { by: 'fails once', attempt: 2, payload },
    { by: 'notice', payload },
  ]);
  await eventually(
    () => jobs(tenant.projectId),
    (left) => left.length === 0,
  );
});

it('calls a renamed listener for the jobs of its earlier name', async () => {
  const fileId = newId('file');
  await service.database.rows(
    `insert into job (id, name, lane, data, state, run_at, created_at)
     values ($1, 'events.file.deleted.EarlierListeners.listen', $1, $2, 'queued', now(), now())`,
    [newId('job'), { fileId, projectId: tenant.projectId }],
  );
  await eventually(() => deletedFiles.includes(fileId));
});

it('says why a session ended, and only the first time', async () => {
  const { sessionId } = await makeSession(tenant, [ref('ends')]);
  expect((await terminate(tenant, [ref('ends')])).outcome).toBe('200');
  expect((await terminate(tenant, [ref('ends')])).outcome).toBe('200');
  const reasons = receivedFor(sessionId).flatMap(({ payload }) => ('reason' in payload ? payload.reason : []));
  expect(reasons).toEqual(['terminated']);
});

it('notifies of nothing that is rolled back', async () => {
  const own = await makeTenant(service);
  await service.database.rows(`
    create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'on purpose' using errcode = '40001'; end $$`);
  await service.database.rows(`
    create constraint trigger refuse_some after insert on session deferrable initially deferred
    for each row when (new.user_reference = 'refused') execute function refuse()`);
  expect((await create(own, [user('refused')])).outcome).toBe('503 BUSY');
  const { sessionId } = await makeSession(own, [user('accepted')]);
  await eventually(
    () => receivedFor(sessionId),
    (all) => all.length === 4,
  );
  const ofProject = received.filter(({ payload }) => payload.projectId === own.projectId);
  expect(new Set(ofProject.map(({ payload }) => payload.sessionId))).toEqual(new Set([sessionId]));
});
