import type { KeyActor } from '../../src/kernel/actor.js';
import { type Id, newId } from '../../src/kernel/ids.js';
import { Settings } from '../../src/platform/config/settings.js';
import { ConnectionPool } from '../../src/platform/database/connection-pool.js';
import { RequestContext } from '../../src/platform/context/request-context.js';
import { RequestSlots } from '../../src/platform/http/request-slots.js';
import type { Service } from './service.js';
import type { TestDatabase } from './test-database.js';

/** Makes creating a project fail in the database with this SQLSTATE during the work. */
export async function whileProjectsFail<T>(
  database: TestDatabase,
  sqlState: string,
  work: () => Promise<T>,
): Promise<T> {
  await database.rows(`
    create function fail_on_purpose() returns trigger language plpgsql as $$
    begin raise exception 'select secret from somewhere' using errcode = '${sqlState}'; end $$`);
  await database.rows('create trigger fail_on_purpose before insert on project execute function fail_on_purpose()');
  try {
    return await work();
  } finally {
    await database.rows('drop function fail_on_purpose cascade');
  }
}

/** Renames the table during the work, which provokes an unexpected fault. */
export async function whileRenamed<T>(database: TestDatabase, table: string, work: () => Promise<T>): Promise<T> {
  await database.rows(`alter table ${table} rename to lost`);
  try {
    return await work();
  } finally {
    await database.rows(`alter table lost rename to ${table}`);
  }
}

/** Removes one migration from the list of applied ones during the work. */
export async function whileNotMigrated<T>(database: TestDatabase, work: () => Promise<T>): Promise<T> {
  const [last] = await database.rows<{ id: number; name: string; executed_at: Date }>(
    'delete from migration where id = (select max(id) from migration) returning *',
  );
  try {
    return await work();
  } finally {
    await database.rows('insert into migration (id, name, executed_at) values ($1, $2, $3)', Object.values(last!));
  }
}

/** Does the work while all connections of the service's pool are in use. */
export async function whilePoolIsFull<T>({ app }: Service, work: () => Promise<T>): Promise<T> {
  const pool = app.get(ConnectionPool);
  const size = app.get(Settings).DATABASE_POOL;
  const connections = await Promise.all(Array.from({ length: size }, () => pool.connect()));
  try {
    return await work();
  } finally {
    for (const connection of connections) connection.release();
  }
}

/** Does the work while requests of a project occupy all its slots and its whole queue. */
export async function whileOverloaded<T>(
  { app }: Service,
  { projectId }: { projectId: string },
  work: () => Promise<T>,
): Promise<T> {
  const slots = app.get(RequestSlots);
  const end = Promise.withResolvers<void>();
  const occupy = () => {
    const request = new RequestContext(newId('request'), undefined);
    request.actor = { kind: 'key', projectId: projectId as Id<'project'> } as KeyActor;
    return slots.run(request, () => end.promise);
  };
  // Half of the slots and eight waiting requests for each slot are the share of one project.
  const requests = Array.from({ length: app.get(Settings).REQUEST_SLOTS * 8.5 }, occupy);
  try {
    return await work();
  } finally {
    end.resolve();
    await Promise.all(requests);
  }
}
