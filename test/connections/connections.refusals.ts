import { availableParallelism } from 'node:os';
import { newId } from '../../src/kernel/ids.js';
import type { Refusals } from '../support/samples.js';
import { BODIES, change, create, forgetProtocolOf, makeConnection, read } from './make.js';

export const refusals: Refusals = {
  CONNECTION_NOT_FOUND: ({ tenant }) => read(tenant, newId('connection')),
  CONNECTION_NOT_UPDATABLE: async ({ tenant }) => {
    const { connectionId } = await makeConnection(tenant, BODIES.API);
    return change(tenant, connectionId, { API_KEY: 'another' });
  },
  CONNECTION_PROTOCOL_MISSING: async ({ service, tenant }) => {
    const { connectionId } = await makeConnection(tenant);
    await forgetProtocolOf(service, connectionId);
    return change(tenant, connectionId, { note: 'Nothing secret' });
  },
  CONNECTION_UNREADABLE: async ({ service, tenant }) => {
    const { connectionId } = await makeConnection(tenant);
    await service.database.rows(`update connection set secrets_sealed = 'v1.9.AAAA.AAAA' where id = $1`, [
      connectionId,
    ]);
    return change(tenant, connectionId, { note: 'Nothing secret' });
  },
  COMPUTE_BUSY: async ({ tenant }) => {
    const headers = [{ key: 'x-slow', value: '{% for i in (1..9000000) %}{% endfor %}' }];
    const slow = { provider: 'API', fields: { ...BODIES.API.fields, headers } };
    const many = 20 + 2 * availableParallelism();
    const answers = await Promise.all(Array.from({ length: many }, () => create(tenant, slow)));
    return answers.find(({ status }) => status === 503) ?? answers[0]!;
  },
  ADDRESS_NOT_ALLOWED: ({ tenant }) =>
    create(tenant, { provider: 'API', fields: { ...BODIES.API.fields, BASE_URL: 'http://169.254.169.254/' } }),
};
