import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { filled, type QueryOf, type SortOf } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { sortedBy, sortsOf, useSorting } from '../../parts/sorting.js';
import { BY_STATUS } from '../../parts/switch-actions.js';
import type { SwitchedRequests } from '../../parts/switched-page.js';
import { chosenFrom, type Filter, useFilters } from '../../parts/use-filters.js';

export const MCP_CONNECTIONS = '/api/admin/v1/projects/{projectId}/mcp-connections';
export const MCP_CONNECTION = `${MCP_CONNECTIONS}/{mcpConnectionId}` as const;

const SORTS = sortsOf<typeof MCP_CONNECTIONS>({ createdAt: 'desc', modifiedAt: 'desc', name: 'asc' });

const FILTERS: readonly Filter<QueryOf<typeof MCP_CONNECTIONS>>[] = [BY_STATUS];

/** The requests for the MCP connections of the project. */
export function useMcpConnections(): SwitchedRequests<Schemas['McpConnection'], SortOf<typeof MCP_CONNECTIONS>> {
  const { projectId } = useApp();
  const sorting = useSorting(SORTS);
  const [filters] = useFilters();
  const chosen = chosenFrom(filters, FILTERS);
  const query = { ...chosen, ...sortedBy(sorting) };
  const paramsOf = (mcpConnectionId: string) => ({ path: { projectId, mcpConnectionId } });
  return {
    of: ['mcp-connections', projectId, chosen],
    sorting,
    query,
    filters: FILTERS,
    chosen,
    path: filled(MCP_CONNECTIONS, { projectId }),
    pathOf: (id) => filled(MCP_CONNECTION, paramsOf(id).path),
    read: (cursor) =>
      pageOf(api.GET(MCP_CONNECTIONS, { params: { path: { projectId }, query: { ...query, cursor } } })),
    readOne: (id) => dataOf(api.GET(MCP_CONNECTION, { params: paramsOf(id) })),
    setStatus: (id, status) => api.PATCH(MCP_CONNECTION, { params: paramsOf(id), body: { status } }),
    remove: (id) => api.DELETE(MCP_CONNECTION, { params: paramsOf(id) }),
  };
}
