import { createServer } from 'node:http';
import { newest } from './ledger-newest.mjs';

/** The floor of `bench/ledger.mjs`: node:http and pg, without key, limit or log. */

const server = createServer((request, response) => {
  void newest(new URL(request.url ?? '', 'http://floor').searchParams).then((body) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}` });
});
process.once('disconnect', () => process.exit());
