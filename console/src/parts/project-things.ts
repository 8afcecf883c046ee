import { queryOptions } from '@tanstack/react-query';
import { api, pageOf } from '../api/client.js';
import { readAll } from '../api/read-all.js';

const CONNECTIONS = '/api/admin/v1/projects/{projectId}/connections';
const MODELS = '/api/admin/v1/projects/{projectId}/models';
const TOOLS = '/api/admin/v1/projects/{projectId}/tools';

/** All connections of the project, of which pages take choices. */
export const connectionsOptions = (projectId: string) =>
  queryOptions({
    queryKey: ['all-connections', projectId],
    queryFn: () =>
      readAll((cursor) =>
        pageOf(api.GET(CONNECTIONS, { params: { path: { projectId }, query: { limit: 100, cursor } } })),
      ),
  });

/** All models of the project, of which pages take names or choices. */
export const modelsOptions = (projectId: string) =>
  queryOptions({
    queryKey: ['all-models', projectId],
    queryFn: () =>
      readAll((cursor) => pageOf(api.GET(MODELS, { params: { path: { projectId }, query: { limit: 100, cursor } } }))),
  });

/** All tools of the project, of which pages take names or choices. */
export const toolsOptions = (projectId: string) =>
  queryOptions({
    queryKey: ['all-tools', projectId],
    queryFn: () =>
      readAll((cursor) => pageOf(api.GET(TOOLS, { params: { path: { projectId }, query: { limit: 100, cursor } } }))),
  });
