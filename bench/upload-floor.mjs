import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * The floor of `bench/upload.mjs`: busboy writes straight to part files, which are as durable as the service's, because
 * they are synced and then renamed. There is no key, no row, no count and no hash.
 */

/** @typedef {NodeJS.WritableStream & { on(event: 'file', take: (name: string, file: NodeJS.ReadableStream) => void): void }} Parser */
/** @type {unknown} */
const library = createRequire(import.meta.url)('busboy');
const busboy = /** @type {(options: { headers: import('node:http').IncomingHttpHeaders }) => Parser} */ (library);

const folder = process.env.FLOOR_FOLDER ?? '';
await mkdir(folder, { recursive: true });

const server = createServer((request, response) => {
  const parser = busboy({ headers: request.headers });
  /** @type {Promise<void>[]} */
  const writing = [];
  parser.on('file', (_name, file) => void writing.push(keep(file)));
  parser.once('close', () => {
    Promise.all(writing).then(
      () => response.end('{}'),
      () => response.destroy(),
    );
  });
  request.pipe(parser);
});

/** @param {NodeJS.ReadableStream} file */
async function keep(file) {
  const path = join(folder, randomUUID());
  await writeFile(`${path}.unfinished`, file, { flush: true });
  await rename(`${path}.unfinished`, path);
}

server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}` });
});
process.once('SIGTERM', () => process.exit(0));
