import { createServer } from 'node:http';

/**
 * Serves the requests of a program that is measured beside the service, and says its address to the benchmark. The
 * program ends with the benchmark.
 * @param {import('node:http').RequestListener} answer
 */
export function serveProgram(answer) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}` });
  });
  process.once('disconnect', () => process.exit());
  process.once('SIGTERM', () => process.exit());
}
