import { Agent, request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Administration } from './administration.mjs';
import { inRounds, median, ratiosOf, size, spread, table } from './measure.mjs';
import { option } from './options.mjs';
import { measureTus } from './upload-tus.mjs';

/** @import { Environment, Program } from './environment.mjs' */

const TARGET = 0.8;
const MEMORY_MIB = 64;
const MIB = 1024 * 1024;
const CHUNK_BYTES = 8 * MIB;
const AT_ONCE = 4;
const ROUNDS = size(7, 3);
const CHUNKS_A_ROUND = 16;
const MANY_CHUNKS = size(10_000, 2_000);
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/**
 * Compares chunks with busboy that writes straight to files, and uploads by tus with its reference server. Measures the memory that a large file takes, and compares
 * completing many chunks with completing one.
 * @param {Environment} environment
 */
export default async function run(environment) {
  const gib = option('gib', size(2, 0.25));
  const folder = mkdtempSync(join(tmpdir(), 'slipway-upload-'));
  try {
    const service = await environment.startService({
      STORAGE_URL: `file://${join(folder, 'files')}`,
      UPLOAD_MAX_CHUNKS: '100000',
    });
    const floor = await environment.startFloor('upload', { FLOOR_FOLDER: join(folder, 'floor') });
    const administration = new Administration(service.url, environment.adminKey);
    const appId = await administration.makeApp();
    await administration.makeScope(appId, 'benchmark', ['RUN_API']);
    const { apikey } = await administration.makeKey(appId, 'benchmark', 'load');
    const client = new Uploads(service.url, apikey);
    await measureSpeed(environment, client, service, floor);
    await measureTus(environment, client, folder);
    await measureMemory(environment, client, gib);
    await measureCompleting(environment, client);
    return true;
  } finally {
    agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A client of the routes for uploads. */
class Uploads {
  /**
   * @param {string} url
   * @param {string} key
   */
  constructor(url, key) {
    this.url = url;
    this.headers = { 'x-api-key': key };
  }

  /**
   * @param {number} totalChunks
   * @param {number} chunkBytes
   */
  async start(totalChunks, chunkBytes) {
    const fileSize = totalChunks * chunkBytes;
    const input = { fileContext: 'bulkImport', fileName: 'b', fileExtension: 'bin', fileSize, totalChunks };
    const headers = { ...this.headers, 'content-type': 'application/json' };
    const answer = await send(
      `${this.url}/api/public/files/session/start`,
      headers,
      Buffer.from(JSON.stringify(input)),
    );
    /** @type {unknown} */
    const started = JSON.parse(answer);
    const { sessionId } = /** @type {{ sessionId: string }} */ (started);
    return `${this.url}/api/public/files/session/${sessionId}`;
  }

  /** @param {string} session */
  complete(session) {
    return send(`${session}/complete`, this.headers, Buffer.alloc(0));
  }

  /** Returns the resident memory of the service, in MiB. */
  async memory() {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / MIB;
  }
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {number} chunks
 * @param {Buffer} content
 * @param {number} atOnce
 */
async function sendChunks(url, headers, chunks, content, atOnce = AT_ONCE) {
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < chunks; number = next++) {
      const type = { 'content-type': 'multipart/form-data; boundary=border' };
      await send(url, { ...headers, ...type }, form(number, content));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/**
 * @param {number} number
 * @param {Buffer} content
 */
function form(number, content) {
  const head = (/** @type {string} */ name) => `--border\r\ncontent-disposition: form-data; name=${name}\r\n\r\n`;
  const before = `${head('chunkNumber')}${number}\r\n${head('"file"; filename="blob"')}`;
  return Buffer.concat([Buffer.from(before), content, Buffer.from('\r\n--border--\r\n')]);
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {Buffer} body
 * @returns {Promise<string>}
 */
function send(url, headers, body) {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(body.length) };
    const sent = request(url, { method: 'POST', agent, headers: { ...headers, ...length } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more) => (text += String(more)));
      response.once('end', () => {
        if ((response.statusCode ?? 500) < 300) resolve(text);
        else reject(new Error(`${url} answered ${response.statusCode}: ${text}`));
      });
    });
    sent.once('error', reject).end(body);
  });
}

