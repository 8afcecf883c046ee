import tearDown from '../support/global-teardown.mjs';
import { ask, namesOfRun, nodes } from './nodes.mjs';

/** Runs after all test files. It drops their databases, because the cluster outlives the tests. */
export default async function tearDownCluster() {
  await tearDown();
  for (const node of await nodes()) {
    const rows = await ask(node, `select datname as name from pg_database where starts_with(datname, '${namesOfRun}')`);
    for (const { name } of /** @type {{ name: string }[]} */ (rows))
      await ask(node, 'set citus.enable_create_database_propagation = off', `drop database ${name} with (force)`);
  }
}
