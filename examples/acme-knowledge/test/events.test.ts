import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { Injectable, Module } from '@nestjs/common';
import { defineSlipwayConfig, OnEvent } from 'slipway/plugin';
import { administratorOf, eventually, makeTenant, startWithPlugins } from 'slipway/testing';
import config from '../slipway.config.js';

const created: object[] = [];

/** Listens to the events of the plugin, as another plugin can. */
async function listeningModule() {
  const { KnowledgeBaseCreated } = await import('../src/knowledge.events.js');
  @Injectable()
  class Listening {
    @OnEvent(KnowledgeBaseCreated)
    onCreated(payload: object): void {
      created.push(payload);
    }
  }
  @Module({ providers: [Listening] })
  class ListeningModule {}
  return [ListeningModule];
}

const listening = { name: 'listening', slipway: '*', modules: listeningModule };
const service = await startWithPlugins(defineSlipwayConfig({ plugins: [...config.plugins, listening] }));
after(() => service.stop());
const admin = administratorOf(service);

interface Agent {
  data: { agentId: string };
}

interface Bases {
  data: { knowledgeBaseId: string; name: string }[];
}

it('creates a knowledge base once an agent is active, and publishes that', async () => {
  const { api, appId, projectId } = await makeTenant(service);
  const agent = { name: 'Helper', instructions: 'You are of help.' };
  const { agentId } = (await admin.post<Agent>(`/api/admin/v1/apps/${appId}/agents`, agent)).body.data;
  for (const environment of ['staging', 'production']) {
    const path = `/api/admin/v1/apps/${appId}/environments/${environment}`;
    assert.equal((await admin.put(path, { agentId, active: true })).outcome, '200');
  }
  const bases = async () => (await api.get<Bases>('/api/v1/knowledge-bases')).body.data;
  const [base, ...others] = await eventually(bases, ({ length }) => length > 0);
  assert.equal(base!.name, 'Frequent questions');
  assert.deepEqual(others, []);
  await eventually(() => created.length > 0);
  assert.deepEqual(created, [{ knowledgeBaseId: base!.knowledgeBaseId, projectId }]);
});
