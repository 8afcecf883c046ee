import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider whose answer the test defines. It counts its requests. */
export async function startOddProvider() {
  const odd = { url: '', asked: 0, answer: (() => undefined) as RequestListener, stop: () => stopped() };
  const server = createServer((request, response) => {
    odd.asked += 1;
    request.resume().on('end', () => odd.answer(request, response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  odd.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stopped = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return odd;
}
