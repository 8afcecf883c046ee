// This file is for a process in a network namespace of its own. It gives foreign addresses to this machine, and its
// name server resolves names to them.
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PORT = 8080;
export const PUBLIC = '93.184.216.34';
const OUR_SIDE = ['10.0.0.5', '169.254.169.254', '100.64.0.1', '168.63.129.16', '172.16.0.1', '192.168.1.1'];
const OUR_SIDE_6 = ['fd00:ec2::254', '2002:7f00:1::', '64:ff9b::7f00:1', '2001::1'];

/**
 * The answers of the name server. Each question for a name takes the next answer in its list.
 * @type {Record<string, string[][]>}
 */
export const NAMES = {
  'public.test': [[PUBLIC]],
  'private.test': [['10.0.0.5']],
  'loopback.test': [['127.0.0.1']],
  'metadata.test': [['169.254.169.254']],
  'mixed.test': [[PUBLIC, '127.0.0.1']],
  'six.test': [['::1']],
  'mapped.test': [['::ffff:127.0.0.1']],
  'translated.test': [['64:ff9b::7f00:1']],
  'rebinding.test': [[PUBLIC], ['127.0.0.1']],
};

/** @param {string} host */
export function at(host) {
  return `http://${host}:${PORT}/`;
}

/** Opens a canary at a local address and a server at a public one. Each counts its connections and requests. */
export async function openForeignNetwork() {
  openNetwork();
  await startNameServer();
  return {
    canary: await startServer([...OUR_SIDE, '127.0.0.1', '::1', ...OUR_SIDE_6]),
    foreign: await startServer([PUBLIC]),
  };
}

function openNetwork() {
  const run = (/** @type {string} */ command) => execFileSync('sh', ['-c', command]);
  run('ip link set lo up');
  for (const address of [PUBLIC, ...OUR_SIDE]) run(`ip addr add ${address}/32 dev lo`);
  for (const address of OUR_SIDE_6) run(`ip -6 addr add ${address}/128 dev lo nodad`);
  const file = join(mkdtempSync(join(tmpdir(), 'slipway-names-')), 'resolv.conf');
  writeFileSync(file, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
  run(`mount --bind ${file} /etc/resolv.conf`);
}

/** @param {string[]} addresses */
async function startServer(addresses) {
  const counted = { connections: 0, requests: 0 };
  for (const address of addresses) {
    const server = createServer((request, response) => {
      counted.requests += 1;
      if (request.url === '/redirect') response.writeHead(302, { location: at('127.0.0.1') });
      response.end('hello');
    });
    server.on('connection', () => (counted.connections += 1));
    await once(server.listen(PORT, address), 'listening');
  }
  return counted;
}

/** Speaks as much DNS as the C library needs. */
async function startNameServer() {
  /** @type {Record<string, number>} */
  const asked = {};
  const socket = createSocket('udp4', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question);
    const isSix = type === 28;
    const turns = (NAMES[name] ?? [[]]).map((turn) => turn.filter((text) => text.includes(':') === isSix));
    const turn = (asked[`${name} ${type}`] = (asked[`${name} ${type}`] ?? -1) + 1);
    const records = (turns[turn % turns.length] ?? []).map((text) => record(text, isSix));
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), port, address);
  });
  socket.bind(53, '127.0.0.1');
  await once(socket, 'listening');
}

/** @param {Buffer} question */
function readQuestion(question) {
  const labels = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(at + 1), end: at + 5 };
}

/**
 * @param {string} text
 * @param {boolean} isSix
 */
function record(text, isSix) {
  const bytes = isSix ? bytesOfSix(text) : Buffer.from(text.split('.').map(Number));
  const head = Buffer.from([0xc0, 12, 0, isSix ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}

/** @param {string} text */
function bytesOfSix(text) {
  const hex = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [left = '', right = ''] = hex.split('::').map((half) => half.split(':').filter(Boolean));
  const middle = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...middle, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
