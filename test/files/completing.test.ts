import { newId } from '../../src/kernel/ids.js';
import { makeTenant, type Tenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { atTime, DAY } from '../support/clock.js';
import { startService } from '../support/service.js';
import { CONTENTS } from './contents.js';
import { abandon, complete, FILES, open, progressOf, sendChunk, sendChunks, startedUpload } from './files.js';

const service = await startService();
let tenant: Tenant;
let api: Tenant['api'];
beforeEach(async () => ({ api } = tenant = await makeTenant(service)));
afterAll(() => service.stop());

const ABC = { 0: 'aa', 1: 'bb', 2: 'cc' };
const filesOf = ({ projectId }: Tenant) =>
  service.database.rows<{ id: string }>('select id from file where project_id = $1', [projectId]);

describe('completing', () => {
  it('names the missing chunks, and the upload stays open', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, { 1: 'bb' });
    const answer = await complete(api, sessionId);
    expect(answer.outcome).toBe('409 CHUNKS_MISSING');
    expect((answer.body as unknown as Refused).error.details).toEqual({ missingChunks: [0, 2] });
    await sendChunks(api, sessionId, { 0: 'aa', 2: 'cc' });
    expect((await complete(api, sessionId)).outcome).toBe('200');
  });

  it('refuses a content that is larger or smaller than announced', async () => {
    for (const fileSize of [5, 7]) {
      const sessionId = await startedUpload(api, { fileSize });
      await sendChunks(api, sessionId, ABC);
      expect((await complete(api, sessionId)).outcome).toBe('409 FILE_SIZE_MISMATCH');
      expect(await filesOf(tenant)).toEqual([]);
    }
  });

  it('refuses a content that does not match its extension, even if the first chunks are tiny', async () => {
    const members = { fileExtension: 'png', fileSize: CONTENTS.png!.length, totalChunks: 4 };
    const pieces = (content: Uint8Array<ArrayBuffer>) => ({
      0: content.subarray(0, 1),
      1: content.subarray(1, 2),
      2: content.subarray(2, 3),
      3: content.subarray(3),
    });
    const good = await startedUpload(api, members);
    await sendChunks(api, good, pieces(CONTENTS.png!));
    expect((await complete(api, good)).outcome).toBe('200');
    const bad = await startedUpload(api, members);
    await sendChunks(api, bad, pieces(Buffer.alloc(CONTENTS.png!.length, 'x')));
    expect((await complete(api, bad)).outcome).toBe('400 FILE_CONTENT_MISMATCH');
    for (const fileContext of ['model', 'dataset']) {
      const unchecked = await startedUpload(api, { ...members, fileContext });
      await sendChunks(api, unchecked, pieces(Buffer.alloc(CONTENTS.png!.length, 'x')));
      expect((await complete(api, unchecked)).outcome).toBe('200');
    }
  });

  it('several times, even at the same moment, gives the same answer and one file', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, ABC);
    const answers = await Promise.all(Array.from({ length: 8 }, () => complete(api, sessionId)));
    answers.push(await complete(api, sessionId));
    for (const { outcome, body } of answers) expect([outcome, body]).toEqual(['200', answers[0]!.body]);
    expect(await filesOf(tenant)).toHaveLength(1);
    expect((await progressOf(api, sessionId)).body).toMatchObject({
      status: 'completed',
      fileId: answers[0]!.body.fileId,
    });
  });

  it('still answers with a valid link after the upload would have expired', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, ABC);
    const { fileId } = (await complete(api, sessionId)).body;
    await atTime(Date.now() + 2 * DAY, async () => {
      const { body } = await complete(api, sessionId);
      expect(body.fileId).toBe(fileId);
      expect((await open(body.url)).status).toBe(200);
    });
  });

  it('ends the upload, which then takes no chunk and cannot be abandoned', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, ABC);
    const { url } = (await complete(api, sessionId)).body;
    expect((await sendChunk(api, sessionId, 0, 'zz')).outcome).toBe('409 UPLOAD_COMPLETED');
    expect((await abandon(api, sessionId)).outcome).toBe('409 UPLOAD_COMPLETED');
    expect((await open(url)).bytes.toString()).toBe('aabbcc');
  });

  it('while a chunk arrives makes a file of the content before or after it, and of no mixture', async () => {
    for (let round = 0; round < 10; round += 1) {
      const sessionId = await startedUpload(api);
      await sendChunks(api, sessionId, ABC);
      const [done, chunk] = await Promise.all([complete(api, sessionId), sendChunk(api, sessionId, 0, 'AA')]);
      expect(done.outcome).toBe('200');
      const { bytes } = await open(done.body.url);
      const expected = chunk.outcome === '200' ? 'AAbbcc' : 'aabbcc';
      expect([chunk.outcome, bytes.toString()]).toEqual([
        expect.stringMatching(/^(200|409 UPLOAD_COMPLETED)$/) as string,
        expected,
      ]);
    }
  });

  it('makes a file like any other', async () => {
    const sessionId = await startedUpload(api);
    await sendChunks(api, sessionId, ABC);
    const { fileId } = (await complete(api, sessionId)).body;
    expect((await api.get(`${FILES}/${fileId}`)).outcome).toBe('200');
    expect((await complete(api, newId('uploadSession'))).outcome).toBe('404 UPLOAD_NOT_FOUND');
  });
});
