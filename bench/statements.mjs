import { connect, createServer } from 'node:net';

/**
 * A statement as a program sent it.
 * @typedef {object} SentStatement
 * @property {number} connection connections have the numbers 0, 1, … in the order of their opening
 * @property {string} text
 * @property {SentValue[]} values
 */

/**
 * A value in the form in which it was sent: text, or the bytes of its binary form.
 * @typedef {string | Buffer | null} SentValue
 */

/**
 * A proxy between a program and PostgreSQL, which notes every statement. The program's statements are counted as it
 * sends them, instead of being estimated from statistics.
 */
export class StatementTap {
  /** @type {SentStatement[]} */
  statements = [];
  url = '';
  #target;
  #server = createServer((client) => this.#pass(client));
  /** @type {Set<import('node:net').Socket>} */
  #sockets = new Set();
  #connections = 0;

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
    const connection = this.#connections++;
    const read = statementReader((text, values) => this.statements.push({ connection, text, values }));
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
 * @param {(text: string, values: SentValue[]) => void} note
 */
function statementReader(note) {
  /** @type {Map<string, string>} */
  const parsed = new Map();
  let bound = '';
  /** @type {SentValue[]} */
  let values = [];
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
      const body = rest.subarray(typeLength + 4, end);
      const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
      if (type === 'P') parsed.set(first, second);
      if (type === 'B') {
        bound = parsed.get(second) ?? '';
        values = valuesOf(body.subarray(Buffer.byteLength(first) + Buffer.byteLength(second) + 2));
      }
      if (type === 'E') note(bound, values);
      if (type === 'Q') note(first, []);
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}

/**
 * Reads the values of a Bind message: the number of formats and the formats, the number of values, and each value with
 * its length, which is -1 for null. Without formats, all values are text; a single format holds for all of them.
 * @param {Buffer} body the message after the names of the portal and the statement
 */
function valuesOf(body) {
  let at = 0;
  const nextInt16 = () => body.readInt16BE((at += 2) - 2);
  const formats = Array.from({ length: nextInt16() }, nextInt16);
  return Array.from({ length: nextInt16() }, (_, n) => {
    const length = body.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    const bytes = body.subarray(at, (at += length));
    return formats[formats.length === 1 ? 0 : n] ? Buffer.from(bytes) : bytes.toString('utf8');
  });
}
