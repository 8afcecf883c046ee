/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  setupFilesAfterEnv: ['<rootDir>/test/support/compare-with-committed.ts'],
  testRunner: '<rootDir>/test/support/run-test-file.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  maxWorkers: 2,
  // Concurrent tests of a file spend their time waiting.
  maxConcurrency: 20,
  workerIdleMemoryLimit: '2GB',
  testTimeout: 60_000,
};
