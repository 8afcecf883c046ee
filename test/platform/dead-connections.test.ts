import { administratorOf, makeTenant } from '../support/actors.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

const POOL = 4;
/** All administrators together use at most half of the pool. */
const USED = POOL / 2;
const service = await startService({ DATABASE_POOL: String(POOL) });
const tenant = await makeTenant(service);
afterAll(() => service.stop());

it('replaces connections that broke inside transactions, more often than it has connections', async () => {
  for (let round = 0; round < POOL; round += 1) {
    const lock = await service.database.openTransaction('lock table project in exclusive mode');
    const requests = Array.from({ length: USED }, () =>
      administratorOf(service).post('/api/admin/v1/projects', { name: 'never' }),
    );
    await eventually(
      () => service.database.waiting(),
      (waiting) => waiting.length === USED,
    );
    await service.database.cut('slipway');
    expect((await Promise.all(requests)).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: USED }, () => '503 DATABASE_UNAVAILABLE'),
    );
    await lock.commit();
  }
  expect((await tenant.api.get('/api/public/me')).outcome).toBe('200');
  expect((await administratorOf(service).post('/api/admin/v1/projects', { name: 'made' })).outcome).toBe('201');
});
