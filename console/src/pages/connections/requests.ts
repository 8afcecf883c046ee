import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { filled, type QueryOf, type SortOf } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { BY_STATUS } from '../../parts/switch-actions.js';
import type { SwitchedRequests } from '../../parts/switched-page.js';
import { chosenFrom, type Filter, useFilters } from '../../parts/use-filters.js';

export const CONNECTIONS = '/api/admin/v1/projects/{projectId}/connections';
export const CONNECTION = `${CONNECTIONS}/{connectionId}` as const;

const SORTS = sortsOf<typeof CONNECTIONS>({
  createdOn: 'desc',
  modifiedOn: 'desc',
  connectionName: 'asc',
  provider: 'asc',
  model: 'asc',
});

export const connectionOptions = (projectId: string, connectionId: string) =>
  queryOptions({
    queryKey: ['connection', connectionId],
    queryFn: () => dataOf(api.GET(CONNECTION, { params: { path: { projectId, connectionId } } })),
  });

const FILTERS: readonly Filter<QueryOf<typeof CONNECTIONS>>[] = [BY_STATUS, { name: 'provider', label: 'Provider' }];

/** The requests for the connections of the project. */
export function useConnections(): SwitchedRequests<Schemas['Connection'], SortOf<typeof CONNECTIONS>> {
  const { projectId } = useApp();
  const sorting = useSorting(SORTS);
  const [filters] = useFilters();
  const chosen = chosenFrom(filters, FILTERS);
  const query = { ...chosen, ...sortedBy(sorting) };
  const paramsOf = (connectionId: string) => ({ path: { projectId, connectionId } });
  return {
    of: ['connections', projectId, chosen],
    sorting,
    query,
    filters: FILTERS,
    chosen,
    path: filled(CONNECTIONS, { projectId }),
    pathOf: (id) => filled(CONNECTION, paramsOf(id).path),
    read: (cursor) => pageOf(api.GET(CONNECTIONS, { params: { path: { projectId }, query: { ...query, cursor } } })),
    readOne: (id) => dataOf(api.GET(CONNECTION, { params: paramsOf(id) })),
    setStatus: (id, status) => api.PATCH(CONNECTION, { params: paramsOf(id), body: { status } }),
    remove: (id) => api.DELETE(CONNECTION, { params: paramsOf(id) }),
  };
}
