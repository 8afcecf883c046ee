import { startServers } from './start-servers.mjs';

/** Before all test files. */
export default () => startServers({ durable: false });
