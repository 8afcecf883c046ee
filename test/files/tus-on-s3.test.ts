import { startS3 } from '../support/s3-server.js';

/** Repeats these tests with a bucket instead of a folder. */
const s3 = await startS3();
Object.assign(process.env, s3.settings);
afterAll(() => s3.stop());

await import('./tus.test.js');
await import('./tus-clients.test.js');
