import { MikroORM } from '@mikro-orm/postgresql';
import { newId } from '../../src/kernel/ids.js';
import { readSettings } from '../../src/platform/config/settings.js';
import { migrationOrmOptions } from '../../src/platform/database/orm-options.js';
import { administratorOf } from '../support/actors.js';
import { createEmptyDatabase } from '../support/database.js';
import { startProcess } from '../support/process.js';
import { settingsFor } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';

const BEFORE = '20261123020000_note_makers';

it('the migration gives older scopes the permission that every key had, except scopes that only send messages', async () => {
  const settings = settingsFor(await createEmptyDatabase());
  const orm = new MikroORM(migrationOrmOptions(readSettings(settings)));
  await orm.migrator.up({ to: BEFORE });
  await orm.close();
  const database = new TestDatabase(settings.DATABASE_URL!);
  const [projectId, appId] = [newId('project'), newId('app')];
  await database.rows(`insert into project (id, name, created_at) values ($1, 'A project', now())`, [projectId]);
  await database.rows(`insert into app (id, project_id, name, created_at) values ($1, $2, 'An app', now())`, [
    appId,
    projectId,
  ]);
  const insertScope = (name: string, granted: string[], ceiling: string[] | null) =>
    database.rows(
      `insert into scope (id, app_id, name, description, granted, ceiling, created_at)
       values ($1, $2, $3, '', $4, $5, now())`,
      [newId('scope'), appId, name, granted, ceiling],
    );
  await insertScope('none', [], null);
  await insertScope('bounded', ['RUN_API'], ['RUN_API', 'SESSIONS_LIST']);
  await insertScope('channel', ['HTTP_ASYNC_SEND'], ['HTTP_ASYNC_SEND']);

  const process = await startProcess(settings);
  const { body } = await administratorOf(process).get<{ data: ScopeBody[] }>(`/api/admin/v1/apps/${appId}/scopes`);
  const seen = body.data.map(({ scopeName, permissions, ceiling }) => [
    scopeName,
    yesIn(permissions),
    ceiling && yesIn(ceiling),
  ]);
  expect(seen.toSorted()).toEqual([
    ['bounded', ['RUN_API', 'DOCK_MANAGE'], ['RUN_API', 'SESSIONS_LIST', 'DOCK_MANAGE']],
    ['channel', ['HTTP_ASYNC_SEND'], ['HTTP_ASYNC_SEND']],
    ['none', ['DOCK_MANAGE'], null],
  ]);
  await process.kill();
  await database.end();
});

type Permissions = Record<string, 'YES' | 'NO'>;

interface ScopeBody {
  scopeName: string;
  permissions: Permissions;
  ceiling: Permissions | null;
}

function yesIn(permissions: Permissions): string[] {
  return Object.keys(permissions).filter((name) => permissions[name] === 'YES');
}
