import { setTimeout as sleep } from 'node:timers/promises';
import { explain } from '../start-error.mjs';

/** @import { RunningServer } from './server-process.mjs' */

/**
 * Starts a server, and starts it again whenever it ends by itself. It keeps its address, because the app knows no
 * other.
 * @template {RunningServer} Server
 * @param {object} options
 * @param {string} options.name
 * @param {(before?: Server) => Promise<Server>} options.start
 * @param {(line: string) => void} options.log
 * @param {() => void} options.onFailure called if it cannot be started again
 * @returns {Promise<Pick<RunningServer, 'url' | 'lifeline' | 'stop'>>}
 */
export async function keepRunning({ name, start, log, onFailure }) {
  let server = await start();
  let isStopping = false;
  /** @type {Promise<void>} */
  let restart = Promise.resolve();

  const watch = () => {
    const began = Date.now();
    void server.exited.then(() => {
      if (!isStopping) restart = startAgain(Date.now() - began);
    });
  };
  const startAgain = async (/** @type {number} */ lasted) => {
    log(`${name} has ended by itself; starting it again`);
    try {
      if (lasted < 5000) await sleep(1000);
      server = await start(server);
      watch();
    } catch (error) {
      log(explain(error));
      onFailure();
    }
  };
  watch();

  return {
    url: server.url,
    lifeline: server.lifeline,
    async stop() {
      isStopping = true;
      await restart;
      await server.stop();
    },
  };
}
