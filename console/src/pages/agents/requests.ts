import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.js';
import type { Environment } from '../../parts/environments.js';

export const AGENTS = '/api/admin/v1/apps/{appId}/agents';
export const AGENT = `${AGENTS}/{agentId}` as const;
export const VERSIONS = `${AGENT}/versions` as const;
export const VERSION = `${VERSIONS}/{versionId}` as const;
export const APP_ENVIRONMENTS = '/api/admin/v1/apps/{appId}/environments';
export const APP_ENVIRONMENT = `${APP_ENVIRONMENTS}/{envName}` as const;

export const keyOfAgents = (appId: string) => ['agents', appId];
export const keyOfVersions = (agentId: string) => ['versions', agentId];

export const agentOptions = (appId: string, agentId: string) =>
  queryOptions({
    queryKey: ['agent', agentId],
    queryFn: () => dataOf(api.GET(AGENT, { params: { path: { appId, agentId } } })),
  });

export const versionOptions = (appId: string, agentId: string, versionId: string) =>
  queryOptions({
    queryKey: ['version', versionId],
    queryFn: () => dataOf(api.GET(VERSION, { params: { path: { appId, agentId, versionId } } })),
  });

/** The newest hundred versions of an agent, of which the user chooses one. */
export const versionChoiceOptions = (appId: string, agentId: string) =>
  queryOptions({
    queryKey: [...keyOfVersions(agentId), 'to choose'],
    queryFn: () =>
      dataOf(api.GET(VERSIONS, { params: { path: { appId, agentId }, query: { limit: 100, order: 'desc' } } })),
  });

export const environmentsOptions = (appId: string) =>
  queryOptions({
    queryKey: ['environments', appId],
    queryFn: () => dataOf(api.GET(APP_ENVIRONMENTS, { params: { path: { appId } } })),
  });

/** The newest hundred activations of an environment, of which there are others once another version is active. */
export const activationsOptions = (appId: string, envName: Environment, active: string | null) =>
  queryOptions({
    queryKey: ['activations', appId, envName, active],
    queryFn: () =>
      dataOf(
        api.GET(`${APP_ENVIRONMENT}/activations`, { params: { path: { appId, envName }, query: { limit: 100 } } }),
      ),
  });
