import { mock } from 'node:test';
import type { Settings } from '../../src/platform/config/settings.js';
import type { PrimaryAt } from '../../src/platform/database/replica/positions.statements.js';
import { PrimaryPosition } from '../../src/platform/database/replica/primary-position.js';
import type { Statements } from '../../src/platform/database/statements.js';

const LAG_SECONDS = 0.1;
const AT: PrimaryAt = { position: '00000000/00000001', cluster: '1' };

afterEach(() => mock.restoreAll());

it('gives a position that took longer than READ_LAG_SECONDS to the read that waits for it', async () => {
  const answer = Promise.withResolvers<PrimaryAt>();
  const statements = { ask: () => answer.promise } as unknown as Statements;
  const primary = new PrimaryPosition(statements, { READ_LAG_SECONDS: LAG_SECONDS } as Settings);
  const read = primary.earliest();
  const later = performance.now() + LAG_SECONDS * 2_000;
  mock.method(performance, 'now', () => later);
  answer.resolve(AT);
  // Other reads come at every moment until the first one goes on, and forget what is too old for them.
  const others = Array.from({ length: 20 }, async (_, turns) => {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    return primary.earliest();
  });
  expect(await read).toMatchObject(AT);
  for (const other of await Promise.all(others)) expect(other).toMatchObject(AT);
});
