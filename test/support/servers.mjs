/** @import { RunningServer } from '../../scripts/services/postgres.mjs' */

/**
 * What the global set-up has started and the global teardown stops.
 * @type {{ folder?: string, postgres?: RunningServer, redis?: RunningServer }}
 */
export const servers = {};
