import ordinary from './jest.config.js';

/** Tests on a Citus cluster that runs already: only `npm run test:cluster -- --citus URL` runs them. */
/** @type {import('jest').Config} */
export default {
  ...ordinary,
  testMatch: ['**/{ledger,traces,sessions,webhooks}/*.test.ts', '**/platform/jobs*.test.ts', '**/cluster/*.cluster.ts'],
  // The test of a restored backup copies the database of one server.
  testPathIgnorePatterns: [...(ordinary.testPathIgnorePatterns ?? []), '/webhooks/restored\\.test\\.ts$'],
  setupFilesAfterEnv: [...(ordinary.setupFilesAfterEnv ?? []), '<rootDir>/test/cluster/use-cluster.ts'],
  globalTeardown: '<rootDir>/test/cluster/global-teardown.mjs',
  testTimeout: 180_000,
};
