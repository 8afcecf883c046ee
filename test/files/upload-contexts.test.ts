import type { Transaction } from '../../src/platform/database/transaction.js';
import { Module } from '@nestjs/common';
import { AppModule } from '../../src/app.module.js';
import type { KeyActor } from '../../src/kernel/actor.js';
import {
  type CompletedUpload,
  type ImportStarted,
  type StartedUpload,
  TakesUploads,
  UploadContext,
} from '../../src/modules/files/files.port.js';
import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { complete, FILES, progressOf, sendChunks, startedUpload, startUpload } from './files.js';

const received: unknown[] = [];
let isBroken = false;

/** Writes into its own table in the transactions of the upload, as a module does that makes models of files. */
@TakesUploads('tool', 'bulkImport')
class Models extends UploadContext {
  async onStart(tx: Transaction, { projectId }: KeyActor, upload: StartedUpload) {
    const modelId = `cm-${upload.sessionId}`;
    await tx.em.execute('insert into model_of_test values (?, ?)', [modelId, projectId]);
    received.push(upload);
    if (isBroken) throw new Error('Broken on purpose');
    return { modelId };
  }

  async onComplete(tx: Transaction, _actor: KeyActor, upload: CompletedUpload): Promise<ImportStarted> {
    const { modelId } = upload;
    await tx.em.execute('update model_of_test set project_id = null where id = ?', [modelId]);
    received.push(upload);
    if (isBroken) throw new Error('Broken on purpose');
    return { dockStatusId: 'ds-1', modelId, jobType: 'MODELS', action: 'IMPORT', status: 'IN_PROGRESS' };
  }
}

@Module({ imports: [AppModule], providers: [Models] })
class WithModels {}

const service = await startService({}, WithModels);
const { api } = await makeTenant(service);
await service.database.rows('create table model_of_test (id text, project_id text)');
beforeEach(() => received.splice(0));
afterAll(() => service.stop());

const UPLOAD = { fileContext: 'tool', fileName: 'tiny', fileExtension: 'bin' };
const modelsOf = (sessionId: string) =>
  service.database.rows<{ project_id: string | null }>('select project_id from model_of_test where id = $1', [
    `cm-${sessionId}`,
  ]);

it('an upload in a context of a module is answered with the id of its model', async () => {
  const { outcome, body } = await startUpload(api, { ...UPLOAD, isAdapter: true });
  expect([outcome, body.modelId]).toEqual(['201', `cm-${body.sessionId}`]);
  expect(received).toEqual([
    {
      sessionId: body.sessionId,
      context: 'tool',
      fileName: 'tiny.bin',
      fileExtension: 'bin',
      fileSize: 6,
      isAdapter: true,
    },
  ]);
  expect((await progressOf(api, body.sessionId)).body).toMatchObject({ modelId: body.modelId });
});

it('completing it starts one job, and every repeat gets the same answer', async () => {
  const sessionId = await startedUpload(api, { ...UPLOAD, fileContext: 'bulkImport', fileExtension: 'csv' });
  await sendChunks(api, sessionId, { 0: 'aa', 1: 'bb', 2: 'cc' });
  const answers = [
    ...(await Promise.all([1, 2, 3].map(() => complete(api, sessionId)))),
    await complete(api, sessionId),
  ];
  const started = {
    dockStatusId: 'ds-1',
    modelId: `cm-${sessionId}`,
    jobType: 'MODELS',
    action: 'IMPORT',
    status: 'IN_PROGRESS',
  };
  for (const { outcome, body } of answers) expect([outcome, body]).toEqual(['200', started]);
  expect(received).toHaveLength(2);
  const { fileId } = received[1] as CompletedUpload;
  expect((await api.get(`${FILES}/${fileId}`)).outcome).toBe('200');
});

it('the writes of the module commit together with the upload, or neither does', async () => {
  isBroken = true;
  const { outcome } = await startUpload(api, UPLOAD);
  expect(outcome).toBe('500 INTERNAL_ERROR');
  const { sessionId: failed } = received[0] as StartedUpload;
  expect(await modelsOf(failed)).toEqual([]);
  expect((await progressOf(api, failed)).outcome).toBe('404 UPLOAD_NOT_FOUND');

  isBroken = false;
  const sessionId = await startedUpload(api, UPLOAD);
  await sendChunks(api, sessionId, { 0: 'aa', 1: 'bb', 2: 'cc' });
  isBroken = true;
  expect((await complete(api, sessionId)).outcome).toBe('500 INTERNAL_ERROR');
  expect((await progressOf(api, sessionId)).body.status).toBe('open');
  expect((await modelsOf(sessionId))[0]?.project_id).not.toBeNull();
  isBroken = false;
  expect((await complete(api, sessionId)).outcome).toBe('200');
  expect((await modelsOf(sessionId))[0]?.project_id).toBeNull();
});

it('uploads in other contexts do not reach the module', async () => {
  const { body, outcome } = await startUpload(api, { ...UPLOAD, fileContext: 'chat', fileExtension: 'png' });
  expect([outcome, Object.keys(body).sort(), received]).toEqual(['201', ['expirationDate', 'sessionId'], []]);
  expect(
    (await startUpload(api, { ...UPLOAD, fileContext: 'chat', fileExtension: 'png', isAdapter: false })).faults,
  ).toEqual(['isAdapter']);
});
