import { once } from 'node:events';
import { createServer } from 'node:http';

/** A receiver that answers at once, except below `/hangs`, where it never answers. It notes when each callback came. */
export class BenchReceiver {
  /** @type {Map<string, number>} */
  #arrived = new Map();
  /** @type {Map<string, number>} */
  #byPath = new Map();
  #server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/hangs')) return;
    request.resume();
    request.on('end', () => {
      this.#arrived.set(String(request.headers['webhook-id']), performance.now());
      this.#byPath.set(path, (this.#byPath.get(path) ?? 0) + 1);
      response.writeHead(200).end();
    });
  });

  async start() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  /** @param {string} id */
  arrivalOf(id) {
    return this.#arrived.get(id);
  }

  get count() {
    return this.#arrived.size;
  }

  /** @param {string} path */
  countAt(path) {
    return this.#byPath.get(path) ?? 0;
  }

  /** @param {() => boolean} isSo */
  async until(isSo, withinMs = 180_000) {
    const deadline = performance.now() + withinMs;
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error(`Only ${this.count} callbacks came in ${withinMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  stop() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
