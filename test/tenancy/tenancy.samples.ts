import { makeApp, makeProject } from '../support/actors.js';
import type { Samples } from '../support/samples.js';

export const samples: Samples = {
  'POST /api/admin/v1/projects': () => ({ body: { name: 'Customer service' } }),
  'GET /api/admin/v1/projects': () => ({ query: { limit: '2' } }),
  'GET /api/admin/v1/projects/{projectId}': ({ tenant: { projectId } }) => ({ params: { projectId } }),
  'PATCH /api/admin/v1/projects/{projectId}': ({ tenant: { projectId } }) => ({
    params: { projectId },
    body: { name: 'Another name' },
  }),
  'DELETE /api/admin/v1/projects/{projectId}': async ({ service }) => ({
    params: { projectId: await makeProject(service) },
  }),
  'GET /api/admin/v1/problems': () => ({ query: { limit: '1' } }),
  'GET /api/admin/v1/projects/{projectId}/problems': ({ tenant: { projectId } }) => ({ params: { projectId } }),
  'GET /api/admin/v1/projects/{projectId}/retention': ({ tenant: { projectId } }) => ({ params: { projectId } }),
  'PUT /api/admin/v1/projects/{projectId}/retention': ({ tenant: { projectId } }) => ({
    params: { projectId },
    body: { days: { conversations: 60 } },
  }),
  'POST /api/admin/v1/projects/{projectId}/apps': ({ tenant: { projectId } }) => ({
    params: { projectId },
    body: { name: 'Returns desk' },
  }),
  'GET /api/admin/v1/projects/{projectId}/apps': ({ tenant: { projectId } }) => ({ params: { projectId } }),
  'GET /api/admin/v1/apps': ({ tenant: { projectId } }) => ({ query: { projectId } }),
  'GET /api/admin/v1/apps/{appId}': ({ tenant: { appId } }) => ({ params: { appId } }),
  'PATCH /api/admin/v1/apps/{appId}': ({ tenant: { appId } }) => ({
    params: { appId },
    body: { name: 'Another name' },
  }),
  'DELETE /api/admin/v1/apps/{appId}': async ({ service, tenant: { projectId } }) => ({
    params: { appId: await makeApp(service, projectId) },
  }),
  'GET /api/admin/v1/apps/{appId}/environments': ({ tenant: { appId } }) => ({ params: { appId } }),
  'GET /api/admin/v1/apps/{appId}/environments/{envName}': ({ tenant: { appId } }) => ({
    params: { appId, envName: 'Production' },
  }),
};
