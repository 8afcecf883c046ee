import { startServers } from './start-servers.mjs';

/** Runs before all test files. */
export default () => startServers({ durable: false });
