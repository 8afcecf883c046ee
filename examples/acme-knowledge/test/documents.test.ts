import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { eventually, makeTenant, startWithPlugins } from 'slipway/testing';
import config from '../slipway.config.js';

const PATH = '/api/v1/knowledge-bases';

interface Base {
  data: { knowledgeBaseId: string; words: number | null };
}

interface Documents {
  data: { title: string }[];
  meta: { nextCursor: string | null };
}

const service = await startWithPlugins(config, { ACME_KNOWLEDGE_DAYS: '30' });
after(() => service.stop());

/** Makes a knowledge base with three documents. */
async function makeBase() {
  const { api } = await makeTenant(service);
  const { knowledgeBaseId } = (await api.post<Base>(PATH, { name: 'Shop' })).body.data;
  const path = `${PATH}/${knowledgeBaseId}`;
  const texts = { Vouchers: 'A refund by voucher.', Hours: 'We open at nine.', Refunds: 'A refund takes three days.' };
  for (const [title, text] of Object.entries(texts))
    assert.equal((await api.post(`${path}/documents`, { title, text })).outcome, '201');
  const titles = async (query: Record<string, string> = {}) => {
    const { body } = await api.get<Documents>(`${path}/documents`, { query });
    return { titles: body.data.map(({ title }) => title), cursor: body.meta.nextCursor };
  };
  return { api, path, titles, knowledgeBaseId };
}

it('lists documents by their titles, page by page', async () => {
  const { titles } = await makeBase();
  const first = await titles({ limit: '2' });
  assert.deepEqual(first.titles, ['Hours', 'Refunds']);
  assert.deepEqual(await titles({ limit: '2', cursor: first.cursor! }), { titles: ['Vouchers'], cursor: null });
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

it('deletes documents when their days are over', async () => {
  const { titles, knowledgeBaseId } = await makeBase();
  const age = `update acme_knowledge_document set created_at = now() - interval '31 days' where base_id = $1 and title = $2`;
  await service.database.rows(age, [knowledgeBaseId, 'Hours']);
  const isDue = `update job set run_at = now() where name = 'acme-knowledge.delete-old-documents' and state = 'queued'`;
  await service.database.rows(isDue);
  const left = await eventually(titles, ({ titles: { length } }) => length < 3);
  assert.deepEqual(left.titles, ['Refunds', 'Vouchers']);
});
