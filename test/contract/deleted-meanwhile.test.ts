import { pricesPath, setPrice } from '../ledger/prices.js';
import { administratorOf, makeApp, makeProject } from '../support/actors.js';
import { makeAdminKey } from '../support/admin-keys.js';
import { eventually } from '../support/eventually.js';
import { startService } from '../support/service.js';

const service = await startService();
const admin = administratorOf(service);
afterAll(() => service.stop());

const ADMIN = '/api/admin/v1';

interface Deleted {
  table: string;
  id: string;
  path: string;
  change: object;
}

const MAKERS: Record<string, () => Promise<Deleted>> = {
  'a project': async () => {
    const id = await makeProject(service);
    return { table: 'project', id, path: `${ADMIN}/projects/${id}`, change: { name: 'Late' } };
  },
  'an app': async () => {
    const id = await makeApp(service, await makeProject(service));
    return { table: 'app', id, path: `${ADMIN}/apps/${id}`, change: { name: 'Late' } };
  },
  'an administration key': async () => {
    const { adminKeyId: id } = await makeAdminKey(service);
    return { table: 'admin_key', id, path: `${ADMIN}/admin-keys/${id}`, change: { name: 'Late' } };
  },
  'a price': async () => {
    const projectId = await makeProject(service);
    const { modelPriceId: id } = await setPrice(service, projectId, {});
    return { table: 'model_price', id, path: `${pricesPath(projectId)}/${id}`, change: { output: 3 } };
  },
};

it.each(Object.entries(MAKERS))('%s that is deleted meanwhile is not changed, and is deleted once', async (_, make) => {
  const { table, id, path, change } = await make();
  const lock = await service.database.openTransaction(`select from ${table} where id = $1 for no key update`, [id]);
  const waitFor = (count: number) =>
    eventually(
      () => service.database.waiting(),
      (waiting) => waiting.length >= count,
    );
  const deletion = admin.delete(path);
  await waitFor(1);
  const [changed, again] = [admin.patch(path, change), admin.delete(path)];
  await waitFor(3);
  await lock.commit();
  expect((await deletion).outcome).toBe('200');
  expect((await changed).outcome).toMatch(/^404 /);
  // A revocation that is sent again completes the first one.
  expect((await again).outcome).toMatch(table === 'admin_key' ? /^(200|404 .*)$/ : /^404 /);
});
