// Runs the tests of the ledger, traces, sessions, webhooks and jobs on a Citus cluster.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { inProject } from '../../scripts/project.mjs';

const USAGE = `Usage: npm run test:cluster -- --citus postgresql://… [PATTERN]

  --citus  a database on the coordinator, whose workers are added; its user is a superuser on every node
  PATTERN  a part of the paths of the tests that run, such as ledger/retention`;

const given = process.argv.slice(2);
const at = given.indexOf('--citus');
const url = at < 0 ? undefined : given[at + 1];

if (url === undefined) {
  console.log(`The tests on a Citus cluster were skipped, because no cluster was given.\n\n${USAGE}`);
} else {
  const patterns = given.filter((_, place) => place !== at && place !== at + 1);
  const { status } = spawnSync(
    process.execPath,
    [inProject('scripts', 'test.mjs'), '--config', 'jest.cluster.config.js', ...patterns],
    { stdio: 'inherit', env: { ...process.env, TEST_CITUS_URL: url, TEST_CITUS_RUN: randomBytes(4).toString('hex') } },
  );
  process.exitCode = status ?? 1;
}
