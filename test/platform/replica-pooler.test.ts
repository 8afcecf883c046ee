import { testReplicaBehindPooler } from './replica-behind-pooler.js';

// The service reads as it does behind a pooler: with the limits of the role, and without plans of a connection. The
// fault tests do the same behind PgBouncer.
testReplicaBehindPooler(async (url) => ({ url, stop: async () => undefined }));
