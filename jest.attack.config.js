import ordinary from './jest.config.js';

/** A service that is attacked over HTTP, all of it and not a sample: minutes, so `npm run test:attack` alone runs it. */
/** @type {import('jest').Config} */
export default {
  ...ordinary,
  testMatch: ['**/*.attack.ts'],
  maxWorkers: 1,
  testTimeout: 180_000,
};
