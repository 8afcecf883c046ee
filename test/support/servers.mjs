/** @import { RunningServer } from '../../scripts/services/server-process.mjs' */

/**
 * What the global set-up has started and the global teardown stops.
 * @type {{ folder?: string, databases?: string, postgres?: RunningServer, redis?: RunningServer }}
 */
export const servers = {};
