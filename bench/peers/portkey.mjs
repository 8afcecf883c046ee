import { createServer } from 'node:net';

/** Portkey's gateway, which keeps no ledger. It takes its port from the command line and says nothing when it listens. */

const port = await freePort();
process.argv.push(`--port=${port}`, '--headless');
await import('@portkey-ai/gateway/build/start-server.js');
const url = `http://127.0.0.1:${port}`;
while (!(await fetch(url).catch(() => undefined))) await new Promise((resolve) => setTimeout(resolve, 50));

process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
process.send?.({ type: 'ready', url });

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(free));
    });
  });
}
