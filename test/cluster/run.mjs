// Runs the tests of the ledger, traces, sessions, webhooks and jobs on a Citus cluster.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { inProject } from '../../scripts/project.mjs';

const USAGE = `Usage: npm run test:cluster -- --citus postgresql://… [PATTERN]

  --citus  a database on the coordinator, whose workers are added; its user is a superuser on every node
  PATTERN  a part of the paths of the tests that run, such as ledger/retention`;

const { values, positionals } = parseArgs({ options: { citus: { type: 'string' } }, allowPositionals: true });

if (values.citus === undefined) {
  console.log(`The tests on a Citus cluster were skipped, because no cluster was given.\n\n${USAGE}`);
} else if (values.citus === '') {
  console.error(`--citus has no address.\n\n${USAGE}`);
  process.exitCode = 1;
} else {
  const { status } = spawnSync(
    process.execPath,
    [inProject('scripts', 'test.mjs'), '--config', 'jest.cluster.config.js', ...positionals],
    {
      stdio: 'inherit',
      env: { ...process.env, TEST_CITUS_URL: values.citus, TEST_CITUS_RUN: randomBytes(4).toString('hex') },
    },
  );
  process.exitCode = status ?? 1;
}
