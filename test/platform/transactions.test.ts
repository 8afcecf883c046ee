import type { AdminActor, SystemActor } from '../../src/kernel/actor.js';
import { newId } from '../../src/kernel/ids.js';
import { roleInInstallation } from '../../src/kernel/roles.js';
import { Database } from '../../src/platform/database/database.js';
import type { Transaction } from '../../src/platform/database/transaction.js';
import { makeProject, makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';

const service = await startService();
const database = service.app.get(Database);
afterAll(() => service.stop());

const SYSTEM: SystemActor = { kind: 'system' };

/** A use case that renames a project and then runs the test's own work. */
function rename(projectId: string, name: string, more: (tx: Transaction) => unknown = () => undefined): Promise<void> {
  return database.apart(() =>
    database.transaction(SYSTEM, async (tx) => {
      await tx.em.execute('update project set name = ? where id = ?', [name, projectId]);
      await more(tx);
    }),
  );
}

async function nameOf(projectId: string): Promise<string | undefined> {
  const rows = await service.database.rows<{ name: string }>('select name from project where id = $1', [projectId]);
  return rows[0]?.name;
}

const fail = () => {
  throw new Error('on purpose');
};

it('takes effect as a whole or not at all', async () => {
  const projectId = await makeProject(service, 'before');
  await expect(rename(projectId, 'after', fail)).rejects.toThrow('on purpose');
  expect(await nameOf(projectId)).toBe('before');
  await rename(projectId, 'after');
  expect(await nameOf(projectId)).toBe('after');
});

it('includes a use case that begins within another', async () => {
  const projectId = await makeProject(service, 'before');
  const inner = () =>
    database.transaction(SYSTEM, (tx) =>
      tx.em.execute('update project set name = ? where id = ?', ['inner', projectId]),
    );
  const outer = rename(projectId, 'outer', async () => {
    await inner();
    fail();
  });
  await expect(outer).rejects.toThrow('on purpose');
  expect(await nameOf(projectId)).toBe('before');
});

it('belongs to one actor', async () => {
  const { projectId } = await makeTenant(service);
  const other = { kind: 'admin', name: 'ada', keyId: null, ...roleInInstallation('owner') } as const;
  const mixed = rename(projectId, 'x', () => database.transaction(other, async () => undefined));
  await expect(mixed).rejects.toThrow(/same actor/);
});

it('first of all notices that the key of the actor was revoked', async () => {
  const projectId = await makeProject(service, 'before');
  const gone: AdminActor = { kind: 'admin', name: 'ada', keyId: newId('adminKey'), ...roleInInstallation('owner') };
  const using = (more: (tx: Transaction) => unknown) =>
    database.apart(() =>
      database.transaction(gone, async (tx) => {
        await tx.em.execute('update project set name = ? where id = ?', ['after', projectId]);
        await more(tx);
      }),
    );
  const refused = { spec: { code: 'API_KEY_REVOKED' } };
  await expect(using(() => undefined)).rejects.toMatchObject(refused);
  await expect(using(fail)).rejects.toMatchObject(refused);
  await expect(database.apart(() => database.transaction(gone, fail))).rejects.toMatchObject(refused);
  expect(await nameOf(projectId)).toBe('before');
});

describe('a notification after the commit', () => {
  it('is sent after the commit, in order', async () => {
    const projectId = await makeProject(service, 'before');
    const notified: (string | undefined)[] = [];
    await rename(projectId, 'after', (tx) => {
      tx.afterCommit(async () => void notified.push(await nameOf(projectId)));
      tx.afterCommit(() => void notified.push('second'));
      expect(notified).toEqual([]);
    });
    expect(notified).toEqual(['after', 'second']);
  });

  it('is not sent without a commit', async () => {
    const projectId = await makeProject(service);
    let hasRun = false;
    const failing = rename(projectId, 'after', (tx) => {
      tx.afterCommit(() => void (hasRun = true));
      fail();
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(hasRun).toBe(false);
  });

  it('harms neither the use case nor the other notifications if it fails', async () => {
    const projectId = await makeProject(service, 'before');
    let hasRun = false;
    await rename(projectId, 'after', (tx) => {
      tx.afterCommit(fail);
      tx.afterCommit(() => void (hasRun = true));
    });
    expect(hasRun).toBe(true);
    expect(await nameOf(projectId)).toBe('after');
  });
});
