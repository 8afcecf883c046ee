import { startServers } from '../support/start-servers.mjs';

/** As for the other tests, but what is acknowledged survives a crash of PostgreSQL. */
export default () => startServers({ durable: true });
