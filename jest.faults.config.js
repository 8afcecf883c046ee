import ordinary from './jest.config.js';

/** Real processes that are killed, on a database that writes for good: minutes, so `npm run test:faults` alone runs it. */
/** @type {import('jest').Config} */
export default {
  ...ordinary,
  testMatch: ['**/*.faults.ts'],
  globalSetup: '<rootDir>/test/faults/global-setup.mjs',
  maxWorkers: 1,
  testTimeout: 180_000,
};
