import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.js';

/** The answers that pages have read. Pages and the router share them, so that a request can begin before its page is drawn. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one. A service that is away may be back soon.
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      refetchIntervalInBackground: false,
    },
  },
});
