import { startPgBouncer } from '../support/pgbouncer.js';
import { testReplicaBehindPooler } from './replica-behind-pooler.js';

/** Fewer than the reads that are sent at once. */
const CONNECTIONS = 3;

testReplicaBehindPooler((url) => startPgBouncer(url, CONNECTIONS));
