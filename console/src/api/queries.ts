import {
  type DefaultedQueryObserverOptions,
  type DefaultError,
  QueryClient,
  type QueryFunction,
  type QueryKey,
  type QueryObserverOptions,
} from '@tanstack/react-query';
import { REFRESH_MS } from './refresh.js';
import { ApiError, PASSING } from './client.js';
import { withSignal } from './present-signal.js';

/** The pause before a failed request is sent again, twice at most. Then the page shows the failure. */
const RETRY_MS = 500;

/** Whether the service may give another answer to the same request later. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status < 400 || error.status >= 500 || PASSING.has(error.status);
}

/** Whether the service or a proxy asks for later requests. The next one is sent with the next interval, and not at once. */
function asksToWait(error: unknown): boolean {
  return error instanceof ApiError && PASSING.has(error.status);
}

/** The interval of a query whose answer stays the same. It asks again only after a failure that may pass. */
export function refreshWhileFailing({ state: { error } }: { state: { error: Error | null } }): number | false {
  return error && mayPass(error) ? REFRESH_MS : false;
}

/**
 * Whether the service has answered that there is no such thing. Pages that show it stop asking for it. A proxy that answers
 * 404 in place of the service has another code.
 */
export function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404 && error.code.endsWith('NOT_FOUND');
}

/** Lets a query cancel its requests when no page shows their answers any more. */
function cancelling<Data, Key extends QueryKey, Cursor>(read: QueryFunction<Data, Key, Cursor>): typeof read {
  return (context) => withSignal(context.signal, () => read(context));
}

/** Every query of the console takes its options from here. */
class Queries extends QueryClient {
  override defaultQueryOptions<
    Read = unknown,
    Failure = DefaultError,
    Data = Read,
    Kept = Read,
    Key extends QueryKey = QueryKey,
    Cursor = never,
  >(
    options:
      | QueryObserverOptions<Read, Failure, Data, Kept, Key, Cursor>
      | DefaultedQueryObserverOptions<Read, Failure, Data, Kept, Key>,
  ): DefaultedQueryObserverOptions<Read, Failure, Data, Kept, Key> {
    const complete = super.defaultQueryOptions<Read, Failure, Data, Kept, Key, Cursor>(options);
    const { queryFn, refetchInterval, refetchOnWindowFocus = true } = complete;
    if (options._defaulted || typeof queryFn !== 'function') return complete;
    return {
      ...complete,
      queryFn: cancelling(queryFn),
      refetchInterval: (query) => {
        if (isGone(query.state.error)) return false;
        const interval = typeof refetchInterval === 'function' ? refetchInterval(query) : refetchInterval;
        // Data that is read seldom comes back with the rest of the page.
        const isFailing = query.state.error !== null && mayPass(query.state.error);
        return typeof interval === 'number' && isFailing ? Math.min(interval, REFRESH_MS) : interval;
      },
      refetchOnWindowFocus: (query) => {
        if (isGone(query.state.error)) return false;
        return typeof refetchOnWindowFocus === 'function' ? refetchOnWindowFocus(query) : refetchOnWindowFocus;
      },
    };
  }
}

/** The answers that pages have read. Pages and the router share them, so that a request can begin before its page is drawn. */
export const queries = new Queries({
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      // A browser without a network fails at once, and the page says so, instead of waiting for a network.
      networkMode: 'always',
      // A refusal stays one. A service that is away may be back soon.
      retry: (count, error) => count < 2 && mayPass(error) && !asksToWait(error),
      retryDelay: RETRY_MS,
      refetchInterval: refreshWhileFailing,
      refetchIntervalInBackground: false,
    },
  },
});
