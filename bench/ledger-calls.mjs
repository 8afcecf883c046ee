import { Call } from '../dist/src/modules/ledger/call.entity.js';
import { CallRepository } from '../dist/src/modules/ledger/call.repository.js';

/** @import { EntityManager } from '@mikro-orm/postgresql' */

/** The ledger's own statements. They are values, so the repository needs no entity manager. */
export const calls = new CallRepository(/** @type {EntityManager} */ (/** @type {unknown} */ (undefined)), Call);
