import { startServers } from '../support/start-servers.mjs';

/** The set-up is that of the other tests, but commits survive a crash of PostgreSQL. */
export default () => startServers({ durable: true });
