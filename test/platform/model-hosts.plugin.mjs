// A plugin with a host of models. It serves safetensors files, and GGUF files whose name begins with Acme, and its
// replicas repeat what they are told. A replica ends that is told to crash or to vanish, and in the second case the next
// one ends as soon as it is ready. A replica is ready, ends or fails while it is started, as the name of a tensor in its
// file says, or its start ends when the next one begins. A silent one is never ready. A second plugin serves all of them
// too, and so gets none.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { Module } from '@nestjs/common';
import { defineSlipwayConfig, HostsModels, ModelHost } from 'slipway/plugin';

/** @import { GenerateLine, GenerateRequest, Inspected, ReplicaListener, ReplicaOrder } from 'slipway/plugin' */

class AcmeHost extends ModelHost {
  /** @type {PromiseWithResolvers<void>} */
  nextStart = Promise.withResolvers();

  nextVanishes = false;

  /** @override @param {Inspected} model @returns {string | undefined} */
  refusalOf({ facts: { format, name = '' } }) {
    if (format === 'safetensors' || name.startsWith('Acme')) return undefined;
    return 'Acme serves safetensors files alone.';
  }

  /** @override @param {ReplicaOrder} order @param {ReplicaListener} listener */
  start(order, listener) {
    this.nextStart.resolve();
    this.nextStart = Promise.withResolvers();
    const content = readFileSync(order.modelPath);
    if (content.includes('throwing')) throw new Error('Acme has no machine.');
    if (content.includes('rejecting')) return Promise.reject(new Error('Acme has no disk.'));
    const replica = new AcmeReplica(this, order, listener, content.length);
    if (!content.includes('ending') && !content.includes('silent')) replica.listen();
    if (content.includes('ending') || this.nextVanishes) replica.kill();
    this.nextVanishes = false;
    return content.includes('unsettled') ? this.nextStart.promise.then(() => replica) : replica;
  }
}
HostsModels({ name: 'acme' })(AcmeHost);

class LaterHost extends AcmeHost {
  /** @override @param {Inspected} model */
  refusalOf(model) {
    return super.refusalOf(model)?.replace('Acme', 'Later');
  }
}
HostsModels({ name: 'later' })(LaterHost);

class AcmeReplica {
  server = createServer((request, response) => void this.answer(request, response));

  hasEnded = false;

  /** @param {AcmeHost} host @param {ReplicaOrder} order @param {ReplicaListener} listener @param {number} bytes */
  constructor(host, order, listener, bytes) {
    this.host = host;
    this.order = order;
    this.listener = listener;
    this.bytes = bytes;
  }

  /** Without a name of a host to look up, the server listens at once. */
  listen() {
    this.server.listen(0);
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.server.address());
    this.listener.ready(`http://127.0.0.1:${port}`);
  }

  drain() {
    this.end('DRAINED', 'The replica was stopped.');
  }

  kill() {
    this.server.closeAllConnections();
    this.end('REPLICA_DIED', 'The replica was killed.');
  }

  /** @param {'DRAINED' | 'REPLICA_DIED'} code @param {string} message */
  end(code, message) {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (!this.server.listening) return this.listener.ended({ code, message });
    this.server.close(() => this.listener.ended({ code, message }));
    this.server.closeIdleConnections();
  }

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  async answer(request, response) {
    if (request.headers.authorization !== `Bearer ${this.order.token}`) return response.writeHead(401).end();
    const { messages } = /** @type {GenerateRequest} */ (await json(request));
    const last = messages.at(-1);
    const said = last?.role === 'user' ? last.text : '';
    this.host.nextVanishes = said === 'Vanish';
    if (said === 'Crash' || said === 'Vanish') return this.kill();
    if (said === 'Rhyme') {
      return response.writeHead(400).end(JSON.stringify({ message: 'cannot rhyme' }));
    }
    /** @type {GenerateLine[]} */
    const lines = [
      { text: `Acme read ${this.bytes} bytes and heard ` },
      { text: said },
      { end: { reason: 'stop', inputTokens: 3, cachedTokens: 0, outputTokens: 5 } },
    ];
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for (const line of lines) response.write(`${JSON.stringify(line)}\n`);
    response.end();
  }
}

class AcmeModule {}
Module({ providers: [AcmeHost] })(AcmeModule);

class LaterModule {}
Module({ providers: [LaterHost] })(LaterModule);

export default defineSlipwayConfig({
  plugins: [
    { name: 'acme', slipway: '*', modules: () => Promise.resolve([AcmeModule]) },
    { name: 'later', slipway: '*', modules: () => Promise.resolve([LaterModule]) },
  ],
});
