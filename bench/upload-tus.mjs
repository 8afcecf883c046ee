import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { inRounds, median, ratiosOf, size, spread, table } from './measure.mjs';

/** @import { Environment } from './environment.mjs' */

const TARGET = 0.8;
const MIB = 1024 * 1024;
const ROUNDS = size(7, 3);
const UPLOADS = 4;
const PATCHES = 4;
const PATCH_BYTES = 8 * MIB;
const TUS = { 'tus-resumable': '1.0.0' };

const base64 = (/** @type {string} */ text) => Buffer.from(text).toString('base64');
const METADATA = `filename ${base64('b.bin')},fileContext ${base64('bulkImport')}`;

/**
 * Compares uploads by tus with those of the reference server, which writes to files without waiting for the disk.
 * @param {Environment} environment
 * @param {{ url: string, headers: Record<string, string> }} service
 * @param {string} folder
 */
export async function measureTus(environment, { url, headers }, folder) {
  const peer = await environment.startPeer('tus', { FLOOR_FOLDER: join(folder, 'tus') });
  if (!peer) return;
  const agent = new Agent({ keepAlive: true });
  const content = Buffer.alloc(PATCH_BYTES, 'abcdefghijklmnop');
  const speedOf = async (/** @type {string} */ endpoint, /** @type {Record<string, string>} */ more) => {
    const begun = performance.now();
    const upload = () => uploadOnce(agent, endpoint, { ...TUS, ...more }, content);
    await Promise.all(Array.from({ length: UPLOADS }, upload));
    return (UPLOADS * PATCHES * PATCH_BYTES) / MIB / ((performance.now() - begun) / 1000);
  };
  const ofService = () => speedOf(`${url}/api/public/files/tus`, headers);
  const ofPeer = () => speedOf(peer.url, {});
  await ofPeer();
  await ofService();
  const [ours = [], theirs = []] = await inRounds(ROUNDS, [ofService, ofPeer]);
  agent.destroy();
  const ratios = ratiosOf(ours, theirs);
  console.log(
    table([
      [`by tus, ${UPLOADS} uploads at a time`, 'MiB/s'],
      ['Slipway', spread(ours)],
      ['@tus/server', spread(theirs)],
      ['ratio, pair by pair', spread(ratios, 2)],
    ]),
  );
  environment.judge({
    work: 'upload: by tus',
    ours: `${spread(ours)} MiB/s`,
    peers: [`${spread(ratios, 2)} of @tus/server, which does not wait for the disk`],
    target: `at least ${TARGET} of @tus/server`,
    isMet: median(ratios) >= TARGET,
  });
}

/**
 * @param {Agent} agent
 * @param {string} endpoint
 * @param {Record<string, string>} headers
 * @param {Buffer} content
 */
async function uploadOnce(agent, endpoint, headers, content) {
  const creation = { 'upload-length': String(PATCHES * content.length), 'upload-metadata': METADATA };
  const { location } = await send(agent, 'POST', endpoint, { ...headers, ...creation });
  const address = new URL(location ?? '', endpoint).href;
  for (let part = 0; part < PATCHES; part += 1) {
    const offset = {
      'upload-offset': String(part * content.length),
      'content-type': 'application/offset+octet-stream',
    };
    await send(agent, 'PATCH', address, { ...headers, ...offset }, content);
  }
}

/**
 * @param {Agent} agent
 * @param {string} method
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {Buffer} [body]
 * @returns {Promise<import('node:http').IncomingHttpHeaders>}
 */
function send(agent, method, url, headers, body = Buffer.alloc(0)) {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(body.length) };
    const sent = request(url, { method, agent, headers: { ...headers, ...length } }, (response) => {
      response.resume().once('end', () => {
        if ((response.statusCode ?? 500) < 300) resolve(response.headers);
        else reject(new Error(`${method} ${url} answered ${response.statusCode}`));
      });
    });
    sent.once('error', reject).end(body);
  });
}
