import { useQuery } from '@tanstack/react-query';
import { api, pageOf } from './client.js';
import { readAll } from './read-all.js';
import { REFRESH_SELDOM_MS } from './refresh.js';

/** Reads all projects that the administrator sees, with their names. */
export function useProjects() {
  return useQuery({
    queryKey: ['projects', 'all'],
    queryFn: async () => {
      const projects = await readAll((cursor) =>
        pageOf(api.GET('/api/admin/v1/projects', { params: { query: { limit: 100, cursor } } })),
      );
      return projects.map(({ projectId: id, name }) => ({ id, name }));
    },
    refetchInterval: REFRESH_SELDOM_MS,
  });
}
