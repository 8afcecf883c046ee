import { MikroORM } from '@mikro-orm/postgresql';
import { toId } from '../../src/kernel/ids.js';
import { Erasure, reportOf } from '../../src/modules/sessions/erasure/erasure.entity.js';
import { MemoryEntry } from '../../src/modules/sessions/memory/memory-entry.entity.js';
import { Session } from '../../src/modules/sessions/session.entity.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { upload } from '../files/files.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { makeSession, ref, sessionsPath } from './make.js';

const service = await startService();
const tenant = await makeTenant(service);
await makeActiveAgent(service, tenant);
afterAll(() => service.stop());

const em = () => service.app.get(MikroORM).em.fork();

it('finds sessions by their users, with all that they refer to', async () => {
  const { sessionId } = await makeSession(tenant, [ref('with-files')]);
  const { body: file } = await upload(tenant.api, { name: 'note.txt', content: 'Seven apples' });
  await tenant.api.post(`${sessionsPath(tenant)}/${sessionId}/attachments`, { fileId: file.fileId });
  const [session] = await em().find(
    Session,
    { user: { reference: 'with-files' } },
    { populate: ['attachments.file', 'user', 'app.project', 'env'] },
  );
  expect(session).toMatchObject({
    id: sessionId,
    environment: 'production',
    status: 'started',
    cost: 0,
    inputTokens: 0,
    endedAt: null,
    user: { reference: 'with-files' },
    app: { id: tenant.appId, project: { id: tenant.projectId } },
    env: { name: 'production' },
  });
  expect(session!.attachments.getItems()).toMatchObject([
    { number: 0, fileName: 'note.txt', size: 12, file: { id: file.fileId, name: 'note.txt' } },
  ]);
});

it('finds the memory of a session', async () => {
  const { session } = (await say(tenant, 'to-remember', 'Seven apples')).body;
  const entries = await em().find(
    MemoryEntry,
    { session: toId('session', session.sessionId) },
    { orderBy: { turn: 'asc', step: 'asc' } },
  );
  expect(entries.map(({ kind }) => kind)).toEqual(['user', 'model', 'answer']);
  expect(entries[0]!.content).toContain('Seven apples');
  expect(typeof entries[0]!.turn).toBe('number');
});

it('finds the erasure of a user', async () => {
  const { userId } = await makeSession(tenant, [ref('to-erase')]);
  await administratorOf(service).post(`/api/admin/v1/apps/${tenant.appId}/users/${userId}/erasure`);
  const erasure = await em().findOneOrFail(Erasure, { user: toId('user', userId) });
  expect(erasure).toMatchObject({ project: { id: tenant.projectId }, app: { id: tenant.appId }, fileIds: [] });
  expect(Object.keys(reportOf({ report: erasure.report }))).toContain('sessions');
});
