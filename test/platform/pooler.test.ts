import { testBehindPooler } from './behind-pooler.js';

// The service works as it does behind a pooler: with the limits of its role, and without plans of a connection. The
// fault tests do the same behind PgBouncer.
testBehindPooler(async (url) => ({ url, stop: async () => undefined }));
