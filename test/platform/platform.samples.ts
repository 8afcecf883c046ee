import { administratorOf } from '../support/actors.js';
import type { Samples } from '../support/samples.js';

export const samples: Samples = {
  'GET /': () => ({}),
  'GET /docs/errors': () => ({}),
  'GET /health/live': () => ({}),
  'GET /health/ready': () => ({}),
  'GET /metrics': () => ({}),
  'GET /api/admin/v1/audit': () => ({}),
  'GET /api/admin/v1/audit/{auditId}': async ({ service, tenant }) => {
    const query = { projectId: tenant.projectId, limit: '1' };
    const { body } = await administratorOf(service).get<{ data: { auditId: string }[] }>('/api/admin/v1/audit', {
      query,
    });
    return { params: { auditId: body.data[0]!.auditId } };
  },
  'GET /api/admin/v1/master-keys': () => ({}),
  'GET /api/admin/v1/processes': () => ({}),
  'POST /api/admin/v1/master-keys/rewrap': () => ({}),
};
