import { newId } from '../../src/kernel/ids.js';
import { makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

const POOL = 4;
/** The connections that one project alone may use. */
const OF_ONE = POOL / 2;

const service = await startService({ DATABASE_POOL: String(POOL) });
const noisy = await makeTenant(service);
const quiet = await makeTenant(service);
/** Nothing but requests reads the table of this path. */
const path = `/api/public/files/${newId('file')}`;
afterAll(() => service.stop());

it('keeps connections for other projects while slow statements of one project use all of its share', async () => {
  const lock = await service.database.openTransaction('lock table file in access exclusive mode');
  const blocked = Array.from({ length: 2 * POOL }, () => noisy.api.get(path));
  await eventually(
    () => service.database.waiting(),
    ({ length }) => length === OF_ONE,
  );
  expect((await quiet.api.get('/api/public/me')).outcome).toBe('200');
  expect(await service.database.waiting()).toHaveLength(OF_ONE);
  await lock.commit();
  const answers = await Promise.all(blocked);
  expect(answers.map(({ outcome }) => outcome)).toEqual(blocked.map(() => '404 FILE_NOT_FOUND'));
});

it('refuses a request whose project has no connection left for as long as a request may wait for one', async () => {
  const lock = await service.database.openTransaction('lock table file in access exclusive mode');
  const blocked = Array.from({ length: 8 * POOL }, () => noisy.api.get(path));
  const outcomes = new Set((await Promise.all(blocked)).map(({ outcome }) => outcome));
  await lock.commit();
  // Each lock is waited for only so long, and each connection serves some requests one after the other.
  expect(outcomes).toEqual(new Set(['503 BUSY', '503 DATABASE_POOL_FULL']));
  expect((await noisy.api.get(path)).outcome).toBe('404 FILE_NOT_FOUND');
});
