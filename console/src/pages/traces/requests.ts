import { queryOptions } from '@tanstack/react-query';
import { bodyOf } from '../../api/client.js';
import type { AppContext } from '../../app/app-context.js';
import { REFRESH_MS } from '../../api/refresh.js';

export const TRACE = '/api/public/apps/{appId}/traces/{traceId}';

export const traceOptions = (asApp: AppContext['asApp'], appId: string, traceId: string) =>
  queryOptions({
    queryKey: ['trace', appId, traceId],
    queryFn: () => bodyOf(asApp.GET(TRACE, { params: { path: { appId, traceId } } })),
    refetchInterval: REFRESH_MS,
  });
