import { startPgBouncer } from '../support/pgbouncer.js';
import { testBehindPooler } from './behind-pooler.js';

/** Fewer than the messages that are sent at once. */
const CONNECTIONS = 3;

testBehindPooler((url) => startPgBouncer(url, CONNECTIONS));
