import { newId } from '../../src/kernel/ids.js';
import { connectTo } from '../gateway/calls.js';
import { makeActiveAgent, say } from '../agents/make.js';
import { CONTENTS } from '../files/contents.js';
import { upload } from '../files/files.js';
import { administratorOf, makeTenant, type Tenant } from '../support/actors.js';
import type { Refused } from '../support/client.js';
import { ModelDouble } from '../support/providers/model-double.js';
import { startService } from '../support/service.js';
import { makeSession, ref, sessionsPath, terminate } from './make.js';

const service = await startService();
const double = await ModelDouble.start();
afterAll(async () => {
  await service.stop();
  await double.stop();
});

const PDF_BASE64 = CONTENTS.pdf!.toString('base64');
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);

async function fileOf({ api }: Tenant, name = 'note.txt', content: string | Uint8Array<ArrayBuffer> = 'Seven apples') {
  return (await upload(api, { name, content })).body.fileId;
}

function attach(tenant: Tenant, sessionId: string, fileId: string) {
  return tenant.api.post<{ attachments: object[] }>(`${sessionsPath(tenant)}/${sessionId}/attachments`, { fileId });
}

async function limited(tenant: Tenant, limits: object): Promise<void> {
  const path = `/api/admin/v1/apps/${tenant.appId}/session-settings`;
  const { outcome } = await administratorOf(service).patch(path, limits);
  expect(outcome).toBe('200');
}

it('attaches a file once, and lists it wherever the session is shown', async () => {
  const tenant = await makeTenant(service);
  const { sessionId } = await makeSession(tenant, [ref('a')]);
  const fileId = await fileOf(tenant);
  const shown = [{ fileId, fileName: 'note.txt', fileType: 'txt' }];
  expect((await attach(tenant, sessionId, fileId)).body).toEqual({ sessionId, attachments: shown });
  expect((await attach(tenant, sessionId, fileId)).body.attachments).toEqual(shown);
  expect((await terminate(tenant, [ref('a')])).body).toMatchObject({ attachments: shown });
  expect((await attach(tenant, sessionId, fileId)).outcome).toBe('409 SESSION_TERMINATED');
});

it('gives the model the text of a text file, and an image as an image', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant, { connectionId: await connectTo(tenant, double) });
  const { sessionId } = await makeSession(tenant, [ref('look')]);
  const files = [await fileOf(tenant), await fileOf(tenant, 'a.png', PNG)];
  for (const fileId of files) await attach(tenant, sessionId, fileId);
  const { body } = await say(tenant, 'look', 'What is this?', { attachments: files });
  expect(body.status).toBe('completed');
  const sent = JSON.stringify(double.last.body.messages);
  expect(sent).toContain('Seven apples');
  expect(sent).toContain('data:image/png;base64,');
});

it.each([
  ['OpenAI', {}, { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF_BASE64}` } }],
  [
    'OpenAI, where it takes images,',
    { mapProvider: 'vendor1Model', IOMappings: ['textToText', 'imageToText'] },
    { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF_BASE64}` } },
  ],
  [
    'Anthropic',
    { mapProvider: 'vendor2Model', IOMappings: ['textToText', 'imageToText'] },
    {
      type: 'document',
      title: 'a.pdf',
      source: { type: 'base64', media_type: 'application/pdf', data: PDF_BASE64 },
    },
  ],
])('gives a model with the API of %s a document as a document', async (_, more, part) => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant, { connectionId: await connectTo(tenant, double, '', more) });
  const { sessionId } = await makeSession(tenant, [ref('read')]);
  const fileId = (await upload(tenant.api, { name: 'a.pdf', content: CONTENTS.pdf!, fileContext: 'chat' })).body.fileId;
  expect((await attach(tenant, sessionId, fileId)).body.attachments).toEqual([
    { fileId, fileName: 'a.pdf', fileType: 'pdf' },
  ]);
  expect((await say(tenant, 'read', 'What is this?', { attachments: [fileId] })).body.status).toBe('completed');
  const { content } = double.last.body.messages!.findLast(({ role }) => role === 'user')!;
  expect(content).toEqual([
    expect.objectContaining({ type: 'text', text: 'What is this?' }),
    expect.objectContaining(part),
  ]);
});

it.each([
  ['says that it is for text alone', { mapProvider: 'vendor1Model', IOMappings: ['textToText'] }],
  ['is a payload of the connection’s own', { payload: { ask: '{{ messages }}' }, outputPath: 'result.text' }],
])('gives a model only the name of a document if its connection %s', async (_, more) => {
  const tenant = await makeTenant(service);
  const fields = { ...more, ...('payload' in more && { endpointUrl: `${double.url}/any` }) };
  await makeActiveAgent(service, tenant, { connectionId: await connectTo(tenant, double, '', fields) });
  const { sessionId } = await makeSession(tenant, [ref('unread')]);
  const fileId = await fileOf(tenant, 'a.pdf', CONTENTS.pdf);
  await attach(tenant, sessionId, fileId);
  expect((await say(tenant, 'unread', 'What is this?', { attachments: [fileId] })).body.status).toBe('completed');
  expect(JSON.stringify(double.last.body)).toContain('[file a.pdf, which this model cannot read]');
});

