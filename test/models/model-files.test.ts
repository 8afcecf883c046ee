import { readFile } from 'node:fs/promises';
import { toId } from '../../src/kernel/ids.js';
import { ModelFiles } from '../../src/modules/models/serving/model-files.js';
import { Database } from '../../src/platform/database/database.js';
import { upload } from '../files/files.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';

const service = await startService({ MODEL_HOST: 'none' });
const files = service.app.get(ModelFiles, { strict: false });
const database = service.app.get(Database);
const { api, projectId } = await makeTenant(service);
afterAll(() => service.stop());

it('a caller that waits for a file that another one writes gets it, even if the other one aborts', async () => {
  const content = 'x'.repeat(2 * 1024 * 1024);
  const { body } = await upload(api, { content });
  const file = { projectId: toId('project', projectId), fileId: toId('file', body.fileId), entry: null };
  const ensure = (onRead: () => void, signal: AbortSignal) => database.apart(() => files.ensure(file, onRead, signal));
  const leaving = new AbortController();
  let shares = 0;
  const [writer, sharer] = await Promise.allSettled([
    ensure(() => leaving.abort(new Error('aborted')), leaving.signal),
    ensure(() => (shares += 1), new AbortController().signal),
  ]);
  expect(writer).toMatchObject({ status: 'rejected', reason: { message: 'aborted' } });
  expect(sharer.status).toBe('fulfilled');
  expect(await readFile((sharer as PromiseFulfilledResult<string>).value, 'utf8')).toBe(content);
  expect(shares).toBeGreaterThan(0);
});
