import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../start-error.mjs';

/**
 * Checks the app's port before the app starts, so that the user learns early that it is taken.
 * @param {object} options
 * @param {string} options.host
 * @param {string} options.port the setting; if it is no port, the app reports it together with its other settings
 * @param {boolean} options.isCrashed whether the app of the last start may still be about to end
 */
export async function refuseTakenPort({ host, port, isCrashed }) {
  const number = Number(port);
  if (!(number > 0 && number < 65536)) return;
  const deadline = Date.now() + (isCrashed ? 15_000 : 0);
  for (;;) {
    const fault = await listenOnce(host, number);
    if (fault === 'EACCES') throw new StartError(`Port ${port} needs more rights. Choose another: PORT=3001 npm start`);
    if (fault !== 'EADDRINUSE') return;
    if (Date.now() > deadline) throw new StartError(taken(host, number));
    await sleep(100);
  }
}

/**
 * @param {string} host
 * @param {number} port
 */
function taken(host, port) {
  return `Port ${port} on ${host} is taken by another program. Choose another: PORT=${port + 1} npm start`;
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | undefined>} the code of the error, if any
 */
function listenOnce(host, port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
