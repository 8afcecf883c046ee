import type { Service } from './service.js';

/** Runs the work while the service waits at most this long for the headers of a request. */
export async function withHeadersTimeout<T>(
  service: Service,
  milliseconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const server = service.app.getHttpServer();
  const { headersTimeout } = server;
  server.headersTimeout = milliseconds;
  try {
    return await work();
  } finally {
    server.headersTimeout = headersTimeout;
  }
}
