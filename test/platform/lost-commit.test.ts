import { administratorOf } from '../support/actors.js';
import { createDatabase } from '../support/database.js';
import { LostCommits } from '../support/lost-commits.js';
import { startService } from '../support/service.js';
import { TestDatabase } from '../support/test-database.js';

const databaseUrl = await createDatabase();
const database = new TestDatabase(databaseUrl);
const commits = await LostCommits.before(databaseUrl);
// Without a worker, the only commits are those of the requests.
const service = await startService({ DATABASE_URL: commits.url, SLIPWAY_ROLE: 'api' });
afterAll(async () => {
  await service.stop();
  await commits.stop();
  await database.end();
});

it.each([1, 2, 3])(
  'has one effect when the answer to a commit is lost and the request repeated (%d)',
  async (round) => {
    const name = `lost ${round}`;
    const send = () =>
      administratorOf(service).post<{ data: { projectId: string } }>(
        '/api/admin/v1/projects',
        { name },
        { headers: { 'idempotency-key': `lost-${round}` } },
      );
    commits.loseNext();
    expect((await send()).outcome).toBe('503 DATABASE_UNAVAILABLE');
    const again = await send();
    expect(again.outcome).toBe('201');
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const rows = await database.rows<{ id: string }>('select id from project where name = $1', [name]);
    expect(rows).toEqual([{ id: again.body.data.projectId }]);
  },
);
