import { administratorOf } from '../support/actors.js';
import type { Refusals } from '../support/samples.js';

const ADMIN = '/api/admin/v1';

export const refusals: Refusals = {
  ENVIRONMENT_NOT_FOUND: ({ service, tenant: { appId } }) =>
    administratorOf(service).get(`${ADMIN}/apps/${appId}/environments/test`),
  PROJECT_NOT_EMPTY: ({ service, tenant: { projectId } }) =>
    administratorOf(service).delete(`${ADMIN}/projects/${projectId}`),
  APP_NOT_EMPTY: ({ service, tenant: { appId } }) => administratorOf(service).delete(`${ADMIN}/apps/${appId}`),
};