/**
 * @param {Environment} environment
 * @param {Uploads} client
 * @param {Program} service
 * @param {Program} floor
 */
async function measureSpeed(environment, client, service, floor) {
  const content = Buffer.alloc(CHUNK_BYTES, 'abcdefghijklmnop');
  const mib = (CHUNKS_A_ROUND * CHUNK_BYTES) / MIB;
  const ofService = async () => {
    const session = await client.start(CHUNKS_A_ROUND, CHUNK_BYTES);
    return mib / (await seconds(() => sendChunks(session, client.headers, CHUNKS_A_ROUND, content)));
  };
  const ofFloor = async () => mib / (await seconds(() => sendChunks(floor.url, {}, CHUNKS_A_ROUND, content)));
  await ofFloor();
  await ofService();
  const before = [service.cpuSeconds(), floor.cpuSeconds()];
  const [ours = [], theirs = []] = await inRounds(ROUNDS, [ofService, ofFloor]);
  const ratios = ratiosOf(ours, theirs);
  console.log(`Chunks of ${CHUNK_BYTES / MIB} MiB, ${AT_ONCE} at a time, ${ROUNDS} rounds of ${mib} MiB, taking turns`);
  console.log(
    table([
      ['', 'MiB/s'],
      ['Slipway', spread(ours)],
      ['the floor: busboy to synced files', spread(theirs)],
      ['ratio, pair by pair', spread(ratios, 2)],
    ]),
  );
  const [cpuOurs = NaN, cpuTheirs = NaN] = [service, floor].map(
    (program, index) => (1000 * (program.cpuSeconds() - (before[index] ?? NaN))) / (ROUNDS * CHUNKS_A_ROUND),
  );
  console.log(`Computing for a chunk: ${cpuOurs.toFixed(1)} ms; the floor ${cpuTheirs.toFixed(1)} ms`);
  environment.judge({
    work: 'upload: chunks',
    ours: `${spread(ours)} MiB/s`,
    floor: `${spread(theirs)} MiB/s, busboy to synced files`,
    ratio: spread(ratios, 2),
    target: `at least ${TARGET}`,
    isMet: median(ratios) >= TARGET,
  });
}

/**
 * @param {Environment} environment
 * @param {Uploads} client
 * @param {number} gib
 */
async function measureMemory(environment, client, gib) {
  const chunks = Math.ceil((gib * 1024 * MIB) / CHUNK_BYTES);
  const idle = await client.memory();
  let most = idle;
  const look = setInterval(() => {
    void client.memory().then((memory) => (most = Math.max(most, memory)));
  }, 100);
  const session = await client.start(chunks, CHUNK_BYTES);
  await sendChunks(session, client.headers, chunks, Buffer.alloc(CHUNK_BYTES));
  await client.complete(session);
  clearInterval(look);
  const grown = most - idle;
  console.log(
    `A file of ${gib} GiB in ${chunks} chunks: ${grown.toFixed(0)} MiB of memory over ${idle.toFixed(0)} before`,
  );
  environment.judge({
    work: `upload: memory for ${gib} GiB`,
    ours: `${grown.toFixed(0)} MiB`,
    target: `at most ${MEMORY_MIB} MiB`,
    isMet: grown <= MEMORY_MIB,
  });
}

/**
 * @param {Environment} environment
 * @param {Uploads} client
 */
async function measureCompleting(environment, client) {
  /** @type {number[]} */
  const ofOne = [];
  for (let round = 0; round < 20; round += 1) ofOne.push(await timeToComplete(client, 1));
  const ofMany = await timeToComplete(client, MANY_CHUNKS);
  environment.judge({
    work: `upload: completing ${MANY_CHUNKS.toLocaleString('en')} chunks`,
    ours: `${ofMany.toFixed(1)} ms; 1 chunk ${spread(ofOne, 1)} ms`,
    target: 'as 1 chunk',
    isMet: ofMany <= Math.max(...ofOne),
  });
}

/**
 * @param {Uploads} client
 * @param {number} chunks
 */
async function timeToComplete(client, chunks) {
  const session = await client.start(chunks, 1);
  await sendChunks(session, client.headers, chunks, Buffer.from('x'), 16);
  return 1000 * (await seconds(() => client.complete(session)));
}

/** @param {() => Promise<unknown>} work */
async function seconds(work) {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}
