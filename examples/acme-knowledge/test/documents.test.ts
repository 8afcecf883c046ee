import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { administratorOf, Client, eventually, makeTenant, startWithPlugins } from 'slipway/testing';
import config from '../slipway.config.js';

const PATH = '/api/v1/knowledge-bases';

interface Base {
  data: { knowledgeBaseId: string; words: number | null };
}

interface Documents {
  data: { title: string }[];
  meta: { nextCursor: string | null };
}

const service = await startWithPlugins(config);
after(() => service.stop());

/** Makes a knowledge base with three documents. */
async function makeBase() {
  const { api, projectId } = await makeTenant(service);
  const { knowledgeBaseId } = (await api.post<Base>(PATH, { name: 'Shop' })).body.data;
  const path = `${PATH}/${knowledgeBaseId}`;
  const texts = { Vouchers: 'A refund by voucher.', Hours: 'We open at nine.', Refunds: 'A refund takes three days.' };
  for (const [title, text] of Object.entries(texts))
    assert.equal((await api.post(`${path}/documents`, { title, text })).outcome, '201');
  const titles = async (query: Record<string, string> = {}) => {
    const { body } = await api.get<Documents>(`${path}/documents`, { query });
    return { titles: body.data.map(({ title }) => title), cursor: body.meta.nextCursor };
  };
  return { api, path, projectId, titles, knowledgeBaseId };
}

it('lists documents by their titles, page by page', async () => {
  const { titles } = await makeBase();
  const first = await titles({ limit: '2' });
  assert.deepEqual(first.titles, ['Hours', 'Refunds']);
  assert.deepEqual(await titles({ limit: '2', cursor: first.cursor! }), { titles: ['Vouchers'], cursor: null });
  assert.deepEqual((await titles({ order: 'desc' })).titles, ['Vouchers', 'Refunds', 'Hours']);
  assert.deepEqual((await titles({ sort: 'createdAt' })).titles, ['Vouchers', 'Hours', 'Refunds']);
});

it('finds the documents that have all words', async () => {
  const { titles } = await makeBase();
  assert.deepEqual((await titles({ words: 'refund' })).titles, ['Refunds', 'Vouchers']);
  assert.deepEqual((await titles({ words: 'REFUND -voucher' })).titles, ['Refunds']);
  assert.deepEqual((await titles({ words: 'nowhere' })).titles, []);
});

it('belong to a knowledge base of the caller, and are deleted with it', async () => {
  const { api, path, knowledgeBaseId } = await makeBase();
  const stranger = await makeTenant(service);
  const added = await stranger.api.post(`${path}/documents`, { title: 'Mine', text: 'Mine.' });
  assert.equal(added.outcome, '404 KNOWLEDGE_BASE_NOT_FOUND');
  assert.equal((await api.delete(path)).outcome, '200');
  const left = 'select id from acme_knowledge_document where base_id = $1';
  assert.deepEqual(await service.database.rows(left, [knowledgeBaseId]), []);
});

it('counts the words with a job that reports how far it is', async () => {
  const { api, path, knowledgeBaseId } = await makeBase();
  const counting = await api.post<Base>(`${path}/word-count`);
  assert.equal(counting.outcome, '202');
  assert.equal(counting.body.data.words, null);
  const words = async () => (await api.get<Base>(path)).body.data.words;
  assert.equal(await eventually(words, (count) => count !== null), 13);
  const reported = `select progress->>'words' as words from job where data->>'knowledgeBaseId' = $1`;
  assert.deepEqual(await service.database.rows(reported, [knowledgeBaseId]), [{ words: '13' }]);
});

it('counts the documents that were added, for Prometheus', async () => {
  const client = new Client(service.url);
  const added = async () => {
    const { text } = await client.get('/metrics');
    return Number(/^acme_knowledge_documents_added_total (\d+)$/m.exec(text)?.[1]);
  };
  const before = await added();
  await makeBase();
  assert.equal((await added()) - before, 3);
});

it('deletes documents when their days are over, those of a project by its own period', async () => {
  const { projectId, knowledgeBaseId } = await makeBase();
  const other = await makeBase();
  const retention = `/api/admin/v1/projects/${projectId}/retention`;
  const days = { 'knowledge-documents': 30 };
  assert.equal((await administratorOf(service).put(retention, { days })).outcome, '200');
  const age = `update acme_knowledge_document set created_at = now() - interval '31 days' where title = 'Hours'`;
  await service.database.rows(age);
  const many = `
    insert into acme_knowledge_document (id, project_id, base_id, title, text, created_at)
    select 'kd-' || n, $1, $2, 'Old', 'Old.', now() - interval '32 days' from generate_series(1, 2500) n`;
  await service.database.rows(many, [projectId, knowledgeBaseId]);

  // A run that has begun already may have passed the documents, so the next one is not awaited for an hour either.
  const isDue = `update job set run_at = now() where name = 'retention.sweep' and state = 'queued'`;
  const left = 'select title from acme_knowledge_document where project_id = $1 order by title';
  const sweep = async () => {
    await service.database.rows(isDue);
    return service.database.rows(left, [projectId]);
  };
  const rows = await eventually(sweep, ({ length }) => length < 3);
  assert.deepEqual(rows, [{ title: 'Refunds' }, { title: 'Vouchers' }]);
  assert.deepEqual((await other.titles()).titles, ['Hours', 'Refunds', 'Vouchers']);
});
