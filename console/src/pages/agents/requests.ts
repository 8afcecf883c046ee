import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, pageOf } from '../../api/client.js';
import { readAll, readUntil } from '../../api/read-all.js';
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

/** All versions of an agent, the newest first, of which the user chooses one. */
export const versionChoiceOptions = (appId: string, agentId: string) =>
  queryOptions({
    queryKey: [...keyOfVersions(agentId), 'to choose'],
    queryFn: () =>
      readAll((cursor) =>
        pageOf(
          api.GET(VERSIONS, { params: { path: { appId, agentId }, query: { limit: 100, order: 'desc', cursor } } }),
        ),
      ),
  });

export const environmentsOptions = (appId: string) =>
  queryOptions({
    queryKey: ['environments', appId],
    queryFn: () => dataOf(api.GET(APP_ENVIRONMENTS, { params: { path: { appId } } })),
  });

/** The newest activation of another version than the active one, or null. It may lie many pages back. */
export const activationBeforeOptions = (appId: string, envName: Environment, active: string | null) =>
  queryOptions({
    queryKey: ['activation before', appId, envName, active],
    queryFn: () =>
      readUntil(
        (cursor) =>
          pageOf(
            api.GET(`${APP_ENVIRONMENT}/activations`, {
              params: { path: { appId, envName }, query: { limit: 100, cursor } },
            }),
          ),
        ({ appVersionId }) => appVersionId !== active,
      ),
  });
