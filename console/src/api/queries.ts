import { QueryClient } from '@tanstack/react-query';
import { REFRESH_MS } from '../parts/refresh.js';
import { ApiError } from './client.js';

/** Whether the service may give another answer to the same request later. */
function mayPass(error: Error): boolean {
  return !(error instanceof ApiError && error.status >= 400 && error.status < 500);
}

/** The answers that pages have read. Pages and the router share them, so that a request can begin before its page is drawn. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one. A service that is away may be back soon.
      retry: (count, error) => count < 2 && mayPass(error),
      refetchInterval: ({ state: { error } }) => (error && mayPass(error) ? REFRESH_MS : false),
      refetchIntervalInBackground: false,
    },
  },
});
