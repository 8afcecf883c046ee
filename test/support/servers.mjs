/** @import { RunningServer } from '../../scripts/services/server-process.mjs' */

/**
 * The servers that the global set-up starts and the global teardown stops.
 * @type {{ folder?: string, databases?: string, postgres?: RunningServer, redis?: RunningServer }}
 */
export const servers = {};
