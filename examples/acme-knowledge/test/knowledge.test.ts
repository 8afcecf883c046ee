import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { makeKeyWith, makeTenant, startWithPlugins } from 'slipway/testing';
import config from '../slipway.config.js';

const PATH = '/api/v1/knowledge-bases';

interface One {
  data: { knowledgeBaseId: string; name: string };
}

interface Many {
  data: One['data'][];
}

const service = await startWithPlugins(config, { ACME_KNOWLEDGE_BASES: '2' });
after(() => service.stop());

it('creates knowledge bases with unique names, up to the limit', async () => {
  const { api } = await makeTenant(service, { permissions: ['KNOWLEDGE_WRITE'] });
  const { outcome, body } = await api.post<One>(PATH, { name: 'Manuals' });
  assert.equal(outcome, '201');
  assert.match(body.data.knowledgeBaseId, /^kb-/);
  assert.equal((await api.post(PATH, { name: 'MANUALS' })).outcome, '409 DUPLICATE_KNOWLEDGE_BASE_NAME');
  assert.equal((await api.post(PATH, { name: 'Prices' })).outcome, '201');
  assert.equal((await api.post(PATH, { name: 'Offers' })).outcome, '409 TOO_MANY_KNOWLEDGE_BASES');

  // The permission to write implies the one to read.
  const names = (await api.get<Many>(PATH)).body.data.map(({ name }) => name);
  assert.deepEqual(names, ['Manuals', 'Prices']);
});

it('lets keys without the permission to write only read', async () => {
  const tenant = await makeTenant(service);
  const { knowledgeBaseId } = (await tenant.api.post<One>(PATH, { name: 'Manuals' })).body.data;
  const reader = await makeKeyWith(service, tenant, ['KNOWLEDGE_READ']);
  assert.equal((await reader.api.get(`${PATH}/${knowledgeBaseId}`)).outcome, '200');
  assert.equal((await reader.api.delete(`${PATH}/${knowledgeBaseId}`)).status, 403);
});

it('finds no knowledge base of another project, and none that is deleted', async () => {
  const owner = await makeTenant(service);
  const stranger = await makeTenant(service);
  const { knowledgeBaseId } = (await owner.api.post<One>(PATH, { name: 'Manuals' })).body.data;
  const path = `${PATH}/${knowledgeBaseId}`;
  assert.equal((await stranger.api.get(path)).outcome, '404 KNOWLEDGE_BASE_NOT_FOUND');
  assert.equal((await stranger.api.delete(path)).outcome, '404 KNOWLEDGE_BASE_NOT_FOUND');
  assert.equal((await owner.api.delete(path)).outcome, '200');
  assert.equal((await owner.api.get(path)).outcome, '404 KNOWLEDGE_BASE_NOT_FOUND');
});

it('records who made a knowledge base', async () => {
  const { api, keyId } = await makeTenant(service);
  const { knowledgeBaseId } = (await api.post<One>(PATH, { name: 'Manuals' })).body.data;
  const rows = await service.database.rows('select actor_id from audit_entry where target_id = $1', [knowledgeBaseId]);
  assert.deepEqual(rows, [{ actor_id: keyId }]);
});
