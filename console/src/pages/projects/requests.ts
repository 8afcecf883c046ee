import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.js';

export const PROJECTS = '/api/admin/v1/projects';
export const PROJECT = `${PROJECTS}/{projectId}` as const;

/** Reads a project, with its name. */
export const projectOptions = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId],
    queryFn: () => dataOf(api.GET(PROJECT, { params: { path: { projectId } } })),
  });