it('accepts a file of each type that the session names', async () => {
  const tenant = await makeTenant(service);
  const { body } = await tenant.api.post<{ session: { sessionId: string }; allowedMimeTypes: string[] }>(
    sessionsPath(tenant),
    { sessionIdentity: [ref('all')] },
  );
  await limited(tenant, { maxFileCount: 50 });
  for (const type of body.allowedMimeTypes) {
    const fileId = await fileOf(tenant, `a.${type}`, CONTENTS[type]);
    expect([type, (await attach(tenant, body.session.sessionId, fileId)).outcome]).toEqual([type, '200']);
  }
});

it('gives a model only the name of a file that it cannot read, and the contents of the others', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant, { connectionId: await connectTo(tenant, double) });
  const { sessionId } = await makeSession(tenant, [ref('office')]);
  const names = ['a.docx', 'a.bmp', 'a.m4a', 'a.pdf', 'a.html', 'a.rtf'];
  const files = await Promise.all(names.map((name) => fileOf(tenant, name, CONTENTS[name.slice(2)])));
  for (const fileId of files) await attach(tenant, sessionId, fileId);
  const { body } = await say(tenant, 'office', 'What is this?', { attachments: files });
  expect(body.status).toBe('completed');
  const sent = JSON.stringify(double.last.body.messages);
  for (const name of names.slice(0, 3)) expect(sent).toContain(`[file ${name}, which this model cannot read]`);
  expect(sent).toContain(`data:application/pdf;base64,${PDF_BASE64}`);
  for (const name of names.slice(4)) expect(sent).toMatch(new RegExp(`File ${name}:.{1,20}Seven apples`));
});

it('gives a model that does not accept images only their names', async () => {
  const tenant = await makeTenant(service);
  const more = { mapProvider: 'vendor1Model', IOMappings: ['textToText'] };
  await makeActiveAgent(service, tenant, { connectionId: await connectTo(tenant, double, '', more) });
  const { sessionId } = await makeSession(tenant, [ref('blind')]);
  const fileId = await fileOf(tenant, 'a.png', PNG);
  await attach(tenant, sessionId, fileId);
  const { body } = await say(tenant, 'blind', 'What is this?', { attachments: [fileId] });
  expect(body.status).toBe('completed');
  expect(JSON.stringify(double.last.body.messages)).toContain('[file a.png');
});

it.each([
  ['attachments', { isAttachmentsEnabled: false }, 'does not accept attachments'],
  ['one more', { maxFileCount: 0 }, 'the session has 0 files, and the limit is 0'],
  ['so many tokens', { maxTokens: 3 }, 'it takes 4 tokens'],
])('refuses %s', async (_, limits, reason) => {
  const tenant = await makeTenant(service);
  await limited(tenant, limits);
  const { sessionId } = await makeSession(tenant);
  const { outcome, body } = await attach(tenant, sessionId, await fileOf(tenant));
  expect(outcome).toBe('400 ATTACHMENT_REJECTED');
  expect((body as unknown as Refused).error.message).toContain(reason);
});

it('refuses a file that is too large, and one of a type that is not allowed', async () => {
  const tenant = await makeTenant(service);
  await limited(tenant, { maxFileSize: 1 });
  const { sessionId } = await makeSession(tenant);
  const large = await fileOf(tenant, 'large.txt', 'x'.repeat(1_000_001));
  expect((await attach(tenant, sessionId, large)).outcome).toBe('400 ATTACHMENT_REJECTED');
  expect((await attach(tenant, sessionId, await fileOf(tenant, 'a.env', 'A=1'))).outcome).toBe(
    '400 ATTACHMENT_REJECTED',
  );
});

it('refuses unknown files and sessions, and files that are not attached', async () => {
  const tenant = await makeTenant(service);
  await makeActiveAgent(service, tenant);
  const { sessionId } = await makeSession(tenant, [ref('b')]);
  const fileId = await fileOf(tenant);
  expect((await attach(tenant, sessionId, newId('file'))).outcome).toBe('404 FILE_NOT_FOUND');
  expect((await attach(tenant, sessionId, await fileOf(await makeTenant(service)))).outcome).toBe('404 FILE_NOT_FOUND');
  expect((await attach(tenant, newId('session'), fileId)).outcome).toBe('404 SESSION_NOT_FOUND');
  expect((await say(tenant, 'b', 'Look', { attachments: [fileId] })).outcome).toBe('400 ATTACHMENT_REJECTED');
  expect((await say(tenant, 'b', 'Look', { attachments: [fileId, fileId] })).outcome).toBe('400 VALIDATION_ERROR');
});
