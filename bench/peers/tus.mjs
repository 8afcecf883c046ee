import { createServer } from 'node:http';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

/** The reference server of tus with files on the disk. It does not wait until the disk has them. */

const tus = new Server({ path: '/files', datastore: new FileStore({ directory: process.env.FLOOR_FOLDER ?? '' }) });
const server = createServer((request, response) => void tus.handle(request, response));
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}/files` });
});
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
