import { connect, createServer } from 'node:net';

/**
 * A proxy between a program and PostgreSQL, which notes every statement. The program's statements are counted as it
 * sends them, instead of being estimated from statistics.
 */
export class StatementTap {
  /** @type {string[]} */
  statements = [];
  url = '';
  #target;
  #server = createServer((client) => this.#pass(client));
  /** @type {Set<import('node:net').Socket>} */
  #sockets = new Set();

  /** @param {string} databaseUrl */
  constructor(databaseUrl) {
    this.#target = new URL(databaseUrl);
  }

  async listen() {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve(undefined)));
    const url = new URL(this.#target);
    url.port = String(/** @type {import('node:net').AddressInfo} */ (this.#server.address()).port);
    this.url = url.href;
  }

  close() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** @param {import('node:net').Socket} client */
  #pass(client) {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const read = statementReader((statement) => this.statements.push(statement));
    for (const [from, to] of /** @type {const} */ ([
      [client, server],
      [server, client],
    ])) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy()).on('close', () => to.destroy() && this.#sockets.delete(from));
    }
    client.on('data', read);
    client.pipe(server).pipe(client);
  }
}

/**
 * Reads the client's half of PostgreSQL's protocol: a first message without a type, then messages of a type, a length
 * and a body. A statement runs with a Query, or with an Execute of one that was parsed and bound, perhaps long before.
 * @param {(statement: string) => void} note
 */
function statementReader(note) {
  /** @type {Map<string, string>} */
  const parsed = new Map();
  let bound = '';
  let isStarted = false;
  let rest = Buffer.alloc(0);
  return (/** @type {Buffer} */ chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const typeLength = isStarted ? 1 : 0;
      if (rest.length < typeLength + 4) return;
      const end = typeLength + rest.readInt32BE(typeLength);
      if (rest.length < end) return;
      const type = isStarted ? String.fromCharCode(rest[0] ?? 0) : '';
      const [first = '', second = ''] = rest.toString('utf8', typeLength + 4, end).split('\0', 2);
      if (type === 'P') parsed.set(first, second);
      if (type === 'B') bound = parsed.get(second) ?? '';
      if (type === 'E') note(bound);
      if (type === 'Q') note(first);
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}
