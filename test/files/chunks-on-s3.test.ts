import { startS3 } from '../support/s3-server.js';

/** Repeats all tests of chunks.test.ts with a bucket instead of a folder. */
const s3 = await startS3();
Object.assign(process.env, s3.settings);
afterAll(() => s3.stop());

await import('./chunks.test.js');
